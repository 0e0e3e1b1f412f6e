/** Answers to readers that pause longer than the engine's own deadline, wherever the socket became full. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stream } from '../../src/http/reply.ts';
import { dial, FRONT_ENDS, pause, serving } from './front-ends.ts';

/** The engine ends a connection 8 to 12 s after the last write that it knows to have failed. */
const PAUSE_MS = 13_000;
/** More than sockets on both sides hold. */
const LEAST_BYTES = 6 << 20;
/** Around the 256 bytes that the front end over uWebSockets.js holds back, and a slice of its. */
const CHUNK_BYTES = [200, 250, 255, 256, 257, 300, 513, 33_025];

async function* chunks(bytes: number): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(bytes).fill(97);
  const count = Math.ceil(LEAST_BYTES / bytes);
  for (let i = 0; i < count; i++) yield chunk;
}

/** Asks, reads nothing for a while, then all. @returns whether the answer ended as it should */
async function readLate(port: number, bytes: number): Promise<boolean> {
  const socket = await dial(port);
  socket.pause();
  socket.write(`GET /${bytes} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await pause(PAUSE_MS);
  let end = '';
  return await new Promise((resolve) => {
    const finish = (): void => {
      socket.destroy();
      resolve(end.endsWith('\r\n0\r\n\r\n'));
    };
    socket.on('data', (part: Buffer) => {
      end = (end + part.subarray(-8).toString('latin1')).slice(-8);
      if (end.endsWith('\r\n0\r\n\r\n')) finish();
    });
    socket.on('close', finish);
    socket.resume();
  });
}

describe('sockets that are full', { concurrency: true }, () => {
  for (const { name, frontEnd } of FRONT_ENDS) {
    test(`readers that pause 13 s get the rest from ${name}, whatever the length of chunks`, async () => {
      await serving(
        frontEnd,
        ({ path }) => stream('application/octet-stream', chunks(Number(path.slice(1)))),
        async ({ port }) => {
          const ended = await Promise.all(
            CHUNK_BYTES.map(async (bytes) => [bytes, await readLate(port, bytes)]),
          );
          assert.deepEqual(
            ended,
            CHUNK_BYTES.map((bytes) => [bytes, true]),
          );
        },
        { stallMs: 120_000 },
      );
    });
  }
});
