/**
 * All kinds of clients at once over 30 stored days of 50,000 containers: how long warm answers, cheap ones that are
 * new, and probes wait meanwhile, and what heavy work comes to beside the others, against each of them alone.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProrata } from '../test/support/servers/prorata.ts';
import type { Benchmark, BenchOptions } from './harness.ts';
import type { ClassCounts, ClientClass } from './mixed-clients.ts';
import { peakBytes } from './process-figures.ts';
import { flagsOf, windowOf } from './stored.ts';
import { FIRST_DAY_MS, prepareDays } from './stored-days.ts';

/** Warm-up of each load, and how long it is measured. */
const [SETTLE_MS, MEASURED_MS] = [5000, 15_000];
const PROBE_EVERY_MS = 10;

type Counts = Readonly<Record<string, ClassCounts>>;

export async function* mixedBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const size = options.isSmoke ? { days: 2, rows: 1000 } : { days: 30, rows: 50_000 };
  const prorata = await startProrata(flagsOf(await prepareDays(size), size));
  const window = windowOf(size);
  const warm = `${prorata.url}/model/allocation?${window}&accumulate=true&aggregate=namespace&limit=80`;
  const day = new Date(FIRST_DAY_MS).toISOString();
  const nextDay = new Date(FIRST_DAY_MS + 86_400_000).toISOString();
  const csv = { name: 'csv', clients: 8, path: `/model/allocation?window=${day},${nextDay}&format=csv&columns=full&filter=node!:"none-{n}"` }; // prettier-ignore
  const stored = { name: 'stored', clients: 100, path: `/model/allocation?${window}&aggregate=namespace&accumulate=true&filter=node!:"none-{n}"&limit=20` }; // prettier-ignore
  const sizing = { name: 'sizing', clients: 10, path: `/model/savings/requestSizingV2?${window}&targetCPUUtilization=0.5{n}&limit=20` }; // prettier-ignore
  const loads: readonly (readonly [string, readonly ClientClass[]])[] = [
    ['idle', []],
    ['8 CSV', [csv]],
    ['100 stored', [stored]],
    ['10 sizing', [sizing]],
    ['all of them', [csv, stored, sizing]],
  ];
  const cheap = `/model/allocation?window=${day},${nextDay}&aggregate=cluster&filter=node!:`;
  let asked = 0;
  const measuredMs = options.isSmoke ? 500 : MEASURED_MS;
  try {
    for (let i = 0; i < 3; i++) await (await fetch(warm)).arrayBuffer();
    for (const [name, classes] of loads) {
      const clients = startClients(prorata.url, classes);
      await sleep(options.isSmoke ? 200 : SETTLE_MS);
      const before = await countsOf(clients);
      const [warmMs, cheapMs, healthMs] = await Promise.all([
        probe(() => warm, measuredMs),
        probe(() => `${prorata.url}${cheap}"none-${asked++}"`, measuredMs),
        probe(() => `${prorata.url}/healthz`, measuredMs),
      ]);
      const after = await countsOf(clients);
      clients.kill();
      options.note(
        [`${name}: warm ${spread(warmMs)}, cheap ${spread(cheapMs)}, healthz ${spread(healthMs)}`, ...told(before, after, measuredMs)].join('; '), // prettier-ignore
      );
    }
    options.note(`peak resident size ${(peakBytes(prorata.pid) / 1e6).toFixed(0)} MB`);
    const run = async (): Promise<unknown> => await (await fetch(warm)).arrayBuffer();
    yield { title: 'A warm answer, after all of it', amount: 1, unit: 'answers', tasks: [{ name: 'one at a time', run }] }; // prettier-ignore
  } finally {
    await prorata.stop();
  }
}

function startClients(url: string, classes: readonly ClientClass[]): ChildProcess {
  const entry = fileURLToPath(new URL('mixed-clients.ts', import.meta.url));
  return fork(entry, [url, JSON.stringify(classes)], { execArgv: ['--import', 'tsx'] });
}

async function countsOf(clients: ChildProcess): Promise<Counts> {
  const answer = once(clients, 'message');
  clients.send('count');
  const [counts] = (await answer) as [Counts];
  return counts;
}

/** Milliseconds of each answer, one asked after the other. */
async function probe(urlOf: () => string, forMs: number): Promise<number[]> {
  const tookMs: number[] = [];
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs) {
    const begunMs = performance.now();
    const url = urlOf();
    const response = await fetch(url);
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${url} is answered with ${response.status}`);
    tookMs.push(performance.now() - begunMs);
    await sleep(PROBE_EVERY_MS);
  }
  return tookMs;
}

function spread(tookMs: readonly number[]): string {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const at = (share: number): string => {
    const place = Math.min(sorted.length - 1, Math.floor(share * sorted.length));
    return (sorted[place] ?? NaN).toFixed(1);
  };
  return `p50 ${at(0.5)} p99 ${at(0.99)} max ${at(1)} ms (${sorted.length})`;
}

function told(before: Counts, after: Counts, forMs: number): string[] {
  return Object.entries(after).map(([name, { answers, refused, bytes, others, tookMs }]) => {
    const [was, seconds] = [before[name], forMs / 1000];
    const perSecond = ((answers - (was?.answers ?? 0)) / seconds).toFixed(2);
    const megabytes = ((bytes - (was?.bytes ?? 0)) / seconds / 1e6).toFixed(0);
    const sorted = tookMs.toSorted((a, b) => a - b);
    const p50 = (sorted[sorted.length >> 1] ?? NaN).toFixed(0);
    return `${name} ${perSecond}/s, ${megabytes} MB/s, p50 ${p50} ms, ${refused - (was?.refused ?? 0)} refused, ${others} others`;
  });
}
