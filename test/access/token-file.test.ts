/** The file of tokens: what it may hold, and how a mistake is named. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTokens } from '../../src/access/token-file.ts';
import { checkScope } from '../../src/server/access/scopes.ts';
import { Fault } from '../../src/query/index.ts';

const A = 'a'.repeat(64);
const B = `${'0'.repeat(63)}B`;

test('tokens are read in both styles of YAML, one role with or without brackets', () => {
  const text = `
- {name: ci, sha256: ${A}, roles: [viewer, editor, viewer]}
- name: "Ana: finance"
  sha256: "${B}"
  roles: admin
  filter: namespace:"web"+cluster!:"test"
  idle: true
  expires: 2027-01-01T00:00:00Z
`;
  const tokens = readTokens(text, 'tokens.yaml', checkScope);
  assert.deepEqual(
    tokens.map(({ caller }) => caller),
    [
      { name: 'ci', roles: ['viewer', 'editor'], filter: null, expiresMs: null, isSignedIn: true },
      {
        name: 'Ana: finance',
        roles: ['admin'],
        filter: 'namespace:"web"+cluster!:"test"',
        seesIdle: true,
        expiresMs: Date.UTC(2027, 0),
        isSignedIn: true,
      },
    ],
  );
  assert.deepEqual(
    tokens.map(({ digest }) => Buffer.from(digest).toString('hex')),
    [A, B.toLowerCase()],
  );
});

test('an empty list lets nobody in, which is no mistake', () => {
  assert.deepEqual(readTokens('[]', 'tokens.yaml', checkScope), []);
});

const entry = (more: string): string => `# ours\n- {name: ci, sha256: ${A}, ${more}}\n`;

const BROKEN: readonly (readonly [name: string, text: string, message: RegExp])[] = [
  ['an empty file, as while it is written', '', /^t\.yaml is not a list of tokens$/],
  ['a map', `name: ci\nsha256: ${A}\n`, /^t\.yaml is not a list of tokens$/],
  ['a text in the place of a token', '- ci\n', /^t\.yaml, line 1: a token has the keys name, /],
  ['an unclosed bracket', '- {name: ci', /^t\.yaml is no YAML: .*at line 1, column 12/s],
  ['a key twice', `- {name: a, name: b}`, /^t\.yaml is no YAML: .*unique.*line 1/s],
  ['an alias', `- &a {name: ci}\n- *a\n`, /^t\.yaml, line \d: a token without sha256|alias/],
  ['an unknown key', entry('role: viewer'), /^t\.yaml, line 2: 'role' is no key of a token/],
  ['no roles', `\n\n- name: ci\n  sha256: ${A}\n`, /^t\.yaml, line 3: a token without roles/],
  ['no digest', '- {name: ci, roles: viewer}', /^t\.yaml, line 1: a token without sha256/],
  ['no name', `- {sha256: ${A}, roles: viewer}`, /^t\.yaml, line 1: a token without name/],
  ['roles that are empty', entry('roles: []'), /^t\.yaml, line 2: roles is not a list of viewer/],
  ['an unknown role', entry('roles: [viewer, root]'), /^t\.yaml, line 2: roles is not/],
  ['a role in capitals', entry('roles: Viewer'), /^t\.yaml, line 2: roles is not/],
  ['an end without a zone', entry('roles: viewer, expires: 2027-01-01'), /line 2: expires is not/],
  ['an end that is a list', entry('roles: viewer, expires: [a]'), /line 2: expires is not/],
  [
    'idle that is neither true nor false',
    entry(`roles: viewer, filter: 'pod:"a"', idle: 1`),
    /line 2: idle is not true or false/,
  ],
  [
    'idle without a filter',
    entry('roles: viewer, idle: false'),
    /line 2: idle is for tokens with a filter$/,
  ],
  ['an empty filter', entry("roles: viewer, filter: ''"), /line 2: filter is not a filter of rows/],
  ['a filter of blanks', entry("roles: viewer, filter: '  '"), /line 2: filter is not a filter/],
  [
    'a broken filter',
    entry("roles: viewer, filter: 'namespace:'"),
    /line 2: filter namespace:: the end/,
  ],
  [
    'a filter of no field',
    entry('roles: viewer, filter: "shop:a"'),
    /line 2: filter shop:a: 'shop' .* is not one of cluster/,
  ],
  [
    'a filter that allocations and assets read differently',
    entry('roles: viewer, filter: "provider:AWS"'),
    /filter provider:AWS: it is providerID:"AWS" for allocations and provider:"AWS" for assets/,
  ],
  [
    'a filter of a service, of Kubernetes or of a cloud',
    entry('roles: viewer, filter: "service!:web"'),
    /it is services!:"web" for allocations and service!:"web" for assets/,
  ],
  [
    'a filter of too many comparisons',
    entry(
      `roles: viewer, filter: '${Array.from({ length: 101 }, (_, i) => `(namespace:n${i}+pod:p)`).join('|')}'`,
    ),
    /202 comparisons, at most 100/,
  ],
  [
    'a digest that is too short',
    '- name: ci\n  sha256: abc\n  roles: viewer\n',
    /^t\.yaml, line 2: sha256 is not the SHA-256 of a token as 64 hexadecimal digits$/,
  ],
  [
    'a name twice',
    `- {name: ci, sha256: ${A}, roles: viewer}\n- {name: ci, sha256: ${B}, roles: viewer}`,
    /^t\.yaml, line 2: name is that of a token before it$/,
  ],
  [
    'a digest twice, in another case',
    `- {name: a, sha256: ${A}, roles: viewer}\n- {name: b, sha256: ${A.toUpperCase()}, roles: admin}`,
    /^t\.yaml, line 2: sha256 is that of a token before it$/,
  ],
  [
    'too many tokens',
    `- {name: ci, sha256: ${A}, roles: viewer}\n`.repeat(1001),
    /^t\.yaml has 1001 tokens, at most 1000 are accepted$/,
  ],
];

for (const [name, text, message] of BROKEN) {
  test(`a file with ${name} is refused by line and key`, () => {
    assert.throws(
      () => readTokens(text, 't.yaml', checkScope),
      (error: unknown) => {
        assert.ok(error instanceof Fault, String(error));
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

test('a mistake shows no digest', () => {
  const secret = `${'5'.repeat(63)}x`;
  assert.throws(
    () => readTokens(`- {name: ci, sha256: ${secret}, roles: viewer}`, 't.yaml', checkScope),
    (error: Error) => error.message.includes('line 1') && !error.message.includes('5555'),
  );
});
