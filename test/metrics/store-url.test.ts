import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStoreUrl } from '../../src/metrics/client/store-url.ts';

const ROWS: readonly (readonly [text: string, origin: string, prefix: string, shown: string])[] = [
  ['http://localhost:9090', 'http://localhost:9090', '', 'http://localhost:9090'],
  ['http://localhost:9090/', 'http://localhost:9090', '', 'http://localhost:9090'],
  ['https://p.example/a/b//', 'https://p.example', '/a/b', 'https://p.example/a/b'],
  ['HTTP://P.Example:80', 'http://p.example', '', 'http://p.example'],
  ['http://[::1]:9090/x', 'http://[::1]:9090', '/x', 'http://[::1]:9090/x'],
  ['http://u:p@h:1/x/', 'http://h:1', '/x', 'http://***@h:1/x'],
];

for (const [text, origin, prefix, shown] of ROWS)
  test(`${text} is ${origin} with the prefix '${prefix}'`, () => {
    const url = parseStoreUrl(text);
    assert.deepEqual([url.origin, url.prefix, url.shown], [origin, prefix, shown]);
  });

test('credentials in the address become an Authorization header', () => {
  const { authorization } = parseStoreUrl('https://me:p%40ss@h');
  assert.equal(authorization, `Basic ${Buffer.from('me:p@ss').toString('base64')}`);
});

test('a password whose percent sign escapes nothing is taken as it stands', () => {
  const { authorization } = parseStoreUrl('https://me:50%off@h');
  assert.equal(authorization, `Basic ${Buffer.from('me:50%off').toString('base64')}`);
});

const REFUSED = [
  'localhost:9090',
  'ftp://h',
  '',
  'http://',
  'http://h/?a=secret',
  'http://h/#secret',
  'http://secret:secret@h:99999',
];

for (const text of REFUSED)
  test(`'${text}' is refused and shows no secret`, () => {
    assert.throws(
      () => parseStoreUrl(text),
      (error: Error) =>
        error.name === 'Fault' &&
        /metrics-url/.test(error.message) &&
        !/secret@|secret:|=secret/.test(error.message),
    );
  });
