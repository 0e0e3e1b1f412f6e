/** What front ends tell of each request: its id, how it ended, and who asked. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bytes, stream } from '../../src/http/reply.ts';
import type { HttpHandler, Observer, Outcome } from '../../src/http/server.ts';
import { dial, exchange, FRONT_ENDS, until } from './front-ends.ts';

const VISIBLE = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
});

interface Seen extends Outcome {
  readonly id: string;
  readonly path: string;
  readonly peer: string;
}

interface Watching {
  readonly observer: Observer;
  readonly seen: Seen[];
  began: number;
  refused: number;
}

function watching(): Watching {
  const state: Watching = {
    seen: [],
    began: 0,
    refused: 0,
    observer: {
      began: (visit) => {
        state.began++;
        void visit.peer;
      },
      ended: ({ id, peer }, { path }, outcome) => state.seen.push({ id, path, peer, ...outcome }),
      refused: () => state.refused++,
      bodyRefused: assert.fail,
    },
  };
  return state;
}

async function* chunks(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(100_000);
}

const handler: HttpHandler = ({ path, visit }) => {
  if (path === '/throws') throw new Error('thrown');
  if (path === '/stream') return stream('a/b', chunks(10));
  if (path === '/endless') return stream('a/b', chunks(1e9));
  if (path === '/none') return { status: 304, headers: {}, body: '' };
  return bytes('a/b', visit.id);
};

for (const { name, frontEnd } of FRONT_ENDS) {
  describe(`the front end ${name}`, () => {
    const serve = async (
      use: (port: number, watched: Watching) => Promise<void>,
    ): Promise<void> => {
      const watched = watching();
      const options = { log: () => undefined, observer: watched.observer };
      const server = frontEnd(handler, options);
      try {
        await use(await server.listen('127.0.0.1', 0), watched);
      } finally {
        await server.close(0);
      }
    };
    const idOf = async (port: number, path: string, lines: string = ''): Promise<string> => {
      const head = `GET ${path} HTTP/1.1\r\nHost: a\r\n${lines}Connection: close\r\n\r\n`;
      const reply = await exchange(port, head);
      return /\r\nx-request-id: (.*)\r\n/i.exec(reply)?.[1] ?? '';
    };

    test('answers with the id that came, of every answer', async () => {
      await serve(async (port, { seen }) => {
        for (const path of ['/', '/throws', '/stream', '/none']) {
          assert.equal(await idOf(port, path, 'X-Request-ID: a/b:c=1+2@x\r\n'), 'a/b:c=1+2@x');
        }
        await until(() => seen.length === 4, 'all have ended');
        assert.ok(seen.every(({ id }) => id === 'a/b:c=1+2@x'));
      });
    });

    test('makes an id where none came, and each is another', async () => {
      await serve(async (port) => {
        const ids = await Promise.all(Array.from({ length: 20 }, () => idOf(port, '/')));
        assert.equal(new Set(ids).size, 20);
        for (const id of ids) assert.match(id, /^[0-9a-f]{16}-[0-9a-z]+$/);
      });
    });

    test('never answers with an id that could be taken for something else', async () => {
      await serve(async (port) => {
        await fc.assert(
          fc.asyncProperty(VISIBLE, async (sent) => {
            const id = await idOf(port, '/', `X-Request-Id: ${sent}\r\n`);
            if (/^[\w.:/+=@-]{1,128}$/.test(sent.trim())) assert.equal(id, sent.trim());
            else assert.match(id, /^[0-9a-f]{16}-[0-9a-z]+$/);
          }),
          { numRuns: 30 },
        );
        const tooLong = 'x'.repeat(129);
        assert.notEqual(await idOf(port, '/', `X-Request-Id: ${tooLong}\r\n`), tooLong);
      });
    });

    test('tells how each request ended, how long its body was, and who asked', async () => {
      await serve(async (port, watched) => {
        for (const [path, status, length] of [
          ['/stream', 200, 1_000_000],
          ['/none', 304, 0],
          ['/throws', 500, undefined],
        ] as const) {
          await idOf(port, path);
          await until(() => watched.seen.length === watched.began, `${path} has ended`);
          const last = watched.seen.at(-1);
          assert.equal(last?.path, path);
          assert.equal(last.status, status);
          assert.equal(last.isCut, false);
          assert.equal(last.peer, '127.0.0.1');
          assert.ok(last.ms > 0);
          if (length !== undefined) assert.equal(last.bytes, length);
        }
      });
    });

    test('tells of a client that left within the answer', async () => {
      await serve(async (port, { seen }) => {
        const socket = await dial(port);
        socket.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n');
        await new Promise((resolve) => void socket.once('data', resolve));
        socket.destroy();
        await until(() => seen.length === 1, 'it has ended');
        assert.equal(seen[0]?.isCut, true);
        assert.equal(seen[0]?.status, 200);
      });
    });

    test('tells of connections that it closed for what they sent', async () => {
      await serve(async (port, watched) => {
        await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
        assert.equal(watched.began, 0);
        assert.equal(watched.refused, 1);
      });
    });
  });
}
