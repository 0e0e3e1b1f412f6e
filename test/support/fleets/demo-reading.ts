/** Reads of the demo store, for its tests. */
import type { Matcher, MetricsSource } from '../../../src/metrics/index.ts';
import { createDemo } from '../../../src/demo/index.ts';
import { readBatches, type ReadSeries } from '../references/read-batches.ts';

export const HOUR_MS: number = 3_600_000;
export const DAY_MS: number = 24 * HOUR_MS;
/** A Friday. */
export const NOW_MS: number = Date.UTC(2026, 10, 20, 12, 0, 30);
export const YESTERDAY: readonly [number, number] = [
  Date.UTC(2026, 10, 19),
  Date.UTC(2026, 10, 20),
];

export function demo(seed = 1, nowMs: number = NOW_MS): MetricsSource {
  return createDemo({ seed, nowMs: () => nowMs });
}

export async function readDemo(
  metric: string,
  [startMs, endMs]: readonly [number, number],
  matchers: readonly Matcher[] = [],
  source: MetricsSource = demo(),
): Promise<Map<string, ReadSeries>> {
  const signal = new AbortController().signal;
  return await readBatches(source.read({ metric, matchers }, { startMs, endMs }, signal));
}

/** `label=value` */
export function equals(label: string, value: string): Matcher {
  return { label, operator: '=', value };
}
