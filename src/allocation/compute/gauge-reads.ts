/**
 * Gauges of the metrics store at a few points of a window: memory grows with their series and the points,
 * not with samples.
 */
import { withOwner, type Block, type OwnedMemory } from '../../columnar/index.ts';
import { GAUGES, type GaugeName } from '../../metrics/index.ts';
import type { Compute } from '../../pool/index.ts';
import type { Window } from '../../query/index.ts';
import type { GaugeSeries } from './gauge-series.ts';
import type { Metrics } from './priced-store.ts';
import { readLanes, type Lane } from './read.ts';
import type { ComputeTasks } from './tasks.ts';

/** Reads of a window. */
const POINTS = 24;
/** As far back as a store looks for the sample of a point. */
const LOOKBACK_MS = 5 * 60_000;

export interface GaugeOptions {
  readonly compute: Compute<ComputeTasks> & OwnedMemory;
  readonly metrics: Metrics;
}

export type Gauges<Name extends GaugeName> = Readonly<Record<Name, readonly GaugeSeries[]>>;

/**
 * @param onWarning gets the store's warnings about its own answers
 * @throws {Unavailable} the store failed, or there is none
 */
export async function readGauges<Name extends GaugeName>(
  { compute, metrics }: GaugeOptions,
  names: readonly Name[],
  window: Window,
  signal: AbortSignal,
  onWarning: (text: string) => void,
): Promise<Gauges<Name>> {
  return await withOwner(compute, async (owner) => {
    const blocks = new Map(names.map((name) => [name, [] as Block[]]));
    const context = { source: metrics.source, arena: compute.arena, owner, signal, onWarning };
    const options = {
      startMs: window.startMs - LOOKBACK_MS,
      endMs: window.endMs,
      gapMs: LOOKBACK_MS,
      identity: metrics.clusterLabels,
    };
    const laneOf = (name: Name): Lane => ({
      selections: [GAUGES[name].selection],
      async work(batches) {
        const of = blocks.get(name) ?? [];
        const keep = [...metrics.clusterLabels, ...GAUGES[name].keep];
        const input = { batches, options: { ...options, keep }, block: of.pop() ?? null, owner };
        const condensed = await compute.pool.run('condense', input, signal);
        of.push(...condensed.blocks);
        return condensed.samples;
      },
    });
    for (const range of rangesOf(window)) {
      await readLanes({ ...context, range }, names.map(laneOf));
    }
    const { clusterLabels, clusterId } = metrics;
    const clusters = { clusterLabels, clusterId };
    const series: (readonly [Name, readonly GaugeSeries[]])[] = await Promise.all(
      names.map(async (name) => {
        const input = { blocks: blocks.get(name) ?? [], keep: GAUGES[name].keep, clusters };
        return [name, await compute.pool.run('gaugeSeries', input, signal)] as const;
      }),
    );
    return recordOf(series);
  });
}

function recordOf<Name extends GaugeName>(
  series: readonly (readonly [Name, readonly GaugeSeries[]])[],
): Gauges<Name> {
  return Object.fromEntries(series) as unknown as Gauges<Name>;
}

/** Where a store has the samples of points evenly apart, the last one at the window's end. */
function rangesOf({ startMs, endMs }: Window): Window[] {
  return Array.from({ length: POINTS }, (_, i) => {
    const atMs = Math.round(startMs + ((endMs - startMs) * (i + 1)) / POINTS);
    return { startMs: atMs - LOOKBACK_MS, endMs: atMs };
  });
}
