import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '../../src/query/fault.ts';
import { bytes, json } from '../../src/http/reply.ts';
import type { BeforeBody, HttpHandler, HttpReply, HttpRequest } from '../../src/http/server.ts';
import { exchange, FRONT_ENDS, pause, serving, until } from './front-ends.ts';

const hello: HttpHandler = () => bytes('text/plain', 'hello');
const never: HttpHandler = () => new Promise<HttpReply>(() => undefined);

for (const { name, frontEnd } of FRONT_ENDS) {
  describe(`the front end ${name} and its limits`, () => {
    test('refuses a body over the limit with 413, with or without a declared length', async () => {
      let calls = 0;
      const handler: HttpHandler = () => json(calls++);
      const limits = { bodyMaxBytes: 1000 };
      await serving(
        frontEnd,
        handler,
        async ({ port }) => {
          const declared = await exchange(
            port,
            `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n`,
          );
          const chunk = `400\r\n${'x'.repeat(0x400)}\r\n`;
          const found = await exchange(
            port,
            `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
          );
          for (const text of [declared, found]) {
            assert.match(text, /^HTTP\/1.1 413 /);
            assert.match(text, /connection: close/i);
            assert.match(text, /"message":"the body has more than 1000 bytes"/);
          }
          assert.equal(calls, 0);
        },
        limits,
      );
    });

    test('refuses bodies that other bodies leave no room for with 503, until those are answered', async () => {
      const answers: (() => void)[] = [];
      const handler: HttpHandler = () =>
        new Promise((resolve) => answers.push(() => resolve(bytes('text/plain', 'kept'))));
      const limits = { bodyMaxBytes: 1000, inboundBytes: 2500 };
      const post = (port: number, length: number): Promise<string> =>
        exchange(
          port,
          `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`,
          2000,
        );
      await serving(
        frontEnd,
        handler,
        async ({ port }) => {
          const first = [post(port, 1000), post(port, 1000)];
          await until(() => answers.length === 2, 'two bodies have come');
          const refused = await post(port, 600);
          assert.match(refused, /^HTTP\/1.1 503 /);
          assert.match(refused, /retry-after: 1\r\n/i);
          assert.match(refused, /other bodies that are under way leave no room for this one/);
          const small = post(port, 500);
          await until(() => answers.length === 3, 'a small one has come');
          for (const answer of answers) answer();
          for (const text of await Promise.all([...first, small])) assert.match(text, /200 OK/);
          const again = post(port, 1000);
          await until(() => answers.length === 4, 'there is room again');
          answers.at(-1)?.();
          assert.match(await again, /200 OK/);
        },
        limits,
      );
    });

    test('answers by the head alone who may not ask, before a byte of the body has come', async () => {
      let calls = 0;
      const handler: HttpHandler = () => json(calls++);
      const refusal = { ...json({ message: 'who asks has to sign in' }), status: 401 };
      for (const late of [false, true]) {
        const beforeBody: BeforeBody = (request) => {
          assert.equal(request.body.length, 0);
          const reply = request.header('x-token') === '' ? refusal : undefined;
          return late ? pause(5).then(() => reply) : reply;
        };
        await serving(
          frontEnd,
          handler,
          async ({ port }) => {
            const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n';
            const text = await exchange(port, `${head}\r\n`, 1000);
            assert.match(text, /^HTTP\/1.1 401 /);
            assert.match(text, /connection: close/i);
            assert.equal(calls, 0);
            const known = await exchange(port, `${head}X-Token: a\r\n\r\n${'x'.repeat(9000)}`);
            assert.match(known, /^HTTP\/1.1 200 /);
            assert.equal(calls, 1);
            calls = 0;
          },
          {},
          { beforeBody },
        );
      }
    });

    test('S-3: refuses a body that takes longer than its time with 408', async () => {
      await serving(
        frontEnd,
        hello,
        async ({ port }) => {
          const text = await exchange(
            port,
            'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc',
            1000,
          );
          assert.match(text, /^HTTP\/1.1 408 /);
        },
        { bodyMs: 50 },
      );
    });

    test('answers 503 and aborts the signal when the deadline passes', async () => {
      const signals: AbortSignal[] = [];
      const handler: HttpHandler = (request) => {
        signals.push(request.signal);
        return never(request);
      };
      await serving(
        frontEnd,
        handler,
        async ({ url }) => {
          const reply = await fetch(url);
          assert.equal(reply.status, 503);
          assert.deepEqual(await reply.json(), {
            code: 503,
            message: 'there was no answer within 0.05 s',
            data: null,
            hint: 'ask for less at once',
          });
          assert.equal(signals[0]?.aborted, true);
        },
        { answerMs: 50 },
      );
    });

    test('P-L6: aborts the signal when the client leaves, also a signal that is first used later', async () => {
      const seen: HttpRequest[] = [];
      const handler: HttpHandler = (request) => {
        seen.push(request);
        if (request.path === '/early') request.signal.throwIfAborted();
        return never(request);
      };
      await serving(frontEnd, handler, async ({ port }) => {
        await exchange(port, 'GET /early HTTP/1.1\r\nHost: a\r\n\r\n', 20);
        await exchange(port, 'GET /late HTTP/1.1\r\nHost: a\r\n\r\n', 20);
        await until(() => seen.every(({ signal }) => signal.aborted), 'both are aborted');
        assert.equal(seen.length, 2);
      });
    });

    test('P-O6: reports clearly that a port is in use', async () => {
      await serving(frontEnd, hello, async ({ port }) => {
        await assert.rejects(frontEnd(hello).listen('127.0.0.1', port), (error) => {
          assert.ok(error instanceof Unavailable, String(error));
          assert.match(
            error.message,
            new RegExp(`^cannot listen on 127.0.0.1:${port}: it is taken`),
          );
          return true;
        });
      });
    });

    test('P-L8: lets running answers finish on close, and accepts no new connection', async () => {
      const gate: { open?: () => void } = {};
      const handler: HttpHandler = () =>
        new Promise(
          (resolve) => void (gate.open = (): void => resolve(bytes('a/b', 'x'.repeat(3_000_000)))),
        );
      const server = frontEnd(handler);
      const port = await server.listen('127.0.0.1', 0);
      const running = fetch(`http://127.0.0.1:${port}`).then((reply) => reply.text());
      await until(() => gate.open !== undefined, 'the handler runs');
      const closed = server.close(5000);
      await pause(20);
      await assert.rejects(fetch(`http://127.0.0.1:${port}`));
      gate.open?.();
      assert.equal((await running).length, 3_000_000);
      await closed;
    });

    test('aborts the remaining answers when the grace period of close is over', async () => {
      const signals: AbortSignal[] = [];
      const server = frontEnd((request) => {
        signals.push(request.signal);
        return never(request);
      });
      const port = await server.listen('127.0.0.1', 0);
      const running = assert.rejects(fetch(`http://127.0.0.1:${port}`));
      await until(() => signals.length === 1, 'the handler runs');
      await server.close(20);
      await running;
      assert.equal(signals[0]?.aborted, true);
    });
  });
}
