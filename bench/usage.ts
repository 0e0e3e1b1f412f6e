/**
 * Requests recommended from 30 stored days of 50,000 containers of controllers, through the whole
 * server on this machine: the first answer of a fresh process whose files are in the page cache, and
 * later ones. Each answer's total is that of all rows.
 */
import { startProrata, type Prorata } from '../test/support/servers/prorata.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { cpuMs, peakBytes } from './process-figures.ts';
import type { DaysSize } from './stored-days.ts';
import { flagsOf, windowOf } from './stored.ts';
import { prepareUsage } from './usage-days.ts';

const STARTS = 3;
const QUESTIONS: readonly (readonly [name: string, query: string])[] = [
  ['largest usage', ''],
  ['quantiles of samples', 'algorithmCPU=quantile&algorithmRAM=quantile&qCPU=95&qRAM=95'],
  [
    'quantiles of hours',
    'algorithmCPU=quantileOfAverages&algorithmRAM=quantileOfMaxes&qCPU=80&qRAM=95',
  ],
];

export async function* usageBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const size = options.isSmoke ? { days: 3, rows: 500 } : { days: 30, rows: 50_000 };
  const flags = flagsOf(await prepareUsage(size), size);
  for (const [name, query] of QUESTIONS) {
    for (let i = 0; i < (options.isSmoke ? 1 : STARTS); i++) {
      await firstAnswer(flags, size, `${name}, all rows`, query, options);
    }
  }
  const prorata = await startProrata(flags);
  try {
    for (const [name, query] of QUESTIONS) {
      const window = windowOf(size);
      yield {
        title: `Requests of ${size.rows} containers over ${size.days} days: ${name}`,
        amount: (size.rows * size.days) / 1e6,
        unit: 'M rows',
        isSlow: true,
        tasks: [
          task(prorata, 'all rows', () => `${window}&${query}&minRecCPUMillicores=${next()}`),
          task(
            prorata,
            '20 rows',
            () => `${window}&${query}&minRecCPUMillicores=${next()}&limit=20`,
          ),
          task(
            prorata,
            'of other sets, 20 rows',
            () => `${window}&${query}&filter=pod!:"${next()}"&limit=20`,
          ),
        ],
      };
      options.note(`peak resident size ${(peakBytes(prorata.pid) / 1e6).toFixed(0)} MB`);
    }
  } finally {
    await prorata.stop();
  }
}

/** So that no question is asked twice. */
let asked = 0;
const next = (): number => 1 + ++asked / 1e6;

function task(prorata: Prorata, name: string, query: () => string): Task {
  return {
    name,
    run: async () => void (await ask(prorata, query())).length,
    checksum: async () => totalOf(await ask(prorata, query())),
  };
}

async function firstAnswer(
  flags: readonly string[],
  size: DaysSize,
  name: string,
  query: string,
  { note }: BenchOptions,
): Promise<void> {
  const prorata = await startProrata(flags);
  const [startedMs, before] = [performance.now(), cpuMs(prorata.pid)];
  const text = await ask(prorata, `${windowOf(size)}&${query}`);
  const tookMs = performance.now() - startedMs;
  const cpu = cpuMs(prorata.pid) - before;
  const peak = (peakBytes(prorata.pid) / 1e6).toFixed(0);
  note(`first answer, ${name}: ${tookMs.toFixed(0)} ms (${cpu.toFixed(0)} ms of CPU), ${(text.length / 1e6).toFixed(1)} MB, ${peak} MB resident; ${totalOf(text)} USD`); // prettier-ignore
  await prorata.stop();
}

async function ask({ url }: Prorata, query: string): Promise<Buffer> {
  const headers = { 'accept-encoding': 'identity' };
  const response = await fetch(`${url}/model/savings/requestSizingV2?${query}`, { headers });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${query}: ${response.status} ${body.toString()}`);
  return body;
}

function totalOf(body: Buffer): number {
  const head = /^\{"TotalMonthlySavings":([^,]+),/.exec(body.toString('latin1', 0, 200));
  return Number(head?.[1]);
}
