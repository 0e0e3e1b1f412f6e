/** How the server as users run it ends: readiness first, then the listener, and answers under way are whole. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { rowsPath, writeDays } from '../../bench/stream-store.ts';
import { pause } from '../http/front-ends.ts';
import {
  parsed,
  startServerProcess,
  type ServerProcess,
} from '../support/servers/server-process.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

/** As many long answers as the memory limit lets be read at once. */
const STREAMS = 100;
const SIZE = { days: 1, rows: 6000 };
/** Beyond what sockets on both sides hold before anything is read. */
const LEAST_BYTES = 4 << 20;
const FLAGS = ['--now=2024-07-01T00:00:00Z', '--workers=2', '--refresh=0', '--memory-limit=1Gi'];
const PATH = rowsPath(SIZE);

const home = mkdtempSync(join(tmpdir(), 'prorata-drain-'));
const days = FRONT_END_NAMES.map((name) => join(home, name));
before(async () => {
  for (const folder of days) {
    mkdirSync(folder);
    await writeDays(folder, SIZE);
  }
});
after(() => rmSync(home, { recursive: true, force: true }));

/** An answer that has begun, of which nothing is read before `rest`. */
interface Begun {
  readonly rest: () => Promise<string>;
}

/** Asks again where the server is too busy, as it says to. */
async function begin(url: string): Promise<Begun> {
  const asked = get(url, { agent: false, headers: { 'accept-encoding': 'identity' } });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  if (response.statusCode === 503) {
    response.resume();
    await pause(100);
    return await begin(url);
  }
  return {
    rest: () =>
      new Promise((resolve) => {
        let [bytes, crc] = [0, 0];
        response.on('data', (part: Uint8Array) => {
          bytes += part.length;
          crc = crc32(part, crc);
        });
        response.on('close', () => resolve(response.complete ? `${bytes} bytes ${crc}` : 'cut'));
      }),
  };
}

async function beginAll(server: ServerProcess, count: number): Promise<Begun[]> {
  const paths = Array.from({ length: count }, (_, i) => `${PATH}&limit=${SIZE.rows - (i % 2)}`);
  return await Promise.all(paths.map((path) => begin(server.url + path)));
}

async function statusOf(url: string): Promise<number | string> {
  const signal = AbortSignal.timeout(5000);
  return await fetch(url, { signal, headers: { connection: 'close' } }).then(
    async (reply) => {
      await reply.arrayBuffer();
      return reply.status;
    },
    () => 'refused',
  );
}

async function untilStatus(url: string, wanted: number | string): Promise<void> {
  let found = await statusOf(url);
  for (const end = Date.now() + 30_000; found !== wanted && Date.now() < end;) {
    await pause(20);
    found = await statusOf(url);
  }
  assert.equal(found, wanted, url);
}

for (const [i, frontEnd] of FRONT_END_NAMES.entries()) {
  const flags = [...FLAGS, `--front-end=${frontEnd}`, `--data-dir=${days[i]}`];

  describe(`after SIGTERM the server on ${frontEnd}`, () => {
    test(`P-L8: is not ready, still answers, then closes, and ends ${STREAMS} streams whole`, async () => {
      const server = await startServerProcess([...flags, '--drain-delay=6s', '--drain-timeout=2m']);
      const whole = await Promise.all((await beginAll(server, 2)).map(({ rest }) => rest()));
      assert.ok(Number.parseInt(whole[0] ?? '', 10) > LEAST_BYTES, whole[0]);
      const streams = await beginAll(server, STREAMS);
      const ended = server.stop();
      await untilStatus(`${server.url}/readyz`, 503);
      assert.equal(await statusOf(`${server.url}/healthz`), 200);
      assert.equal(await statusOf(`${server.url}${PATH}&limit=1`), 200);
      await untilStatus(`${server.url}/healthz`, 'refused');
      const rests = await Promise.all(streams.map(({ rest }) => rest()));
      for (const [at, rest] of rests.entries()) assert.equal(rest, whole[at % 2]);
      assert.equal(await ended, 0);
      assert.ok(!server.lines.some((line) => line.includes('cut off')));
    });

    test('cuts off what takes longer than the drain timeout, says so, and ends with 0', async () => {
      const server = await startServerProcess([...flags, '--drain-timeout=300ms']);
      const streams = await beginAll(server, 3);
      assert.equal(await server.stop(), 0);
      const rests = await Promise.all(streams.map(({ rest }) => rest()));
      assert.deepEqual(rests, ['cut', 'cut', 'cut']);
      const told = server.lines.flatMap(parsed).find(({ msg }) => msg.includes('were cut off'));
      assert.equal(told?.['answers'], 3);
    });

    test('ends at once at the second signal', async () => {
      const server = await startServerProcess([...flags, '--drain-delay=60s']);
      await beginAll(server, 1);
      const ended = server.stop();
      await untilStatus(`${server.url}/readyz`, 503);
      process.kill(server.pid, 'SIGTERM');
      assert.equal(await ended, 143);
    });
  });
}
