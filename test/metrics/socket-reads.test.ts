/** Sockets read into reused memory: a waiting reader does not lose bytes that it has not taken. */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { createHttpClient } from '../../src/metrics/client/http-client.ts';

/** Byte `i` of all bodies. */
const byteAt = (i: number): number => (i ^ (i >> 8) ^ (i >> 16)) & 255;
const BODY = Uint8Array.from({ length: 4 * 1024 * 1024 }, (_, i) => byteAt(i));

/** Sends as many bytes of the body as the query says, in parts of the given length. */
const server = createServer((request, response) => {
  const query = new URL(request.url ?? '', 'http://store').searchParams;
  void send(response, Number(query.get('bytes')), Number(query.get('part')));
});
async function send(response: ServerResponse, bytes: number, part: number): Promise<void> {
  for (let i = 0; i < bytes; i += part) {
    response.write(BODY.subarray(i, Math.min(i + part, bytes)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

let origin = '';
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

/** Pauses of a reader in ms, after each so many chunks; 0 is none. */
interface Pace {
  readonly every: number;
  readonly ms: number;
}

/** @returns the body, and the number of pieces of memory it came in */
async function read(
  bytes: number,
  part: number,
  pace: Pace,
): Promise<{ body: Buffer; memories: number }> {
  const client = createHttpClient(origin, 1000);
  const path = `/?bytes=${bytes}&part=${part}`;
  const call = { method: 'GET', path, headers: {} } as const;
  const answer = await client.send(call, AbortSignal.timeout(20_000));
  const parts: Buffer[] = [];
  const memories = new Set<ArrayBufferLike>();
  let chunks = 0;
  await answer.body.pour((chunk) => {
    parts.push(Buffer.from(chunk));
    memories.add(chunk.buffer);
    if (pace.ms === 0 || ++chunks % pace.every > 0) return;
    answer.body.pause();
    void pause(pace.ms).then(() => answer.body.resume());
  });
  await client.close();
  return { body: Buffer.concat(parts), memories: memories.size };
}

test('a body is read as sent, for any chunks and pauses of the reader', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(600_000),
      fc.integer({ min: 5000, max: 200_000 }),
      fc.record({ every: fc.integer({ min: 1, max: 8 }), ms: fc.constantFrom(0, 1, 3) }),
      async (bytes, part, pace) => {
        const { body } = await read(bytes, part, pace);
        assert.equal(Buffer.compare(body, BODY.subarray(0, bytes)), 0);
      },
    ),
    { numRuns: 50 },
  );
});

test('a body of any length needs two pieces of memory if its reader does not pause', async () => {
  const { body, memories } = await read(BODY.length, 64 * 1024, { every: 1, ms: 0 });
  assert.equal(Buffer.compare(body, BODY), 0);
  assert.ok(memories <= 2, `${memories} pieces`);
});
