import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bytes, stream } from '../../src/http/reply.ts';
import type { HttpHandler } from '../../src/http/server.ts';
import { dial, exchange, FRONT_ENDS, pause, serving, until } from './front-ends.ts';
import { measured } from '../support/measured.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const MIB = 1024 * 1024;
/** An upper bound of both socket buffers on loopback, and a chunk. */
const IN_FLIGHT_BYTES = 24 * MIB;

interface Producer {
  readonly handler: HttpHandler;
  made: number;
  returned: number;
  aborted: boolean;
}

/** Yields one shared chunk up to `count` times, overwritten each time, and counts. */
function producer(count: number, chunkBytes: number = MIB): Producer {
  const memory = new Uint8Array(new SharedArrayBuffer(chunkBytes));
  const state: Producer = { handler, made: 0, returned: 0, aborted: false };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (; state.made < count;) {
        yield memory.fill(state.made++ & 255);
        memory.fill(255);
      }
    } finally {
      state.returned++;
    }
  }
  function handler(request: Parameters<HttpHandler>[0]): ReturnType<HttpHandler> {
    request.signal.addEventListener('abort', () => (state.aborted = true));
    return stream('application/octet-stream', chunks());
  }
  return state;
}

function expectedDigest(count: number, chunkBytes: number): string {
  const hash = createHash('sha1');
  for (let i = 0; i < count; i++) hash.update(Buffer.alloc(chunkBytes, i & 255));
  return hash.digest('hex');
}

async function digest(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const hash = createHash('sha1');
  for await (const part of body ?? []) hash.update(part);
  return hash.digest('hex');
}

/** Reads `limit` bytes and what comes with them, then lets the socket fill again. */
async function readSome(socket: Socket, limit: number): Promise<number> {
  let got = 0;
  while (got < limit) {
    const part: Buffer | null = socket.read() as Buffer | null;
    assert.ok(part !== null || !socket.closed, `closed after ${got} bytes`);
    if (part === null) await pause(1);
    else got += part.length;
  }
  return got;
}

