/**
 * Times for which usage is read as evidence of lives. While kube-state-metrics was down nothing of a
 * cluster is told of: pods that use something meanwhile are there, as another exporter shows. And after
 * completions that nothing else can contradict.
 */
import { RecordReader, type Arena } from '../../columnar/index.ts';
import type { TimeRange } from '../../metrics/index.ts';
import type { FactName } from '../../metrics/catalogue.ts';
import { first } from '../inventory/inventory.ts';
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

/** Times longer than `gapMs` in which nothing of some cluster is told of. */
function stateGaps(
  arena: Arena,
  { facts, clusterLabels, clusterId, counted, gapMs }: SubstitutesInput,
): TimeRange[] {
  const told = new Map<string, Presence>();
  const reader = new RecordReader(arena);
  for (const { blocks } of facts.filter((one) => OF_STATE.includes(one.fact)))
    for (const record of reader.read(blocks)) {
      const cluster = first(record, clusterLabels) || clusterId;
      const presence = told.get(cluster) ?? new Presence(gapMs);
      told.set(cluster, presence);
      const { firstMs, lastMs, intervalMs } = record;
      presence.add({ firstMs, lastMs, intervalMs, staleMs: NaN });
    }
  return [...told.values()].flatMap((presence) => [...presence.gapsWithin(counted)]);
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
