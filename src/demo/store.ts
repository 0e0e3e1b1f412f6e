/**
 * The demo store: a simulated fleet, so that a fresh machine shows real work at once. It behaves as
 * a store that has scraped every 60 s for the last 90 days: no sample lies in the future, and
 * any window shows the same past.
 */
import { setImmediate as otherWork } from 'node:timers/promises';
import type { Span } from './changes.ts';
import { DAY_MS } from '../query/index.ts';
import { CONTAINER_METRICS } from './container-metrics.ts';
import { NETWORK_METRICS } from './network-metrics.ts';
import { NODE_METRICS } from './node-metrics.ts';
import { POD_METRICS, type SeriesMaker } from './pod-metrics.ts';
import { createFleet, SCRAPE_INTERVAL_MS, type DemoSeries } from './series.ts';
import { QUOTA_METRICS } from './quota-metrics.ts';
import { SERVICE_METRICS } from './service-metrics.ts';
import { VOLUME_METRICS } from './volume-metrics.ts';
import { compileMatchers } from '../metrics/index.ts';
import { encodeLabels, markStale, SamplesWriter, type SamplesBlock } from '../metrics/index.ts';
import type { Batch, MetricsSource, Selection } from '../metrics/index.ts';

/** The fleet that a server without a store shows. */
export const DEMO_SEED = 1;

export interface DemoOptions {
  /** Another seed, another fleet. */
  readonly seed: number;
  /** The clock, Unix ms. */
  readonly nowMs: () => number;
}

const KEPT_DAYS = 90;
const BATCH_BYTES = 1024 * 1024;
const LONGEST_BLOCK_SAMPLES = 4096;
/** How long reads may keep the thread to themselves, all of them together. */
const TURN_MS = 2;

const METRICS: ReadonlyMap<string, SeriesMaker> = new Map(
  [
    POD_METRICS,
    CONTAINER_METRICS,
    NODE_METRICS,
    VOLUME_METRICS,
    SERVICE_METRICS,
    NETWORK_METRICS,
    QUOTA_METRICS,
  ].flatMap((metrics) => Object.entries(metrics)),
);

export function createDemo({ seed, nowMs }: DemoOptions): MetricsSource {
  const fleet = createFleet(seed);
  const turns = new Turns();
  const earliestMs = (): number => (Math.floor(nowMs() / DAY_MS) - KEPT_DAYS) * DAY_MS;

  /** Undefined stands for a series that does not match, so that a read can rest there too. */
  const series = function* (
    { metric, matchers }: Selection,
    range: Span,
  ): Generator<DemoSeries | undefined> {
    const matches = compileMatchers(matchers);
    for (const one of METRICS.get(metric)?.(fleet, range) ?? []) {
      if (one === undefined) {
        yield undefined;
        continue;
      }
      const labels = { ...one.scraped.labels, ...one.labels, __name__: metric };
      yield matches(labels) ? { ...one, labels } : undefined;
    }
  };

  return {
    name: 'the demo store',
    concurrentReads: 4,
    earliestSampleMs: () => Promise.resolve(earliestMs()),
    read: (selection, { startMs, endMs }, signal) => {
      // A marker may come one interval after a series ended.
      const kept = {
        startMs: Math.max(startMs, earliestMs()),
        endMs: Math.min(endMs, nowMs()),
      };
      const around = { startMs: kept.startMs - SCRAPE_INTERVAL_MS, endMs: kept.endMs + 1 };
      const found = kept.endMs < kept.startMs ? [] : series(selection, around);
      return batches(found, kept, new Turn(turns, signal));
    },
  };
}

async function* batches(
  series: Iterable<DemoSeries | undefined>,
  range: Span,
  turn: Turn,
): AsyncGenerator<Batch, void> {
  const writer = new SamplesWriter(BATCH_BYTES);
  const full = (): Batch => ({ encoding: 'samples', bytes: writer.take() });
  await turn.next();
  for (const one of series) {
    if (turn.isOver) await turn.next();
    for (const write of one === undefined ? [] : blocksOf(one, range)) {
      if (turn.isOver) await turn.next();
      if (write(writer)) continue;
      yield full();
      await turn.next();
      write(writer);
    }
  }
  if (writer.usedBytes > 0) yield full();
}

/** Reads have the thread one after the other, and other work comes between any two of them. */
class Turns {
  #last: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    this.#last = this.#last.then(() => otherWork());
    return this.#last;
  }
}

/** The share of the thread a read may take before others have their turn. */
class Turn {
  readonly #turns: Turns;
  readonly #signal: AbortSignal;
  #endsMs: number = 0;

  constructor(turns: Turns, signal: AbortSignal) {
    this.#turns = turns;
    this.#signal = signal;
  }

  get isOver(): boolean {
    return performance.now() > this.#endsMs;
  }

  /** @throws the signal's reason when it was aborted */
  async next(): Promise<void> {
    this.#signal.throwIfAborted();
    await this.#turns.next();
    this.#signal.throwIfAborted();
    this.#endsMs = performance.now() + TURN_MS;
  }
}

/** The samples of one series in `range`, as writes of at most 4,096 that must be done in order. */
function* blocksOf(
  series: DemoSeries,
  range: Span,
): Generator<(writer: SamplesWriter) => boolean, void> {
  const { phaseMs } = series.scraped;
  const scrapeFrom = (ms: number): number => Math.ceil((ms - phaseMs) / SCRAPE_INTERVAL_MS);
  const born = scrapeFrom(series.startMs);
  const dead = scrapeFrom(series.endMs);
  if (born >= dead) return;
  const first = Math.max(born, scrapeFrom(range.startMs));
  const last = Math.min(dead, scrapeFrom(range.endMs + 1) - 1);
  if (first > last) return;
  const labels = encodeLabels(series.labels);
  const fill = filler(series);
  for (let scrape = first; scrape <= last; scrape += LONGEST_BLOCK_SAMPLES) {
    const samples = Math.min(LONGEST_BLOCK_SAMPLES, last - scrape + 1);
    yield (writer) => {
      const block = writer.block(labels, samples);
      if (block === undefined) return false;
      for (let i = 0; i < samples; i++)
        block.timesMs[i] = phaseMs + (scrape + i) * SCRAPE_INTERVAL_MS;
      const isEnd = scrape + samples - 1 === dead;
      fill(block);
      if (isEnd) markStale(block.values, samples - 1);
      return true;
    };
  }
}

function filler({ value }: DemoSeries): (block: SamplesBlock) => void {
  if (typeof value === 'number') return ({ values }) => void values.fill(value);
  const sampler = value();
  return ({ timesMs, values }) => sampler(timesMs, values);
}
