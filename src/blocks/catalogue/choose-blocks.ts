/**
 * Which of the blocks that are there are read, and as what.
 *
 *   marked for deletion    never: its samples are in another one, or are not wanted
 *   downsampled            never: sums of minutes are no samples; time that nothing else has is told
 *   compacted into others  where all that it was made of is in another one of the same labels
 *   of a replica           beside the others: `replicas.ts` takes each time of a series from one of them
 */
import { HOUR_MS, MINUTE_MS } from '../../query/index.ts';
import type { StoredBlock } from './stored-block.ts';

/** Blocks whose series are the same where their labels are: replicas and shards of one origin. */
export interface Origin {
  /** External labels without those of replicas and Mimir's own, in order. */
  readonly labels: StoredBlock['labels'];
  /** In order of their beginnings. */
  readonly blocks: readonly OriginBlock[];
  /** The end of its newest block, Unix ms. */
  readonly endMs: number;
}

export interface OriginBlock {
  readonly block: StoredBlock;
  /** The values of its replica labels; '' without any. */
  readonly replica: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface Chosen {
  /** In order of their labels. */
  readonly origins: readonly Origin[];
  readonly startMs: number | undefined;
  /** Up to where the blocks of all origins are there; undefined without any. */
  readonly reachMs: number | undefined;
  /** Origins that ended long before the others. */
  readonly ended: readonly Origin[];
  /** Times that only downsampled blocks have, in order. */
  readonly downsampledOnly: readonly { readonly startMs: number; readonly endMs: number }[];
}

/** Who is so far behind the newest has ended. */
const ENDED_MS = 12 * HOUR_MS;
/** Writers of one time are done within this of one another… */
const SETTLING_MS = 10 * MINUTE_MS;
/** …which matters only for blocks of these last hours: older ones are copies. */
const RECENT_MS = 6 * HOUR_MS;

/**
 * @param replicaLabels names of external labels by which replicas differ
 * @param nowMs by the clock of whoever stores the blocks
 */
export function chooseBlocks(
  blocks: readonly StoredBlock[],
  replicaLabels: readonly string[],
  nowMs: number,
): Chosen {
  const wanted = blocks.filter(({ isMarked }) => !isMarked);
  const raw = wanted.filter(({ resolutionMs }) => resolutionMs === 0);
  const read = withoutCovered(raw, replicaLabels);
  const origins = originsOf(read, replicaLabels);
  const newestMs = Math.max(...origins.map(({ endMs }) => endMs));
  const settled = originsOf(
    read.filter((block) => isSettled(block, nowMs)),
    replicaLabels,
  );
  const newestSettledMs = Math.max(...settled.map(({ endMs }) => endMs));
  const alive = settled.filter(({ endMs }) => endMs >= newestSettledMs - ENDED_MS);
  const startMs = read.length === 0 ? undefined : Math.min(...read.map((block) => block.startMs));
  return {
    origins,
    startMs,
    // No time is whole while others of the first blocks' time may still come.
    reachMs: alive.length === 0 ? startMs : Math.min(...alive.map(({ endMs }) => endMs)),
    ended: origins.filter(({ endMs }) => endMs < newestMs - ENDED_MS),
    downsampledOnly: onlyIn(
      wanted.filter(({ resolutionMs }) => resolutionMs > 0),
      read,
    ),
  };
}

function isSettled({ uploadedMs, endMs }: StoredBlock, nowMs: number): boolean {
  return nowMs - uploadedMs >= SETTLING_MS || nowMs - endMs >= RECENT_MS;
}

/** Without those whose sources another one has, too. */
function withoutCovered(
  blocks: readonly StoredBlock[],
  replicaLabels: readonly string[],
): StoredBlock[] {
  const bySource = new Map<string, StoredBlock[]>();
  for (const block of blocks)
    for (const source of block.sources) {
      const known = bySource.get(source);
      if (known === undefined) bySource.set(source, [block]);
      else known.push(block);
    }
  const originOf = (block: StoredBlock): string =>
    textOf(block.labels.filter(([name]) => !replicaLabels.includes(name)));
  return blocks.filter((block) => {
    const [source = ''] = block.sources;
    const others = bySource.get(source) ?? [];
    return !others.some((other) => covers(other, block) && originOf(other) === originOf(block));
  });
}

function covers(other: StoredBlock, block: StoredBlock): boolean {
  if (other === block || other.sources.length < block.sources.length) return false;
  const sources = new Set(other.sources);
  if (!block.sources.every((source) => sources.has(source))) return false;
  if (other.sources.length > block.sources.length) return true;
  if (other.level !== block.level) return other.level > block.level;
  // Made twice of the same: one of them is enough.
  return textOf(other.labels) === textOf(block.labels) && other.ulid > block.ulid;
}

function originsOf(blocks: readonly StoredBlock[], replicaLabels: readonly string[]): Origin[] {
  const origins = new Map<string, { labels: StoredBlock['labels']; blocks: OriginBlock[] }>();
  for (const block of blocks) {
    const labels = block.labels.filter(
      ([name]) => !replicaLabels.includes(name) && !name.startsWith('__'),
    );
    const replica = textOf(block.labels.filter(([name]) => replicaLabels.includes(name)));
    const key = textOf(labels);
    const origin = origins.get(key) ?? { labels, blocks: [] };
    const { startMs, endMs } = block;
    origin.blocks.push({ block, replica, startMs, endMs });
    origins.set(key, origin);
  }
  const inOrder = [...origins].sort(([a], [b]) => (a < b ? -1 : 1));
  return inOrder.map(([, { labels, blocks: own }]) => ({
    labels,
    blocks: own.sort((a, b) => a.startMs - b.startMs || (a.block.ulid < b.block.ulid ? -1 : 1)),
    endMs: Math.max(...own.map(({ endMs }) => endMs)),
  }));
}

/** Labels as one text, which also orders them. */
export function textOf(labels: StoredBlock['labels']): string {
  return labels.length === 0 ? '' : JSON.stringify(labels);
}

/** Parts of the times of `blocks` that none of `others` has. */
function onlyIn(
  blocks: readonly StoredBlock[],
  others: readonly StoredBlock[],
): { startMs: number; endMs: number }[] {
  const known = others.toSorted((a, b) => a.startMs - b.startMs);
  const parts = blocks.flatMap(({ startMs, endMs }) => {
    const own: { startMs: number; endMs: number }[] = [];
    let fromMs = startMs;
    for (const other of known) {
      if (other.endMs <= fromMs) continue;
      if (other.startMs >= endMs) break;
      if (other.startMs > fromMs) own.push({ startMs: fromMs, endMs: other.startMs });
      fromMs = Math.max(fromMs, other.endMs);
    }
    if (fromMs < endMs) own.push({ startMs: fromMs, endMs });
    return own;
  });
  const joined: { startMs: number; endMs: number }[] = [];
  for (const part of parts.sort((a, b) => a.startMs - b.startMs)) {
    const last = joined.at(-1);
    if (last !== undefined && part.startMs <= last.endMs)
      last.endMs = Math.max(last.endMs, part.endMs);
    else joined.push({ ...part });
  }
  return joined;
}
