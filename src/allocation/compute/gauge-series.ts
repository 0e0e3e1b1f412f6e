/** Series of a gauge out of condensed samples, in a worker. */
import { RecordReader, spendHeap, type Arena, type Block } from '../../columnar/index.ts';
import type { ClusterOptions } from '../inventory/inventory.ts';

export interface GaugeSeriesInput {
  readonly blocks: readonly Block[];
  /** Labels that tell series apart. */
  readonly keep: readonly string[];
  readonly clusters: ClusterOptions;
}

/** A gauge of one thing over all points at which it was read. */
export interface GaugeSeries {
  readonly cluster: string;
  /** Those that it has. */
  readonly labels: Readonly<Record<string, string>>;
  readonly max: number;
  /** Its newest value. */
  readonly last: number;
}

/** Heap that a series takes. */
const SERIES_BYTES = 700;

/** @throws {HeapFull} */
export function gaugeSeries(
  arena: Arena,
  { blocks, keep, clusters }: GaugeSeriesInput,
): GaugeSeries[] {
  const { clusterLabels, clusterId } = clusters;
  const found = new Map<string, GaugeSeries & { max: number; last: number; lastMs: number }>();
  for (const record of new RecordReader(arena).read(blocks)) {
    const cluster = clusterLabels.map((name) => record.label(name)).find((text) => text !== '');
    const pairs = keep
      .map((name) => [name, record.label(name)] as const)
      .filter(([, value]) => value !== '');
    const key = JSON.stringify([cluster, pairs]);
    const known = found.get(key);
    if (known === undefined) spendHeap(SERIES_BYTES);
    const series = known ?? {
      cluster: cluster ?? clusterId,
      labels: Object.fromEntries(pairs),
      max: -Infinity,
      last: NaN,
      lastMs: -Infinity,
    };
    found.set(key, series);
    for (let i = 0; i < record.pairs.length; i += 2) {
      const [atMs = NaN, value = NaN] = [record.pairs[i], record.pairs[i + 1]];
      if (!Number.isFinite(value)) continue;
      series.max = Math.max(series.max, value);
      if (atMs < series.lastMs) continue;
      series.last = value;
      series.lastMs = atMs;
    }
  }
  return [...found.values()]
    .filter(({ max }) => max > -Infinity)
    .map(({ cluster, labels, max, last }) => ({ cluster, labels, max, last }));
}
