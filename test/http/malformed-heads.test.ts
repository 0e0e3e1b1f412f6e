import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytes } from '../../src/http/reply.ts';
import { parseQuery } from '../../src/http/params.ts';
import { exchange, FRONT_ENDS, serving } from './front-ends.ts';
import { openRouter } from '../support/servers/open-router.ts';

const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
/** An answer closes its connection, so that nobody has to guess when it is whole. */
const FINE = 'GET /fine HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const ANSWER_MS = 10_000;
const post = (headers: string): string => `POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`;
const get = (headers: string): string => `GET / HTTP/1.1\r\n${headers}\r\n\r\n`;

/** Heads that two readers could understand differently, each followed by a request in its packet. */
const HEADS: readonly [string, string][] = [
  ['two Content-Lengths that differ', post('Content-Length: 0\r\nContent-Length: 35')],
  ['two Content-Lengths that agree', post('Content-Length: 0\r\nContent-Length: 0')],
  ['a Content-Length list', post('Content-Length: 0, 0')],
  ['an empty Content-Length', post('Content-Length: ')],
  ['a signed Content-Length', post('Content-Length: +0')],
  ['a hexadecimal Content-Length', post('Content-Length: 0x0')],
  ['a negative Content-Length', post('Content-Length: -1')],
  ['a Content-Length beyond all numbers', post('Content-Length: 99999999999999999999')],
  ['a Transfer-Encoding of another name', post('Transfer-Encoding: xchunked')],
  ['a Transfer-Encoding list', post('Transfer-Encoding: gzip, chunked')],
  ['a Transfer-Encoding of nothing', post('Transfer-Encoding: identity')],
  ['two Transfer-Encodings', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity')],
  ['Content-Length and Transfer-Encoding', post('Content-Length: 5\r\nTransfer-Encoding: chunked')],
  ['two Hosts', get('Host: a\r\nHost: b')],
  ['no Host', get('X-A: b')],
  ['a header name with a space', get('Host: a\r\nX A: b')],
  ['a space before the colon', get('Host: a\r\nContent-Length : 5')],
  ['a folded header', get('Host: a\r\nX-A: b\r\n c')],
  ['NUL in a header', get('Host: a\r\nX-A: b\0c')],
  ['a bare CR in a header', get('Host: a\r\nX-A: b\rc')],
  ['no version', 'GET /\r\nHost: a\r\n\r\n'],
  ['a version to come', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
  ['an absolute target of another kind', 'GET ftp:// HTTP/1.1\r\n\r\n'],
  ['an empty header name before Host', get(': b\r\nHost: a')],
  ['no request at all', '\0\x01\x02\x03\r\n\r\n'],
];

const chunked = (body: string): string => post('Transfer-Encoding: chunked') + body;
const hidden = (header: string): string => post(`: b\r\n${header}`);

/**
 * Requests whose body two readers could end at different places, and damaged lines, each followed by a
 * request in its packet. The native engine ends its list of headers at an empty name and reads chunks
 * loosely: nothing here can tell. It takes a proxy that lets such bytes pass to make use of it, so that
 * node:http, which refuses them all, is the default where others than this machine ask.
 */
const FRAMES: readonly (readonly [what: string, text: string, isRunByUws?: boolean])[] = [
  ['a line that ends with LF alone', 'GET / HTTP/1.1\nHost: a\n\n'],
  ['a header that ends with LF alone', 'GET / HTTP/1.1\r\nHost: a\nX-A: b\r\n\r\n'],
  ['a head that ends with LF alone', 'GET / HTTP/1.1\r\nHost: a\r\n\n'],
  ['a length behind LF alone', get('Host: a\r\nX-A: b\nContent-Length: 5')],
  ['a line that ends with CR alone', 'GET / HTTP/1.1\rHost: a\r\r'],
  ['a line without a colon', get('Host: a\r\nX-A')],
  ['a control character in a name', get('Host: a\r\nX\x01A: b')],
  ['a control character in a value', get('Host: a\r\nX-A: \x01')],
  ['a bracket in a name', get('Host: a\r\nX(A: b')],
  ['a space in the target', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['two lengths apart', post('Content-Length: 0\r\nX-A: b\r\nContent-Length: 35')],
  ['a length that takes it for its body', post(`Content-Length: ${SMUGGLED.length}`)],
  ['a quoted Transfer-Encoding', `${post('Transfer-Encoding: "chunked"')}0\r\n\r\n`],
  [
    'a Transfer-Encoding after a vertical tab',
    `${post('Transfer-Encoding: \x0bchunked')}0\r\n\r\n`,
  ],
  ['a hexadecimal mark in the length of a chunk', chunked('0x1\r\na\r\n0\r\n\r\n')],
  ['a sign in the length of a chunk', chunked('+1\r\na\r\n0\r\n\r\n')],
  ['a chunk without length', chunked('\r\na\r\n0\r\n\r\n')],
  ['a chunk longer than all numbers', chunked('10000000000000001\r\na\r\n0\r\n\r\n')],
  ['a chunk longer than its length', chunked('1\r\nab\r\n0\r\n\r\n')],
  ['LF alone in an extension of a chunk', chunked('1;a\nb\r\na\r\n0\r\n\r\n')],
  ['a length among trailers', chunked('0\r\nContent-Length: 35\r\n\r\n')],
  ['LF alone after a trailer', chunked('0\r\nX-T: a\n\n')],
  ['an empty name that hides a length', hidden(`Content-Length: ${SMUGGLED.length}`), true],
  ['an empty name that hides chunks', hidden('Transfer-Encoding: chunked'), true],
  ['an empty name that hides a second Host', get('Host: a\r\n: b\r\nHost: b'), true],
  ['a space after the length of a chunk', chunked('1 \r\na\r\n0\r\n\r\n'), true],
  ['LF alone after the length of a chunk', chunked('1\na\r\n0\r\n\r\n'), true],
  ['LF alone after a chunk', chunked('1\r\na\n0\r\n\r\n'), true],
  ['other bytes where a chunk ends', chunked('1\r\naXX0\r\n\r\n'), true],
  ['a body that ends where trailers begin', chunked('0\r\n'), true],
];

for (const { name, frontEnd } of FRONT_ENDS) {
  describe(`the front end ${name} and damaged heads`, () => {
    for (const [what, head] of HEADS) {
      test(`S-1: neither answers 200 to ${what} nor runs the request behind it`, async () => {
        const seen: string[] = [];
        const handler = ({ path }: { path: string }): ReturnType<typeof bytes> => {
          seen.push(path);
          return bytes('text/plain', 'seen');
        };
        await serving(frontEnd, handler, async ({ port }) => {
          const text = await exchange(port, head + SMUGGLED, 60);
          assert.doesNotMatch(text, /HTTP\/1.1 200/);
          assert.deepEqual(seen, []);
          const after = await exchange(port, FINE, ANSWER_MS);
          assert.match(after, /^HTTP\/1.1 200 /);
          assert.equal(seen.length, 1);
        });
      });
    }

    for (const [what, text, isRunByUws = false] of FRAMES) {
      const isRun = name === 'uws' && isRunByUws;
      test(`S-1: ${isRun ? 'runs' : 'does not run'} the request behind ${what}`, async () => {
        const seen: string[] = [];
        const handler = ({ path }: { path: string }): ReturnType<typeof bytes> => {
          seen.push(path);
          return bytes('text/plain', 'seen');
        };
        await serving(frontEnd, handler, async ({ port }) => {
          await exchange(port, text + SMUGGLED, 60);
          assert.equal(seen.includes('/smuggled'), isRun, seen.join(' '));
          assert.match(await exchange(port, FINE, ANSWER_MS), /^HTTP\/1.1 200 /);
        });
      });
    }

    test('S-1: does not act on headers after an empty name', async () => {
      const seen: string[] = [];
      const handler = (request: { header(name: string): string }): ReturnType<typeof bytes> => {
        seen.push(request.header('x-a'));
        return bytes('text/plain', 'seen');
      };
      await serving(frontEnd, handler, async ({ port }) => {
        await exchange(port, get('Host: a\r\n: b\r\nX-A: c'), 60);
        assert.deepEqual(seen, name === 'uws' ? [''] : []);
      });
    });

    test('S-1: takes nothing of a trailer for a header', async () => {
      const seen: string[] = [];
      const handler = (request: { header(name: string): string }): ReturnType<typeof bytes> => {
        seen.push(request.header('x-a'));
        return bytes('text/plain', 'seen');
      };
      await serving(frontEnd, handler, async ({ port }) => {
        const text = await exchange(port, chunked('1\r\na\r\n0\r\nX-A: b\r\n\r\n'), 600);
        // The native engine takes no trailers at all.
        assert.match(text, name === 'uws' ? /^HTTP\/1.1 505 / : /^HTTP\/1.1 200 /);
        assert.deepEqual(seen, ['']);
      });
    });

    test('runs requests that follow one another in a packet', async () => {
      const handler = ({ path }: { path: string }): ReturnType<typeof bytes> => bytes('a/b', path);
      await serving(frontEnd, handler, async ({ port }) => {
        const body = 'POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc';
        const text = await exchange(port, body + SMUGGLED);
        assert.equal(text.match(/HTTP\/1.1 200/g)?.length, 2, text);
      });
    });

    test('S-4: accepts a header of 50 KB', async () => {
      const handler = (request: { header(name: string): string }): ReturnType<typeof bytes> =>
        bytes('text/plain', String(request.header('x-long').length));
      await serving(frontEnd, handler, async ({ url }) => {
        const reply = await fetch(url, { headers: { 'X-Long': 'x'.repeat(50_000) } });
        assert.equal(await reply.text(), '50000');
      });
    });

    const queries: readonly [number, number][] = [
      [32_000, 200],
      [40_000, 414],
      [60_000, 414],
      [100_000, 431],
      [1_000_000, 431],
    ];
    for (const [length, status] of queries) {
      test(`S-4: answers ${status} to a query of ${length} bytes and goes on`, async () => {
        const route = {
          method: 'GET',
          path: '/q',
          needs: 'nobody',
          scoping: 'unneeded',
          handle: (request: { query: string }): ReturnType<typeof bytes> =>
            bytes('text/plain', String(parseQuery(request.query).text('a')?.length)),
        } as const;
        await serving(
          frontEnd,
          openRouter([route], { log: assert.fail }),
          async ({ port, url }) => {
            const long = `GET /q?a=${'x'.repeat(length - 2)} HTTP/1.1\r\nHost: a\r\n\r\n`;
            assert.match(await exchange(port, long), new RegExp(`^HTTP/1.1 ${status} `));
            assert.equal(await (await fetch(`${url}/q?a=b`)).text(), '1');
          },
        );
      });
    }
  });
}
