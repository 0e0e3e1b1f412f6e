/** Series of several blocks, each block's in order, as one list in order. */
import {
  compareLabels,
  mergeChunks,
  spansOf,
  type LabelBytes,
  type StoredSeries,
  type StoredSpan,
} from '../../tsdb/index.ts';
import type { Begun } from './ahead.ts';
import type { ReadSeries } from './read-portion.ts';
import { oneOfReplicas, type ReplicaChunks } from './replicas.ts';

export interface SeriesStream {
  /** '' where there are no replicas. */
  readonly replica: string;
  /** In the order of `compareLabels`, every series once. */
  readonly portions: Begun<readonly ReadSeries[]>;
}

const MERGED_SERIES = 256;

/** Where a stream is. */
class Cursor {
  readonly replica: string;
  readonly #portions: Begun<readonly ReadSeries[]>;
  #portion: readonly ReadSeries[] = [];
  #at = 0;

  constructor({ replica, portions }: SeriesStream) {
    this.replica = replica;
    this.#portions = portions;
  }

  get next(): ReadSeries | undefined {
    return this.#portion[this.#at];
  }

  skip(): void {
    this.#at++;
  }

  /** Has the next series where there is one. */
  async reach(): Promise<void> {
    while (this.next === undefined) {
      const { done, value } = await this.#portions.next();
      if (done === true) return;
      [this.#portion, this.#at] = [value, 0];
    }
  }
}

/** @throws {Unavailable} for a chunk that has to be decoded and cannot be */
export async function* mergeStreams(
  streams: readonly SeriesStream[],
): AsyncGenerator<readonly StoredSeries[], void> {
  const cursors = streams.map((stream) => new Cursor(stream));
  let merged: StoredSeries[] = [];
  try {
    for (;;) {
      for (const cursor of cursors) if (cursor.next === undefined) await cursor.reach();
      const least = leastOf(cursors);
      const [first] = least;
      if (first?.next === undefined) break;
      merged.push({ labels: first.next.labels, spans: spansOfAll(least) });
      for (const cursor of least) cursor.skip();
      if (merged.length < MERGED_SERIES) continue;
      yield merged;
      merged = [];
    }
    if (merged.length > 0) yield merged;
  } finally {
    await Promise.all(streams.map(({ portions }) => portions.return()));
  }
}

/** Those that are at the first series, in the order of blocks. */
function leastOf(cursors: readonly Cursor[]): Cursor[] {
  let least: Cursor[] = [];
  let labels: LabelBytes | undefined;
  for (const cursor of cursors) {
    const { next } = cursor;
    if (next === undefined) continue;
    const order = labels === undefined ? -1 : orderOf(next.labels, labels);
    if (order === 0) least.push(cursor);
    if (order >= 0) continue;
    least = [cursor];
    labels = next.labels;
  }
  return least;
}

/** Most often they are equal, byte by byte. */
function orderOf(a: LabelBytes, b: LabelBytes): number {
  return Buffer.compare(a, b) === 0 ? 0 : compareLabels(a, b);
}

/** As they stand in files where no two blocks have the same time. */
function spansOfAll(same: readonly Cursor[]): readonly StoredSpan[] {
  const byReplica = new Map<string, ReadSeries[]>();
  for (const { replica, next } of same) {
    if (next === undefined) continue;
    const known = byReplica.get(replica);
    if (known === undefined) byReplica.set(replica, [next]);
    else known.push(next);
  }
  const [only = [], ...others] = byReplica.values();
  if (others.length === 0) {
    const spans = only.flatMap((series) => series.spans);
    return isInOrder(spans) ? spans : spansOf(ofOneReplica(only).chunks);
  }
  const inOrder = [...byReplica].sort(([a], [b]) => (a < b ? -1 : 1));
  return spansOf(oneOfReplicas(inOrder.map(([, series]) => ofOneReplica(series))));
}

/** Samples of one writer: those of one time are one. */
function ofOneReplica(series: readonly ReadSeries[]): ReplicaChunks {
  const all = series.flatMap((each) => each.chunks());
  return {
    chunks: isInOrder(all) ? all : mergeChunks([all]),
    beforeMs: Math.max(...series.map(({ beforeMs }) => beforeMs)),
    afterMs: Math.min(...series.map(({ afterMs }) => afterMs)),
  };
}

function isInOrder(
  all: readonly { readonly minTimeMs: number; readonly maxTimeMs: number }[],
): boolean {
  return all.every(({ minTimeMs }, i) => minTimeMs > (all[i - 1]?.maxTimeMs ?? -Infinity));
}