for (const { name, frontEnd } of FRONT_ENDS) {
  describe(`the front end ${name} and answers in chunks`, () => {
    const sizes: readonly [number, number][] = [
      [0, 1],
      [1, 1],
      [1000, 7],
      [16, MIB],
      [40, 128 * 1024],
      [40, 128 * 1024 + 1],
    ];
    for (const [count, chunkBytes] of sizes) {
      test(`sends ${count} × ${chunkBytes} bytes whose memory is overwritten`, async () => {
        const made = producer(count, chunkBytes);
        await serving(frontEnd, made.handler, async ({ url }) => {
          const reply = await fetch(url);
          assert.equal(await digest(reply.body), expectedDigest(count, chunkBytes));
          assert.equal(made.returned, 1);
          assert.equal(made.aborted, false);
        });
      });
    }

    test('sends chunks of any sizes unchanged, also empty ones', async () => {
      let sizesBytes: readonly number[] = [];
      async function* chunks(): AsyncGenerator<Uint8Array> {
        for (const [i, size] of sizesBytes.entries()) yield Buffer.alloc(size, i);
      }
      await serving(
        frontEnd,
        () => stream('a/b', chunks()),
        async ({ url }) => {
          const anySize = fc.oneof(fc.nat(20), fc.nat(300_000));
          await fc.assert(
            fc.asyncProperty(fc.array(anySize, { maxLength: 12 }), async (sizes) => {
              sizesBytes = sizes;
              const got = Buffer.from(await (await fetch(url)).arrayBuffer());
              const parts = sizes.map((size, i) => Buffer.alloc(size, i));
              assert.ok(got.equals(Buffer.concat(parts)), 'not the same bytes');
            }),
            { numRuns: 40 },
          );
        },
      );
    });

    test('sends whole bodies of any size with their length', async () => {
      let body = Buffer.alloc(0);
      await serving(
        frontEnd,
        () => bytes('a/b', body),
        async ({ url }) => {
          for (const size of [0, 1, 16_384, 16_385, 131_072, 131_073, 20 * MIB]) {
            body = Buffer.alloc(size, size & 255);
            const reply = await fetch(url);
            assert.equal(reply.headers.get('content-length'), String(size));
            assert.ok(Buffer.from(await reply.arrayBuffer()).equals(body), String(size));
          }
        },
      );
    });

    test('P-L4: requests chunks only as a slow reader takes them', async () => {
      const made = producer(1000);
      await serving(frontEnd, made.handler, async ({ port }) => {
        const socket = await dial(port);
        socket.pause().write(GET);
        let got = 0;
        for (let round = 0; round < 12; round++) {
          got += await readSome(socket, 2 * MIB);
          await pause(5);
          assert.ok(made.made * MIB - got < IN_FLIGHT_BYTES, `${made.made} made, ${got} read`);
        }
        assert.ok(made.made >= 24, `${made.made} made`);
        socket.destroy();
        await until(() => made.returned === 1, 'the producer is stopped');
      });
    });

    test('P-L4: holds no memory for stalled readers', async (t) => {
      const producers = Array.from({ length: 8 }, () => producer(1000));
      let next = 0;
      const handler: HttpHandler = (request) =>
        producers[next++]?.handler(request) ?? bytes('', '');
      await serving(frontEnd, handler, async ({ port }) => {
        const before = process.memoryUsage().rss;
        const sockets = await Promise.all(producers.map(() => dial(port)));
        for (const socket of sockets) socket.pause().write(GET);
        await until(() => producers.every(({ made }) => made > 0), 'all began');
        await pause(200);
        const grownMiB = (process.memoryUsage().rss - before) / MIB;
        assert.ok(
          producers.every(({ made }) => made < 24),
          'producers stand still too',
        );
        assert.ok(grownMiB < 64, `${grownMiB} MiB`);
        measured(t, 'P-L4', `${grownMiB.toFixed(1)} MiB for 8 stalled readers (${name})`);
        for (const socket of sockets) socket.destroy();
        await until(() => producers.every(({ returned }) => returned === 1), 'all are stopped');
      });
    });

    test('stops the producer and aborts the signal when the client leaves', async () => {
      const made = producer(1e6);
      await serving(frontEnd, made.handler, async ({ port, logged }) => {
        const socket = await dial(port);
        socket.write(GET);
        await readSome(socket, 3 * MIB);
        socket.destroy();
        await until(() => made.returned === 1 && made.aborted, 'the producer is stopped');
        const then = made.made;
        await pause(30);
        assert.equal(made.made, then);
        assert.deepEqual(logged, []);
      });
    });

    test('calls return once on an iterator that is no generator', async () => {
      let returns = 0;
      const iterator: AsyncIterator<Uint8Array> = {
        next: () => Promise.resolve({ done: false, value: Buffer.alloc(MIB) }),
        return: () => Promise.resolve({ done: true, value: returns++ }),
      };
      const body = { [Symbol.asyncIterator]: () => iterator };
      await serving(
        frontEnd,
        () => stream('a/b', body),
        async ({ port }) => {
          const socket = await dial(port);
          socket.write(GET);
          await readSome(socket, MIB);
          socket.destroy();
          await until(() => returns > 0, 'return is called');
          await pause(20);
          assert.equal(returns, 1);
        },
      );
    });

    for (const after of [1, 5]) {
      test(`cuts the transfer when the body throws after ${after} chunks`, async () => {
        async function* chunks(): AsyncGenerator<Uint8Array> {
          for (let i = 0; i < after; i++) yield Buffer.from('some');
          await pause(1);
          throw new Error('torn');
        }
        await serving(
          frontEnd,
          () => stream('a/b', chunks()),
          async ({ port, url, logged }) => {
            const text = await exchange(port, GET);
            assert.match(text, /^HTTP\/1.1 200 /);
            assert.ok(!text.includes('0\r\n\r\n'), 'it is not ended as whole');
            await assert.rejects(async () => (await fetch(url)).text());
            assert.equal(logged.length, 2);
            assert.match(logged[0] ?? '', /^an answer broke off: GET \S+: Error: torn$/);
            const [, second = ''] = logged;
            assert.match(
              second,
              /^an answer broke off: GET .*, accept: .*, accept-encoding: .*: Error: torn$/,
            );
          },
        );
      });
    }

    const stalls: readonly [string, () => HttpHandler][] = [
      ['chunks', (): HttpHandler => producer(1000).handler],
      [
        'a whole body',
        (): HttpHandler => (): ReturnType<typeof bytes> => bytes('a/b', Buffer.alloc(64 * MIB)),
      ],
    ];
    for (const [what, make] of stalls) {
      test(`P-L5: cuts off a reader that takes nothing of ${what} for its time`, async () => {
        const signals: AbortSignal[] = [];
        const handler = make();
        const watched: HttpHandler = (request) => {
          signals.push(request.signal);
          return handler(request);
        };
        await serving(
          frontEnd,
          watched,
          async ({ port }) => {
            const socket = await dial(port);
            socket.pause().write(GET);
            await until(() => signals[0]?.aborted === true, 'it is cut off');
            socket.destroy();
          },
          { stallMs: 100 },
        );
      });
    }

    test('P-L8: lets a running stream finish on close', async () => {
      const made = producer(16);
      const server = frontEnd(made.handler);
      const port = await server.listen('127.0.0.1', 0);
      const reply = await fetch(`http://127.0.0.1:${port}`);
      const closed = server.close(5000);
      assert.equal(await digest(reply.body), expectedDigest(16, MIB));
      await closed;
    });
  });
}
