/** Long answers over real sockets: the same bytes whoever reads how, in memory that does not grow. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { rowsPath, writeDays } from '../../../bench/stream-store.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { startOwnServer, type OwnServer } from '../../support/servers/own-server.ts';

const SIZE = { days: 3, rows: 6000 };
const NOW = '--now=2024-07-01T00:00:00Z';
const PATH = rowsPath(SIZE);
const SLOTS_BYTES = 16 << 20;
const LEAST_BYTES = 64 << 10;

const folder = mkdtempSync(join(tmpdir(), 'prorata-streamed-'));
const hash = (text: string): string => createHash('sha1').update(text).digest('hex');
const flags = (workers: number): string[] => [
  `--data-dir=${folder}`,
  NOW,
  '--timezone=UTC',
  `--workers=${workers}`,
  '--memory-limit=512Mi',
];

const ARENA_BYTES = loadConfig(flags(2), {}, () => '').config.memory.arenaBytes;

before(() => writeDays(folder, SIZE));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Asks, and reads nothing. */
function stalled({ url }: OwnServer, path: string = PATH): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  socket.pause().write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
  return socket;
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    if (isSo()) return;
    await sleep(20);
  }
  assert.fail(`not in time: ${what}`);
}

/** Bytes that are held once nothing more is taken for half a second. */
async function settledBytes(server: OwnServer): Promise<number> {
  let [bytes, times] = [server.usedBytes(), 0];
  for (; times < 25; times++) {
    await sleep(20);
    if (server.usedBytes() === bytes) continue;
    [bytes, times] = [server.usedBytes(), 0];
  }
  return bytes;
}

/** The body, read in pauses, so that the socket fills again and again. */
async function readHaltingly(server: OwnServer): Promise<string> {
  const response = await fetch(server.url + PATH);
  const digest = createHash('sha1');
  let unread = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    digest.update(part);
    unread += part.length;
    if (unread < 3 << 20) continue;
    unread = 0;
    await sleep(60);
  }
  return digest.digest('hex');
}

describe('an answer of many chunks', () => {
  test('P-L7: has the same bytes for any number of workers and any reader', async () => {
    const bodies = new Set<string>();
    for (const workers of [1, 2, 4]) {
      const server = await startOwnServer(flags(workers));
      const answers = await Promise.all([server.ask(PATH), server.ask(PATH)]);
      for (const { status, wasCut, text } of answers) {
        assert.deepEqual([status, wasCut], [200, false]);
        assert.equal(text.split('\n').length, SIZE.days * SIZE.rows + 2);
        bodies.add(hash(text));
      }
      bodies.add(await readHaltingly(server));
      assert.deepEqual(server.errors, []);
      await server.stop();
    }
    assert.equal(bodies.size, 1);
  });

  test('is whole in every format', async () => {
    const server = await startOwnServer(flags(2));
    const count = SIZE.days * SIZE.rows;
    const lines = await server.ask(rowsPath(SIZE, 'ndjson'));
    assert.equal(lines.text.trimEnd().split('\n').length, count);
    const sets = await server.ask(rowsPath(SIZE, 'json'));
    const { data } = JSON.parse(sets.text) as { data: readonly object[] };
    assert.equal(data.length, SIZE.days);
    assert.equal(
      data.reduce((sum, set) => sum + Object.keys(set).length, 0),
      count,
    );
    await server.stop();
  });
});

describe('readers that stand still', () => {
  let server: OwnServer;
  let restingBytes: number;
  before(async () => {
    server = await startOwnServer(flags(2));
  });
  beforeEach(async () => {
    // Asked for again, the stored sets are in the arena and stay.
    for (let i = 0; i < 2; i++) await server.ask(PATH);
    restingBytes = server.usedBytes();
  });
  after(() => server.stop());

  test('share what they read, and leave nothing behind when they go', async () => {
    const one = stalled(server);
    await until(() => server.usedBytes() > restingBytes, 'the first is being answered');
    const oneBytes = (await settledBytes(server)) - restingBytes;
    const others = Array.from({ length: 60 }, () => stalled(server));
    const allBytes = (await settledBytes(server)) - restingBytes;
    const most = 2 * oneBytes + SLOTS_BYTES + 61 * 2 * LEAST_BYTES;
    assert.ok(allBytes <= most, `${allBytes} bytes for all, ${oneBytes} for one`);
    const whole = await server.ask(PATH);
    assert.equal(whole.text.split('\n').length, SIZE.days * SIZE.rows + 2);
    for (const socket of [one, ...others]) socket.destroy();
    await until(() => server.usedBytes() === restingBytes, 'all is given back');
    assert.deepEqual(server.errors, []);
  });

  test('wait for room, each for another answer, and the last gets its answer too', async () => {
    const paths = Array.from({ length: 40 }, (_, i) => `${PATH}&decimals=${i}&limit=${90_000 + i}`);
    const sockets = paths.map((path) => stalled(server, path));
    await until(() => server.usedBytes() > restingBytes, 'they are being answered');
    const last = await server.ask(`${PATH}&limit=100`);
    assert.equal(last.status, 200, last.text);
    assert.equal(last.text.split('\n').length, SIZE.days * 100 + 2);
    assert.ok(server.usedBytes() - restingBytes < 200 << 20, `${server.usedBytes()} bytes`);
    for (const socket of sockets) socket.destroy();
    await until(() => server.usedBytes() === restingBytes, 'all is given back');
    assert.deepEqual(server.errors, []);
  });

  test('P-L4: hold no more together than a few of them alone, each with another aggregated answer', async () => {
    const path = (usd: number): string => `${PATH}&aggregate=pod&shareCost=${usd}`;
    const one = stalled(server, path(1));
    await until(() => server.usedBytes() > restingBytes, 'the first is being answered');
    const oneBytes = (await settledBytes(server)) - restingBytes;
    const others = Array.from({ length: 40 }, (_, i) => stalled(server, path(i + 2)));
    await settledBytes(server);
    const last = await server.ask(`${PATH}&aggregate=pod&limit=100`);
    assert.equal(last.text.split('\n').length, SIZE.days * 100 + 2);
    // Shares of the arena for what is written, and for what is grouped (src/server/caches.ts).
    const mostBytes = 0.35 * ARENA_BYTES + SLOTS_BYTES;
    assert.ok(41 * oneBytes > mostBytes, `${oneBytes} bytes for one: too few to tell`);
    // Those that are still being grouped hold more.
    const isHeldBack = (): boolean => server.usedBytes() - restingBytes <= mostBytes;
    await until(isHeldBack, `all stand still within ${mostBytes} bytes, ${oneBytes} for one`);
    for (const socket of [one, ...others]) socket.destroy();
    await until(() => server.usedBytes() <= restingBytes + 4 * LEAST_BYTES, 'all is given back');
    assert.deepEqual(server.errors, []);
  });

  test('release everything when they leave in the middle', async () => {
    for (const readBytes of [1, 100_000, 3_000_000, 10_000_000]) {
      const abort = new AbortController();
      const response = await fetch(server.url + PATH, { signal: abort.signal });
      let bytes = 0;
      for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        bytes += part.length;
        if (bytes >= readBytes) break;
      }
      abort.abort();
      await until(() => server.usedBytes() <= restingBytes, `after ${readBytes} bytes`);
    }
    const head = await server.ask(PATH, 'HEAD');
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    await until(() => server.usedBytes() <= restingBytes, 'after HEAD');
    assert.deepEqual(server.errors, []);
  });
});
