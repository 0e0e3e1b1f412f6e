/** What an agent tells of the objects of a cluster that changes by plan, as a store would hold it. */
import { setImmediate as breath } from 'node:timers/promises';
import { followObjects, type Sample } from '../../../src/agent/index.ts';
import { createClusterApi } from '../../../src/cluster/index.ts';
import { SimulatedStore, simulatedTransport } from '../../../src/demo/index.ts';
import { labelsIn } from '../references/sample-texts.ts';
import type { TestSeries } from '../stores/samples-encoding.ts';

export interface ObjectChange {
  readonly atMs: number;
  /** Changes one object of a kind that is followed. */
  readonly apply: (store: SimulatedStore) => void;
}

const INTERVAL_MS = 60_000;

/** Samples of each minute; each change comes at once, in order of time. */
export async function followedSeries(
  changes: readonly ObjectChange[],
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): Promise<TestSeries[]> {
  let nowMs = startMs;
  const store = new SimulatedStore({ nowMs: () => nowMs });
  const api = createClusterApi(simulatedTransport(store), { callsPerSecond: Infinity });
  const stop = new AbortController();
  const facts = await followObjects(api, { signal: stop.signal, nowMs: () => nowMs });
  const seen = (): number => facts.figures().kinds.reduce((sum, one) => sum + one.changes, 0);
  while (!facts.isComplete) await breath();
  const samples: Sample[] = [];
  const inOrder = changes.toSorted((a, b) => a.atMs - b.atMs);
  let done = 0;
  for (let takeMs = startMs; takeMs <= endMs; takeMs += INTERVAL_MS) {
    for (
      let next = inOrder[done];
      next !== undefined && next.atMs <= takeMs;
      next = inOrder[++done]
    ) {
      nowMs = Math.max(startMs, next.atMs);
      const { version } = store;
      next.apply(store);
      if (store.version === version) throw new Error('BUG: nothing was changed');
      while (seen() <= done) await breath();
    }
    nowMs = takeMs;
    samples.push(...facts.samples(takeMs));
  }
  stop.abort();
  return seriesIn(samples);
}

interface Series extends TestSeries {
  readonly timestampsMs: number[];
  readonly values: (number | 'stale')[];
}

function seriesIn(samples: readonly Sample[]): TestSeries[] {
  const byLabels = new Map<string, Series>();
  for (const { labels, timeMs, value } of samples) {
    const key = Buffer.from(labels).toString('latin1');
    const series = byLabels.get(key) ?? { labels: labelsIn(labels), timestampsMs: [], values: [] };
    byLabels.set(key, series);
    series.timestampsMs.push(timeMs);
    series.values.push(value ?? 'stale');
  }
  return [...byLabels.values()];
}
