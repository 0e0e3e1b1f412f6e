/** Settings of who may ask. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig, type Config } from '../../src/settings/config.ts';

const ROWS: readonly (readonly [keyof Config, string, string, string, string])[] = [
  ['auth', '--auth', 'AUTH', 'auth', 'tokens'],
  ['tokens', '--tokens', 'TOKENS_FILE', 'tokens', '/etc/prorata/tokens.yaml'],
  ['oidcIssuer', '--oidc-issuer', 'OIDC_ISSUER', 'oidcIssuer', 'https://login.example.com/a/'],
  ['oidcAudience', '--oidc-audience', 'OIDC_AUDIENCE', 'oidcAudience', 'prorata'],
  ['oidcGroupsClaim', '--oidc-groups-claim', 'OIDC_GROUPS_CLAIM', 'oidcGroupsClaim', 'roles'],
  ['oidcFilterClaim', '--oidc-filter-claim', 'OIDC_FILTER_CLAIM', 'oidcFilterClaim', 'rows'],
  ['oidcClientId', '--oidc-client-id', 'OIDC_CLIENT_ID', 'oidcClientId', 'page'],
  [
    'oidcClientSecretFile',
    '--oidc-client-secret-file',
    'OIDC_CLIENT_SECRET_FILE',
    'oidcClientSecretFile',
    '/a',
  ],
  ['publicUrl', '--public-url', 'PUBLIC_URL', 'publicUrl', 'https://costs.example.com'],
  ['sessionKeyFile', '--session-key-file', 'SESSION_KEY_FILE', 'sessionKeyFile', '/etc/key'],
  ['proxyUserHeader', '--proxy-user-header', 'PROXY_USER_HEADER', 'proxyUserHeader', 'x-user'],
  [
    'proxyGroupsHeader',
    '--proxy-groups-header',
    'PROXY_GROUPS_HEADER',
    'proxyGroupsHeader',
    'x-groups',
  ],
];

for (const [name, flag, variable, key, text] of ROWS)
  test(`${name} is read alike from ${flag}, ${variable} and the file`, () => {
    assert.equal(loadConfig([`${flag}=${text}`], {}, () => '').config[name], text);
    assert.equal(loadConfig([], { [variable]: text }, () => '').config[name], text);
    const file = loadConfig(['--config=p.yaml'], {}, () => `${key}: ${text}`);
    assert.equal(file.config[name], text);
  });

test('a way to sign in that does not exist is refused, and those that do are named', () => {
  assert.throws(() => loadConfig(['--auth=basic'], {}, () => ''), {
    message: /^--auth: 'basic' is not one of none, tokens, oidc, proxy/,
    hint: 'for example tokens',
  });
});

test('proxies and the roles of groups are lists', () => {
  const flags = [
    '--trusted-proxies=10.0.0.0/8, ::1,fd00::/8',
    '--group-roles=a=b=viewer, ops = operator',
  ];
  const { config } = loadConfig(flags, {}, () => '');
  assert.deepEqual(config.trustedProxies, ['10.0.0.0/8', '::1', 'fd00::/8']);
  assert.deepEqual(
    [...config.groupRoles],
    [
      ['a=b', 'viewer'],
      ['ops', 'operator'],
    ],
  );
});

for (const flag of [
  '--oidc-issuer=http://login.example.com',
  '--oidc-issuer=https://me:secret@login.example.com',
  '--oidc-issuer=https://login.example.com/?a=b',
  '--oidc-issuer=login.example.com',
  '--oidc-audience=a b',
  '--public-url=http://costs.example.com',
  '--trusted-proxies=10.0.0.0/33',
  '--trusted-proxies=proxy.example.com',
  '--trusted-proxies=10.0.0.0/8/8',
  '--trusted-proxies=,',
  '--group-roles=ops',
  '--group-roles==viewer',
  '--group-roles=ops=root',
  '--group-roles=ops=viewer,ops=admin',
  '--proxy-user-header=a b',
])
  test(`${flag} is refused`, () => {
    assert.throws(() => loadConfig([flag], {}, () => ''), { name: 'Fault' });
  });
