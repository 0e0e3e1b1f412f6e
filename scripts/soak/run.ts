/** A soak: the bundle over stored days and a store that fails, clients at half load, a fault every few seconds. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { windowOf } from '../../bench/stored.ts';
import { prepareDays } from '../../bench/stored-days.ts';
import { startServerProcess } from '../../test/support/servers/server-process.ts';
import { CLIENT_FAULTS, startLoad, type Question } from './clients.ts';
import { reportOf, type Reading, type Report } from './report.ts';
import { startFailingStore, STORE_FAULTS } from './store.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly faultEveryMs: number;
  readonly size: { readonly days: number; readonly rows: number };
  readonly frontEnd: 'uws' | 'node';
  readonly onProgress?: (line: string) => void;
}

const MEMORY_LIMIT_MIB = 512;
const READINGS = 400;
/** A crowd with long answers would be more than half load for minutes. */
const CROWDED = 'a crowd comes at once';
/** What fails outside is logged, and no breach. */
const OUTSIDE = /cannot build|store|metrics/;

function questionsOf(size: SoakOptions['size']): Question[] {
  const window = windowOf(size);
  const stored = `/model/allocation?${window}`;
  return [
    { name: 'warm', clients: 2, path: `${stored}&aggregate=namespace&accumulate=true` },
    {
      name: 'cheap',
      clients: 2,
      path: `${stored}&aggregate=cluster&accumulate=true&filter=node!:"none-{n}"`,
    },
    { name: 'csv', clients: 1, path: `${stored}&format=csv&filter=node!:"none-{n}"` },
    {
      name: 'sizing',
      clients: 1,
      path: `/model/savings/requestSizingV2?${window}&limit=20&targetCPUUtilization=0.5{n}`,
    },
    { name: 'assets', clients: 1, path: `/model/assets?window=2d&aggregate=type` },
    {
      name: 'computed',
      clients: 1,
      path: '/model/allocation/compute?window=1h&aggregate=pod&shareCost={n}',
    },
    { name: 'today', clients: 1, path: '/model/allocation?window=today&aggregate=pod' },
    { name: 'healthz', clients: 1, path: '/healthz' },
    {
      name: 'predict',
      clients: 1,
      method: 'POST',
      path: '/prediction/speccost?clusterID=default-cluster&defaultNamespace=b',
      body: '{"kind":"Pod","metadata":{"name":"a-{n}"},"spec":{"containers":[{"name":"b"}]}}',
    },
  ];
}

export async function soak(options: SoakOptions): Promise<Report> {
  const { minutes, faultEveryMs, size, frontEnd, onProgress } = options;
  const folder = mkdtempSync(join(tmpdir(), 'prorata-soak-'));
  cpSync(await prepareDays(size), folder, { recursive: true });
  const store = await startFailingStore();
  const flags = [
    `--data-dir=${folder}`,
    `--metrics-url=${store.url}`,
    `--front-end=${frontEnd}`,
    `--memory-limit=${MEMORY_LIMIT_MIB}Mi`,
    '--workers=2',
    '--refresh=5s',
    '--retention=36500d',
  ];
  const server = await startServerProcess(flags);
  const questions = questionsOf(size);
  const load = startLoad(server.url, questions);
  const faults = new Map<string, number>();
  const readings: Reading[] = [];
  const pathOf = (kind: string): string =>
    questions.find(({ name }) => name === (kind === CROWDED ? 'cheap' : 'csv'))?.path ?? '/healthz';
  const endMs = performance.now() + minutes * 60_000;
  const readEveryMs = Math.max(50, (minutes * 60_000) / READINGS);
  const isOver = (): boolean => performance.now() >= endMs;
  try {
    const breaking = (async (): Promise<void> => {
      for (let i = 0; !isOver(); i++) {
        const kinds = [
          ...STORE_FAULTS.slice(1).map((fault) => `the store ${fault}`),
          ...Object.keys(CLIENT_FAULTS),
        ];
        const kind = kinds[i % kinds.length] ?? '';
        faults.set(kind, (faults.get(kind) ?? 0) + 1);
        store.fault = STORE_FAULTS.find((fault) => kind === `the store ${fault}`) ?? 'none';
        const nextMs = Math.min(endMs, performance.now() + faultEveryMs);
        await CLIENT_FAULTS[kind]?.(server.url, pathOf(kind).replaceAll('{n}', `fault-${i}`));
        // For half of its time the store is well.
        await sleep(Math.max(0, nextMs - performance.now() - faultEveryMs / 2));
        store.fault = 'none';
        await sleep(Math.max(0, nextMs - performance.now()));
      }
    })();
    while (!isOver()) {
      const reading = await readingOf(server);
      const cachedBytes = Math.max(reading.cachedBytes, readings.at(-1)?.cachedBytes ?? 0);
      readings.push({ ...reading, cachedBytes });
      if (readings.length % 40 === 0) onProgress?.(progressLine(readings.at(-1)));
      await sleep(readEveryMs);
    }
    await breaking;
    await load.stop();
    const errors = server.errors
      .map((line) => JSON.stringify(line))
      .filter((line) => !OUTSIDE.test(line));
    const code = await server.stop();
    if (code !== 0) errors.push(`the server ended with ${code}`);
    return reportOf({
      minutes,
      readings,
      outcomes: load.outcomes,
      faults,
      errors,
      memoryLimitBytes: MEMORY_LIMIT_MIB * 2 ** 20,
    });
  } finally {
    await server.stop();
    await store.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readingOf({ pid, url }: { pid: number; url: string }): Promise<Reading> {
  const told = await (await fetch(`${url}/metrics`)).text();
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return {
    atMs: performance.now(),
    residentBytes: 1024 * field('VmRSS'),
    cachedBytes: sumOf(told, 'prorata_cache_bytes'),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: field('Threads'),
  };
}

/** The values of all series of a metric together. */
function sumOf(exposition: string, metric: string): number {
  const lines = exposition.split('\n').filter((line) => line.startsWith(`${metric}{`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

function progressLine(reading: Reading | undefined): string {
  if (reading === undefined) return '';
  const { residentBytes, cachedBytes, descriptors, threads } = reading;
  const [resident, cached] = [residentBytes, cachedBytes].map((bytes) =>
    (bytes / 2 ** 20).toFixed(0),
  );
  return `${resident} MiB, ${cached} of them in caches, ${descriptors} descriptors, ${threads} threads`;
}
