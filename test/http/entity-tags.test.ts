/** Entity tags: whether a client has the answer already. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fingerprint, unchanged } from '../../src/http/entity-tags.ts';
import { ownVisit } from '../../src/http/visit.ts';
import type { HttpRequest } from '../../src/http/server.ts';

const asking = (known: string): HttpRequest => ({
  method: 'GET',
  path: '/',
  query: '',
  body: new Uint8Array(),
  signal: new AbortController().signal,
  visit: ownVisit(),
  header: (name) => (name === 'if-none-match' ? known : ''),
});

const KNOWN: readonly (readonly [header: string, isKnown: boolean])[] = [
  ['', false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b"', false],
  ['"b" , "a"', true],
  ['*', true],
  ['a', false],
  ['"A"', false],
];
for (const [header, isKnown] of KNOWN)
  test(`a request with ${header || 'nothing'} ${isKnown ? 'has' : 'does not have'} "a"`, () => {
    const same = unchanged(asking(header), { etag: '"a"', vary: 'accept' });
    const notModified = { status: 304, headers: { etag: '"a"', vary: 'accept' }, body: '' };
    assert.deepEqual(same, isKnown ? notModified : undefined);
    assert.equal(unchanged(asking(header), {}), undefined);
  });

test('parts have the same fingerprint only if they are the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
      assert.match(fingerprint(value), /^[\w-]{27}$/);
      const isSame = JSON.stringify(value) === JSON.stringify(other);
      assert.equal(
        fingerprint(value) === fingerprint(other),
        isSame || value === JSON.stringify(other) || other === JSON.stringify(value),
      );
    }),
  );
});
