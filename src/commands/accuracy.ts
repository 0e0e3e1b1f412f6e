/**
 * `prorata accuracy`: runs pods of known lifetimes at random phases through the whole pipeline, at each
 * resolution, and compares billed ÷ actual with the promised bounds.
 */
import { query, readPlan } from '../allocation/index.ts';
import type { Config } from '../settings/config.ts';
import { parseQuery } from '../http/index.ts';
import { createLogger } from '../terminal/log.ts';
import { createKnownLives } from '../metrics/index.ts';
import { Fault, HOUR_MS, refuse } from '../query/index.ts';
import {
  combined,
  isInside,
  LIFETIMES,
  RESOLUTIONS,
  type Bounds,
  type Cell,
  type Measured,
  type StoreFacts,
} from '../terminal/accuracy-cells.ts';
import { asCsv, asJson, asTable } from '../terminal/accuracy-table.ts';
import { clockOf } from '../server/clock.ts';
import { metricsOf, startEngine, type EngineCompute } from '../server/engine.ts';
import { flagsHelp, takeFlags, usage, type Flag } from '../terminal/flags.ts';
import { interruptible } from '../terminal/interrupt.ts';
import { billedCoreHours, knownPods, type KnownPods, type PhaseOptions } from './known-pods.ts';
import { loadSettings } from '../terminal/settings.ts';

const FLAGS: readonly Flag[] = [
  { name: 'pods', value: 'N', help: 'phases of each lifetime; default 200' },
  { name: 'seed', value: 'N', help: 'other phases; default 1' },
  { name: 'json', help: 'rows {resolution, lifetime, lower, upper, seconds, peakRssBytes}' },
  { name: 'csv', help: 'the same as CSV' },
];

const HELP = `prorata accuracy [flags]

  Bills pods that ran for 30s to 7d, idling, bursting, stepping and jittering, at every resolution,
  scraped once a minute, and prints the least and most billed ÷ actual CPU core-hours; -1.00 where a pod was missed altogether. Ends with 1 when
  a cell is outside of what is promised.

  prorata accuracy --pods 1000 --json

${flagsHelp(FLAGS)}`;

const SCRAPE_MS = 60_000;
const RSS_EVERY_MS = 20;
const PODS_MAX = 100_000;

export async function accuracy(argv: readonly string[]): Promise<void> {
  const { values, loaded, options } = usage(FLAGS, () => {
    const taken = takeFlags(argv, FLAGS);
    const settings = loadSettings(taken.rest);
    if (taken.values.has('json') && taken.values.has('csv')) {
      throw new Fault('--json and --csv exclude each other', { parameter: '--csv' });
    }
    const pods = wholeNumber(taken.values, 'pods', 200);
    return {
      values: taken.values,
      loaded: settings,
      options: { pods, seed: wholeNumber(taken.values, 'seed', 1) },
    };
  });
  if (loaded.help !== undefined) {
    process.stdout.write(`${HELP}\n${loaded.help}\n`);
    return;
  }
  const cells = await interruptible((signal) => measure(loaded.config, options, signal));
  const write = values.has('json') ? asJson : values.has('csv') ? asCsv : asTable;
  process.stdout.write(write(cells));
  const outside = cells.filter((cell) => !isInside(cell));
  if (outside.length === 0) return;
  process.stderr.write(`prorata: ${outside.length} cells lie outside of what is promised\n`);
  process.exitCode = 1;
}

function wholeNumber(values: ReadonlyMap<string, string>, name: string, byDefault: number): number {
  const text = values.get(name);
  if (text === undefined) return byDefault;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= PODS_MAX) return value;
  throw refuse(name, text, `a whole number in 1 to ${PODS_MAX}`, '200');
}

/** All cells, starting with those that read least. */
async function measure(
  config: Config,
  options: PhaseOptions,
  signal: AbortSignal,
): Promise<Cell[]> {
  const engine = await startEngine(config, createLogger('silent'));
  const { compute } = engine;
  const cells: Cell[] = [];
  try {
    for (const lifetime of LIFETIMES) {
      const lives = knownPods(lifetime.ms, options);
      for (const resolution of RESOLUTIONS) {
        const under = (storeFacts: StoreFacts): Promise<Measured> =>
          timed(() => bill({ config, compute }, lives, { resolution, storeFacts }, signal));
        const measured = { samples: await under('samples'), timestamps: await under('timestamps') };
        cells.push(combined(resolution, lifetime.name, measured));
      }
    }
  } finally {
    await engine.close();
  }
  return cells;
}

async function timed(run: () => Promise<Bounds>): Promise<Measured> {
  let peakRssBytes = process.memoryUsage.rss();
  const look = (): void => {
    peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
  };
  const timer = setInterval(look, RSS_EVERY_MS);
  const beganMs = performance.now();
  try {
    const [lower, upper] = await run();
    look();
    return { lower, upper, seconds: (performance.now() - beganMs) / 1000, peakRssBytes };
  } finally {
    clearInterval(timer);
  }
}

/** The minimum and maximum of billed ÷ actual CPU core-hours over the pods. */
async function bill(
  { config, compute }: { readonly config: Config; readonly compute: EngineCompute },
  { pods, neighbour, startMs, endMs }: KnownPods,
  { resolution, storeFacts }: { resolution: string; storeFacts: StoreFacts },
  signal: AbortSignal,
): Promise<Bounds> {
  const lives = { scrapeMs: SCRAPE_MS, hasTimes: storeFacts === 'timestamps' };
  const source = createKnownLives([neighbour, ...pods], lives);
  const window = `${startMs / 1000},${endMs / 1000}`;
  const parameters = new URLSearchParams({ window, aggregate: 'pod', resolution });
  const plan = readPlan(
    parseQuery(parameters.toString()),
    clockOf(config).calendar,
    endMs + HOUR_MS,
  );
  const answer = await query({ compute, metrics: metricsOf(config, source) }, plan, signal);
  const rows = await rowsOf(answer.chunks);
  const ratios = pods.map((pod) => {
    const actual = billedCoreHours(pod);
    const billed = rows[pod.name]?.cpuCoreHours;
    return billed === undefined ? -1 : billed / actual;
  });
  return [Math.min(...ratios), Math.max(...ratios)];
}

type Rows = Readonly<Record<string, { readonly cpuCoreHours: number } | undefined>>;

async function rowsOf(chunks: AsyncIterable<Uint8Array>): Promise<Rows> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  const { data } = JSON.parse(Buffer.concat(parts).toString()) as { data: Rows[] };
  return data[0] ?? {};
}
