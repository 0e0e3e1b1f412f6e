import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkedHeaders } from '../../src/http/reply-head.ts';
import {
  declaredBodyBytes,
  decodePath,
  headBytes,
  readHeaders,
} from '../../src/http/request-head.ts';
import { anyUnicode } from '../support/arbitraries/unicode.ts';

test('a head is read into lower-case names, repeated values joined', () => {
  const raw = ['Host', 'a', 'Accept', 'x/y', 'ACCEPT', 'z', 'X-Empty', '', 'X-Tab', 'a\tb'];
  assert.deepEqual(
    [...(readHeaders(raw)?.headers ?? [])],
    [
      ['host', 'a'],
      ['accept', 'x/y, z'],
      ['x-empty', ''],
      ['x-tab', 'a\tb'],
    ],
  );
  assert.deepEqual([...(readHeaders(raw)?.repeated ?? [])], ['accept']);
});

test('S-1: a head that frames its body in two ways, or in an unknown one, is refused', () => {
  const rows: readonly (readonly string[])[] = [
    ['Content-Length', '1', 'content-length', '1'],
    ['Content-Length', ''],
    ['Content-Length', '1,1'],
    ['Content-Length', '+1'],
    ['Content-Length', '1e3'],
    ['Content-Length', '9'.repeat(16)],
    ['Transfer-Encoding', ''],
    ['Transfer-Encoding', 'xchunked'],
    ['Transfer-Encoding', 'chunked, chunked'],
    ['Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked'],
    ['Transfer-Encoding', 'chunked', 'Content-Length', '0'],
    ['Host', 'a', 'HOST', 'a'],
    ['', 'a'],
    ['a b', 'c'],
    ['a', 'b\0'],
    ['a', 'b\rc'],
    ['a', 'b\nc'],
  ];
  for (const raw of rows) assert.equal(readHeaders(raw), undefined, JSON.stringify(raw));
});

test('the declared length of a body is nothing, a number or unknown', () => {
  const rows: readonly [string[], number][] = [
    [[], 0],
    [['Content-Length', '0'], 0],
    [['Content-Length', '0012'], 12],
    [['Transfer-Encoding', 'Chunked'], Infinity],
  ];
  for (const [raw, length] of rows) {
    assert.equal(declaredBodyBytes(readHeaders(raw)?.headers ?? new Map()), length);
  }
});

test('the size of a head counts all its bytes', () => {
  const head = {
    method: 'GET',
    path: '/a',
    query: 'b=c',
    headers: new Map([['host', 'd']]),
    repeated: new Set<string>(),
  };
  // The question mark counts also without a query.
  assert.equal(headBytes(head), 'GET /a?b=c HTTP/1.1\r\nhost: d\r\n\r\n'.length);
});

test('a path is decoded unless its encoding is damaged or hides a slash', () => {
  const rows: readonly [string, string][] = [
    ['/a', '/a'],
    ['/a%20b', '/a b'],
    ['/%C3%A9', '/é'],
    ['/a%2Fb', '/a%2Fb'],
    ['/a%2fb', '/a%2fb'],
    ['/a%5cb', '/a%5cb'],
    ['/a%00', '/a%00'],
    ['/%', '/%'],
    ['/%C0%AF', '/%C0%AF'],
    ['/a+b', '/a+b'],
  ];
  for (const [raw, path] of rows) assert.equal(decodePath(raw), path);
});

test('S-2: a header that is not visible ASCII on one line is never sent', () => {
  const text = fc.oneof(
    fc.string(),
    anyUnicode(),
    fc.constantFrom('a\r\nb', '\n', '\r', '\0', 'é', '\x7f'),
  );
  fc.assert(
    fc.property(text, text, (name, value) => {
      try {
        const headers = checkedHeaders({ [name]: value });
        assert.equal(headers.get(name.toLowerCase()), value);
        assert.match(name, /^[0-9A-Za-z-]+$/);
        assert.match(value, /^[ -~]*$/);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        assert.match(String(error), /^Error: BUG: /);
      }
    }),
    { numRuns: 2000 },
  );
});

test('S-2: headers that engines write are refused, in upper and lower case', () => {
  for (const name of [
    'Content-Length',
    'content-length',
    'TRANSFER-ENCODING',
    'Connection',
    'Date',
  ]) {
    assert.throws(() => checkedHeaders({ [name]: '1' }), /^Error: BUG: a reply may not carry/);
  }
});

test('security headers are there unless the reply has its own', () => {
  assert.equal(checkedHeaders({}).get('x-content-type-options'), 'nosniff');
  assert.match(checkedHeaders({}).get('content-security-policy') ?? '', /frame-ancestors 'none'/);
  const own = checkedHeaders({ 'Content-Security-Policy': "default-src 'none'" });
  assert.equal(own.get('content-security-policy'), "default-src 'none'");
});
