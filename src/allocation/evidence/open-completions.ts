/**
 * Completions that only usage can contradict: kube-state-metrics tells one as soon as any container of a
 * pod ended, and where neither phases nor running containers are told, nothing else says that others go
 * on.
 */
import { RecordReader, type Arena } from '../../columnar/index.ts';
import type { FactName } from '../../metrics/catalogue.ts';
import type { TimeRange } from '../../metrics/index.ts';
import { first } from '../inventory/inventory.ts';
import type { SubstitutesInput } from './substitutes.ts';

/** A container that goes on is seen in it, though a scrape or two are missed. */
const WATCHED_MS = 600_000;

/** What tells of a pod that goes on. */
const STATUS: readonly FactName[] = ['podPhase', 'containerRunning'];

/** @returns times after completions, within those that count */
export function openCompletions(
  arena: Arena,
  { facts, clusterLabels, clusterId, counted }: SubstitutesInput,
): TimeRange[] {
  const reader = new RecordReader(arena);
  const recordsOf = (names: readonly FactName[]): ReturnType<RecordReader['read']>[] =>
    facts.filter(({ fact }) => names.includes(fact)).map(({ blocks }) => reader.read(blocks));
  const told = new Set<string>();
  for (const records of recordsOf(STATUS))
    for (const record of records) told.add(first(record, clusterLabels) || clusterId);
  const ranges: TimeRange[] = [];
  for (const records of recordsOf(['podCompletion']))
    for (const record of records) {
      if (told.has(first(record, clusterLabels) || clusterId)) continue;
      const startMs = Math.max(counted.startMs, (record.pairs.at(-1) ?? NaN) * 1000);
      const endMs = Math.min(counted.endMs, startMs + WATCHED_MS);
      if (startMs < endMs) ranges.push({ startMs, endMs });
    }
  return ranges;
}
