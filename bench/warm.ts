/**
 * Warm answers: requests a second of an accumulated answer that is kept, plain and compressed, against a
 * constant body of the same length from the same front end, by wrk with 64 connections, turn by turn.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { startProrata } from '../test/support/servers/prorata.ts';
import { skipWithout } from '../test/support/servers/services.ts';
import type { Benchmark, BenchOptions } from './harness.ts';
import { cpuMs } from './process-figures.ts';
import { flagsOf, windowOf } from './stored.ts';
import { prepareDays } from './stored-days.ts';

const ROUNDS = 5;
const CONNECTIONS = 64;
const QUESTIONS = [
  'aggregate=cluster',
  'aggregate=namespace&limit=20',
  'aggregate=namespace&limit=80',
  'aggregate=controller&limit=700',
];

interface Server {
  readonly url: string;
  readonly pid: number;
  /** The accepted one. */
  readonly coding: string;
}

/** Bytes of the answer as they go on the wire. */
async function lengthOf(url: string, coding: string): Promise<number> {
  const [response] = (await once(
    request(url, { headers: { 'accept-encoding': coding } }).end(),
    'response',
  )) as [IncomingMessage];
  let bytes = 0;
  for await (const part of response) bytes += (part as Buffer).length;
  return bytes;
}

interface Rate {
  readonly perSecond: number;
  /** For each second of the server's CPU time. */
  readonly perCpuSecond: number;
}

export async function* warmBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const missing = skipWithout('wrk');
  if (missing !== false) return options.note(`warm is left out: ${missing}`);
  const size = options.isSmoke ? { days: 2, rows: 1000 } : { days: 30, rows: 50_000 };
  const folder = await prepareDays(size);
  const prorata = await startProrata(flagsOf(folder, size));
  try {
    for (const question of QUESTIONS) {
      const query = `${windowOf(size)}&accumulate=true&${question}`;
      const url = `${prorata.url}/model/allocation?${query}`;
      const body = await (await fetch(url)).text();
      for (const coding of ['identity', 'gzip']) {
        const bytes = await lengthOf(url, coding);
        await compare({ url, pid: prorata.pid, coding }, bytes, options);
      }
      const run = async (): Promise<unknown> => await (await fetch(url)).text();
      const title = `A warm answer of ${body.length} bytes`;
      yield { title, amount: 1, unit: 'answers', tasks: [{ name: 'one at a time', run }] };
    }
  } finally {
    await prorata.stop();
  }
}

async function compare(warm: Server, bytes: number, options: BenchOptions): Promise<void> {
  const { child, port } = await startConstant(bytes);
  try {
    const { coding } = warm;
    const constant = { url: `http://127.0.0.1:${port}/`, pid: child.pid ?? NaN, coding };
    const ratios: Rate[] = [];
    for (let round = 0; round < (options.isSmoke ? 1 : ROUNDS); round++) {
      const [plain, ours] = [await rate(constant, options), await rate(warm, options)];
      options.note(`${bytes} bytes, ${coding}: ${told(ours)}, constant ${told(plain)}`);
      ratios.push({
        perSecond: ours.perSecond / plain.perSecond,
        perCpuSecond: ours.perCpuSecond / plain.perCpuSecond,
      });
    }
    const wall = median(ratios.map(({ perSecond }) => perSecond)).toFixed(2);
    const cpu = median(ratios.map(({ perCpuSecond }) => perCpuSecond)).toFixed(2);
    options.note(
      `${bytes} bytes, ${coding}: ${wall} of the constant's requests a second, ${cpu} by CPU\n`,
    );
  } finally {
    child.kill();
  }
}

async function rate({ url, pid, coding }: Server, { isSmoke }: BenchOptions): Promise<Rate> {
  const before = cpuMs(pid);
  const begunMs = performance.now();
  const wrk = spawn('wrk', [
    '-t1',
    `-c${CONNECTIONS}`,
    isSmoke ? '-d1' : '-d3',
    '-H',
    `accept-encoding: ${coding}`,
    url,
  ]);
  let said = '';
  wrk.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  await once(wrk, 'close');
  const [, count = ''] = /(\d+) requests in/.exec(said) ?? [];
  if (count === '' || said.includes('Non-2xx')) throw new Error(`wrk says: ${said}`);
  const requests = Number(count);
  return {
    perSecond: (requests * 1000) / (performance.now() - begunMs),
    perCpuSecond: (requests * 1000) / (cpuMs(pid) - before),
  };
}

function told({ perSecond, perCpuSecond }: Rate): string {
  return `${perSecond.toFixed(0)}/s (${perCpuSecond.toFixed(0)} a second of CPU)`;
}

async function startConstant(bytes: number): Promise<{ child: ChildProcess; port: number }> {
  const entry = fileURLToPath(new URL('constant-body.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', entry, String(bytes)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return { child, port };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}
