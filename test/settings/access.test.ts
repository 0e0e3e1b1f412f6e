/** Settings of who may ask. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig, type Config } from '../../src/settings/config.ts';

const ROWS: readonly (readonly [keyof Config, string, string, string, string])[] = [
  ['auth', '--auth', 'AUTH', 'auth', 'tokens'],
  ['tokens', '--tokens', 'TOKENS_FILE', 'tokens', '/etc/prorata/tokens.yaml'],
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
    message: /^--auth: 'basic' is not one of none, tokens/,
    hint: 'for example tokens',
  });
});
