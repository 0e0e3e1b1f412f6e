import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '../../src/query/fault.ts';
import { bytes, json } from '../../src/http/reply.ts';
import type { HttpHandler, HttpReply, HttpRequest } from '../../src/http/server.ts';
import { exchange, FRONT_ENDS, pause, serving } from './front-ends.ts';

const hello: HttpHandler = () => bytes('text/plain', 'hello');
const INTERNAL = { code: 500, message: 'internal error', data: null };

for (const { name, frontEnd } of FRONT_ENDS) {
  describe(`the front end ${name}`, () => {
    test('passes on method, decoded path, raw query and headers', async () => {
      const handler: HttpHandler = (request) =>
        json([
          request.method,
          request.path,
          request.query,
          request.header('x-a'),
          request.header('x-b'),
        ]);
      await serving(frontEnd, handler, async ({ url }) => {
        const reply = await fetch(`${url}/a%20b?x=%zz&y`, { headers: { 'X-A': 'one' } });
        assert.deepEqual(await reply.json(), ['GET', '/a b', 'x=%zz&y', 'one', '']);
      });
    });

    test('tells how long a connection may rest, less than it is kept, unless it closes', async () => {
      await serving(frontEnd, hello, async ({ port }) => {
        const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
        const told = /\r\nkeep-alive: timeout=7\r\n/gi;
        assert.equal([...(await exchange(port, get)).matchAll(told)].length, 1);
        const tooLong = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n`;
        const closing = await exchange(port, tooLong);
        assert.match(closing, /^HTTP\/1.1 413 /);
        assert.doesNotMatch(closing, /keep-alive/i);
      });
    });

    const paths: readonly [string, string][] = [
      ['/', '/'],
      ['/%C3%A9', '/é'],
      ['/%zz', '/%zz'],
      ['/a%2fb', '/a%2fb'],
      ['/%00', '/%00'],
      ['//a/../b', '//a/../b'],
    ];
    test('leaves a path unchanged if its encoding is damaged or hides a slash', async () => {
      await serving(
        frontEnd,
        (request) => json(request.path),
        async ({ port }) => {
          for (const [sent, seen] of paths) {
            const text = await exchange(port, `GET ${sent} HTTP/1.1\r\nHost: a\r\n\r\n`);
            const body = Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1').toString();
            assert.equal(body, JSON.stringify(seen), sent);
          }
        },
      );
    });

    test('S-17, S-19: answers with status, headers, length and the security headers', async () => {
      const handler: HttpHandler = () => ({ status: 201, headers: { 'X-A': 'b c' }, body: 'é' });
      await serving(frontEnd, handler, async ({ url }) => {
        const reply = await fetch(url);
        assert.equal(reply.status, 201);
        assert.equal(reply.headers.get('x-a'), 'b c');
        assert.equal(reply.headers.get('content-length'), '2');
        assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
        assert.equal(reply.headers.get('uwebsockets'), null);
        assert.equal(await reply.text(), 'é');
      });
    });

    test('answers HEAD like GET, without the body and without starting a stream', async () => {
      let started = 0;
      async function* chunks(): AsyncGenerator<Uint8Array> {
        started++;
        yield Buffer.from('abc');
      }
      const handler: HttpHandler = ({ path }) =>
        path === '/stream'
          ? { status: 200, headers: { 'x-s': '1' }, body: chunks() }
          : hello({} as HttpRequest);
      await serving(frontEnd, handler, async ({ port }) => {
        const two = 'HEAD / HTTP/1.1\r\nHost: a\r\n\r\n';
        const text = await exchange(port, two);
        assert.match(text, /^HTTP\/1.1 200 OK\r\n/);
        assert.match(text, /content-length: 5\r\n/i);
        assert.ok(text.endsWith('\r\n\r\n'), text);
        const streamed = await exchange(port, 'HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n');
        assert.match(streamed, /x-s: 1\r\n/);
        assert.ok(streamed.endsWith('\r\n\r\n'), streamed);
        assert.equal(started, 0);
      });
    });

    test('keeps the connection after HEAD, 204 and whole answers', async () => {
      const handler: HttpHandler = ({ path }) => ({
        status: path === '/none' ? 204 : 200,
        headers: {},
        body: path === '/none' ? '' : path,
      });
      await serving(frontEnd, handler, async ({ port }) => {
        const ask = (line: string): string => `${line} HTTP/1.1\r\nHost: a\r\n\r\n`;
        const text = await exchange(port, ask('HEAD /1') + ask('GET /none') + ask('GET /3'));
        assert.equal(text.match(/HTTP\/1.1 20[04]/g)?.length, 3, text);
        assert.ok(text.endsWith('\r\n\r\n/3'), text);
      });
    });

    const failures: readonly [string, HttpHandler, number, object][] = [
      [
        'throws',
        () => {
          throw new Error('secret');
        },
        500,
        INTERNAL,
      ],
      [
        'rejects',
        async () => {
          await pause(1);
          throw new Error('secret');
        },
        500,
        INTERNAL,
      ],
      [
        'throws what is no error',
        () => {
          throw 'secret';
        },
        500,
        INTERNAL,
      ],
      ['returns nothing', () => undefined as unknown as HttpReply, 500, INTERNAL],
      [
        'sends CR LF in a header',
        () => ({ status: 200, headers: { a: 'b\r\nset-cookie: c' }, body: '' }),
        500,
        INTERNAL,
      ],
      [
        'sends a letter beyond ASCII in a header',
        () => ({ status: 200, headers: { a: 'é' }, body: '' }),
        500,
        INTERNAL,
      ],
      [
        'sends CR LF in a header name',
        () => ({ status: 200, headers: { 'a\r\nb': 'c' }, body: '' }),
        500,
        INTERNAL,
      ],
      [
        'sends a Content-Length',
        async () => ({ status: 200, headers: { 'Content-Length': '3' }, body: '' }),
        500,
        INTERNAL,
      ],
      [
        'cannot reach the store',
        () => {
          throw new Unavailable('cannot read a: down', { retryAfterSeconds: 2.1 });
        },
        503,
        { code: 503, message: 'cannot read a: down', data: null },
      ],
      [
        'fails before its first chunk',
        () => ({ status: 200, headers: {}, body: failing() }),
        503,
        { code: 503, message: 'cannot start', data: null },
      ],
    ];
    for (const [what, handler, status, body] of failures) {
      test(`answers ${status} in the one error form when a handler ${what}`, async () => {
        await serving(frontEnd, handler, async ({ url, logged }) => {
          const reply = await fetch(url);
          assert.equal(reply.status, status);
          assert.equal(reply.headers.get('content-type'), 'application/json');
          assert.equal(reply.headers.get('set-cookie'), null);
          assert.deepEqual(await reply.json(), body);
          assert.equal(logged.length, status === 500 ? 1 : 0);
        });
      });
    }

    test('passes on a body, sent with a length or in chunks', async () => {
      await serving(
        frontEnd,
        ({ body }) => bytes('text/plain', Buffer.from(body)),
        async (served) => {
          const sent = 'abc'.repeat(100_000);
          const reply = await fetch(served.url, { method: 'POST', body: sent });
          assert.equal(await reply.text(), sent);
          const chunked =
            'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n' +
            '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n';
          assert.ok(
            (await exchange(served.port, chunked)).endsWith('\r\n\r\nabcde'),
            'another body',
          );
        },
      );
    });
  });
}

// oxlint-disable-next-line require-yield -- it fails before
async function* failing(): AsyncGenerator<Uint8Array> {
  throw new Unavailable('cannot start');
}
