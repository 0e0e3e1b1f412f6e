/** Entity tags: when who asks has the answer already. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fingerprint, tagged, taggedJson, unchanged } from '../../src/http/entity-tags.ts';
import type { HttpRequest } from '../../src/http/server.ts';

const asking = (known: string): HttpRequest => ({
  method: 'GET',
  path: '/',
  query: '',
  body: new Uint8Array(),
  signal: new AbortController().signal,
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
  test(`who says ${header || 'nothing'} ${isKnown ? 'has' : 'has not'} "a"`, () => {
    const same = unchanged(asking(header), { etag: '"a"', vary: 'accept' });
    const told = { status: 304, headers: { etag: '"a"', vary: 'accept' }, body: '' };
    assert.deepEqual(same, isKnown ? told : undefined);
    assert.equal(unchanged(asking(header), {}), undefined);
  });

test('a reply gets its tag beside its other headers', () => {
  const reply = { status: 200, headers: { vary: 'accept' }, body: 'x' };
  const headers = { vary: 'accept', etag: '"id"' };
  assert.deepEqual(tagged(asking(''), reply, 'id'), { ...reply, headers });
  assert.deepEqual(tagged(asking('"id"'), reply, 'id'), { status: 304, headers, body: '' });
});

test('JSON is known by its bytes, and only by them', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
      const { etag = '' } = taggedJson(asking(''), value).headers;
      assert.match(etag, /^"[\w-]{27}"$/);
      const isSame = JSON.stringify(value) === JSON.stringify(other);
      assert.equal(taggedJson(asking(etag), other).status, isSame ? 304 : 200);
      assert.equal(fingerprint(value) === fingerprint(other), isSame || value === JSON.stringify(other) || other === JSON.stringify(value)); // prettier-ignore
    }),
  );
});
