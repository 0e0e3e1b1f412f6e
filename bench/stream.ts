/**
 * All rows of 30 days of 50,000 containers as CSV over HTTP to a local client that discards them,
 * alone and beside 200 readers that stand still, against bytes of the same server from memory.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProrata, type Prorata } from '../test/support/servers/prorata.ts';
import type { Benchmark, BenchOptions } from './harness.ts';
import { cpuMs, peakBytes } from './process-figures.ts';
import { checked, discard, stalledReader } from './raw-client.ts';
import { prepareDays, rowsPath, type StreamSize } from './stream-store.ts';

const NOW = '2024-07-01T00:00:00Z';
const STALLED = 200;
const MIB = 2 ** 20;
/** Until the sockets of readers that stand still are full. */
const SETTLE_MS = 8000;

export async function* streamBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const size = options.isSmoke
    ? { days: 2, rows: 2000 }
    : { days: options.settings.days ?? 30, rows: 50_000 };
  const folder = await prepareDays(size);
  const flags = ['--data-dir', folder, '--timezone', 'UTC', '--now', NOW];
  const prorata = await startProrata([...flags, '--memory-limit', '1200Mi']);
  const peer = fork(fileURLToPath(new URL('./constant-server.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  try {
    const [port] = (await once(peer, 'message')) as [number];
    const path = rowsPath(size);
    const body = await checked(prorata.url + path);
    const constant = `http://127.0.0.1:${port}`;
    const before = cpuMs(prorata.pid);
    await discard(prorata.url, path);
    const cpu = cpuMs(prorata.pid) - before;
    const crc = body.crc.toString(16);
    options.note(`${body.bytes} bytes, CRC-32 ${crc}; ${cpu.toFixed(0)} ms of CPU in the server`);
    yield {
      title: `Rows as CSV over HTTP, ${size.days} × ${size.rows} rows`,
      amount: body.bytes / 1e9,
      unit: 'GB',
      isSlow: true,
      tasks: [
        {
          name: 'bytes from memory',
          run: () => discard(constant, `/?${body.bytes}`),
        },
        {
          name: 'rows',
          run: () => discard(prorata.url, path),
          checksum: async () => (await checked(prorata.url + path)).crc,
        },
      ],
    };
    options.note(`peak resident size ${(peakBytes(prorata.pid) / MIB).toFixed(0)} MiB`);
    await besideStalled(prorata, path, size, options);
  } finally {
    peer.kill();
    await prorata.stop();
  }
}

/** What readers that stand still cost, and what they take from one who reads. */
async function besideStalled(
  { url, pid }: Prorata,
  path: string,
  { days, rows }: StreamSize,
  options: BenchOptions,
): Promise<void> {
  const before = residentBytes(pid);
  const sockets = Array.from({ length: STALLED }, () => stalledReader(url, path));
  await sleep(options.isSmoke ? 500 : SETTLE_MS);
  const added = (residentBytes(pid) - before) / MIB;
  const beganMs = performance.now();
  const bytes = await discard(url, path);
  const seconds = (performance.now() - beganMs) / 1000;
  for (const socket of sockets) socket.destroy();
  const rate = (bytes / 1e9 / seconds).toFixed(2);
  options.note(`${STALLED} readers that stand still add ${added.toFixed(0)} MiB`);
  options.note(`beside them ${days} × ${rows} rows come at ${rate} GB/s\n`);
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return 1024 * Number(kilobytes);
}
