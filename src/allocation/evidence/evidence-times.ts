/**
 * Times for which usage is read as evidence of lives. While kube-state-metrics was down nothing of a
 * cluster is told of, while one of its shards was down nothing of some pods: those that use something
 * meanwhile are there, as another exporter shows. And after completions that nothing else can contradict.
 */
import { RecordReader, type Arena, type SeriesRecord } from '../../columnar/index.ts';
import type { TimeRange } from '../../metrics/index.ts';
import type { FactName } from '../../metrics/catalogue.ts';
import { at, first } from '../inventory/inventory.ts';
import { Presence } from '../inventory/presence.ts';
import { openCompletions } from './open-completions.ts';
import type { SubstitutesInput } from './substitutes.ts';

/** Each is a read of its own; where there are more, one read spans all of them. */
const READS_MAX = 8;

/** All that kube-state-metrics tells of is told of by these. */
const OF_STATE: readonly FactName[] = ['podInfo', 'nodeInfo'];

/** @returns times in which usage tells who is there, in order */
export function evidenceTimes(arena: Arena, input: SubstitutesInput): TimeRange[] {
  const all = united([...stateGaps(arena, input), ...openCompletions(arena, input)]);
  const [from, to] = [all[0], all.at(-1)];
  if (all.length <= READS_MAX || !from || !to) return all;
  return [{ startMs: from.startMs, endMs: to.endMs }];
}

/** Times longer than `gapMs` in which nothing of some cluster is told of, or of a pod told of before and after. */
function stateGaps(
  arena: Arena,
  { facts, clusterLabels, clusterId, counted, gapMs }: SubstitutesInput,
): TimeRange[] {
  const clusters = new Map<string, Presence>();
  /** By the number of their labels. */
  const pods: Presence[] = [];
  const reader = new RecordReader(arena);
  for (const { fact, blocks } of facts.filter((one) => OF_STATE.includes(one.fact)))
    for (const record of reader.read(blocks)) {
      const cluster = first(record, clusterLabels) || clusterId;
      const presence = clusters.get(cluster) ?? new Presence(gapMs);
      clusters.set(cluster, presence);
      const { identity, firstMs, lastMs, intervalMs } = record;
      const told = { firstMs, lastMs, intervalMs, staleMs: NaN };
      presence.add(told);
      if (fact === 'podInfo' && identity >= 0) (pods[identity] ??= new Presence(gapMs)).add(told);
    }
  // Identities leave holes, which `flatMap` skips.
  const ofPods = pods.flatMap((pod) => pod.gapsBetween());
  const within = ofPods.map(({ startMs, endMs }) => ({
    startMs: Math.max(startMs, counted.startMs),
    endMs: Math.min(endMs, counted.endMs),
  }));
  return [
    ...[...clusters.values()].flatMap((presence) => presence.gapsWithin(counted)),
    ...within.filter(({ startMs, endMs }) => startMs < endMs),
  ];
}

/** Longer intervals than this leave few samples in what is read beyond a window. */
export const CLOSE_MS = 240_000;

/** Scrape interval of a cluster's node series, or pod series without node series: up to CLOSE_MS, or longer. `none`: no series. */
export type Spacing = 'none' | 'close' | 'far';

/** @returns `far` if most series of some cluster have samples far apart, or a single one */
export function spacingOf(
  arena: Arena,
  { facts, clusterLabels, clusterId }: SubstitutesInput,
): Spacing {
  const clusterOf = (record: SeriesRecord): string => first(record, clusterLabels) || clusterId;
  const clusters = new Map<string, Intervals>();
  for (const fact of SPACED)
    for (const [cluster, of] of intervalsOf(arena, facts, fact, clusterOf))
      at(clusters, cluster, () => of);
  const isFar = ({ sparse, all }: Intervals): boolean => 2 * sparse > all;
  if (clusters.size === 0) return 'none';
  return [...clusters.values()].some(isFar) ? 'far' : 'close';
}

/**
 * Median scrape interval of each cluster, ms, for series with too few samples to measure their own. If the intervals of
 * nodes and pods differ, the shorter one.
 */
export function usualIntervals(
  arena: Arena,
  facts: SubstitutesInput['facts'],
  clusterOf: (record: SeriesRecord) => string,
): ReadonlyMap<string, number> {
  const usual = new Map<string, number>();
  for (const fact of SPACED)
    for (const [cluster, { intervalsMs }] of intervalsOf(arena, facts, fact, clusterOf)) {
      const median = intervalsMs.sort((a, b) => a - b)[intervalsMs.length >> 1];
      if (median !== undefined)
        usual.set(cluster, Math.min(median, usual.get(cluster) ?? Infinity));
    }
  return usual;
}

/** Facts of which each node and each pod has a series. */
const SPACED = ['nodeInfo', 'podInfo'] as const;

interface Intervals {
  /** Series with samples far apart, or one alone. */
  sparse: number;
  all: number;
  /** Intervals of the series that tell theirs. */
  readonly intervalsMs: number[];
}

/** Intervals of the series of a fact by cluster. */
function intervalsOf(
  arena: Arena,
  facts: SubstitutesInput['facts'],
  name: (typeof SPACED)[number],
  clusterOf: (record: SeriesRecord) => string,
): ReadonlyMap<string, Intervals> {
  const reader = new RecordReader(arena);
  const found = new Map<string, Intervals>();
  const blocks = facts.filter(({ fact }) => fact === name).flatMap((one) => one.blocks);
  for (const record of reader.read(blocks)) {
    const { firstMs, intervalMs } = record;
    if (firstMs !== firstMs) continue;
    const of = at(found, clusterOf(record), () => ({ sparse: 0, all: 0, intervalsMs: [] }));
    of.all++;
    if (!(intervalMs <= CLOSE_MS)) of.sparse++;
    if (intervalMs === intervalMs) of.intervalsMs.push(intervalMs);
  }
  return found;
}

function united(ranges: readonly TimeRange[]): TimeRange[] {
  const all: { startMs: number; endMs: number }[] = [];
  for (const { startMs, endMs } of ranges.toSorted(byStart)) {
    const last = all.at(-1);
    if (last && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else all.push({ startMs, endMs });
  }
  return all;
}

function byStart(a: TimeRange, b: TimeRange): number {
  return a.startMs - b.startMs;
}
