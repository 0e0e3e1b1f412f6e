/**
 * What changed since samples were last taken, so that samples which are a minute apart tell it to the
 * millisecond:
 *
 *     taken            changed        deleted            taken
 *     ──●─────────────────○──────────────○×────────────────●──
 *                      an amount's    the last state,   the state now, and end markers of
 *                      new value      an end marker     series whose labels were changed
 *
 * New objects are first told of with the state: a sample just before it would look like the interval
 * between samples, and so like an end.
 */
import type { LabelBytes, Sample } from '../series.ts';
import { keyOf, metricOf, type PackedSeries } from './packed-series.ts';

type Change =
  | { readonly atMs: number; readonly gone: PackedSeries; readonly hasStart: boolean }
  | { readonly atMs: number; readonly labels: LabelBytes; readonly value: number };

/** An object before it changed, and when it first came. */
interface Before {
  readonly series: PackedSeries;
  readonly sinceMs: number;
  /** How often samples had been taken by then. */
  readonly sinceTaking: number;
}

/** Metrics of amounts that are charged for: when they change counts. */
const AMOUNTS: ReadonlySet<string> = new Set([
  'kube_pod_container_resource_requests',
  'kube_pod_spec_resource_requests',
  'kube_node_status_capacity',
  'kube_persistentvolume_capacity_bytes',
  'kube_persistentvolumeclaim_resource_requests_storage_bytes',
]);

/** Later changes push out earlier ones: nobody takes samples, or much too seldom. */
const BYTES_MAX = 32 * 1024 * 1024;
/** What a change takes besides the series of an object. */
const CHANGE_BYTES = 300;

export class Changes {
  #changes: Change[] = [];
  #bytes = 0;
  /** Series of objects that are still there, by their labels. */
  #ended: Map<string, LabelBytes> = new Map();
  /** Series that objects got since samples were taken: no sample has told them yet. */
  #untold: Set<string> = new Set();
  #lost = 0;
  #takenMs = -Infinity;
  #takings = 0;

  /** Changes that no sample will tell. */
  get lost(): number {
    return this.#lost;
  }

  /** How often samples were taken. */
  get takings(): number {
    return this.#takings;
  }

  update(before: Before | undefined, after: PackedSeries, atMs: number): void {
    // Each object of a first list is new, and there is nothing to compare it with.
    if (before === undefined && this.#ended.size === 0) return;
    const earlier = this.#compared(before, after);
    after.places().forEach((place, key) => {
      const known = earlier.get(key);
      if (known === undefined || before === undefined) return;
      const [value, was] = [after.value(place), before.series.value(known)];
      const labels = after.labels(place);
      if (value === was || !AMOUNTS.has(metricOf(labels))) return;
      // What no samples told yet is told from its beginning on.
      if (!this.#isTold(before)) this.#add({ atMs: before.sinceMs, labels, value: was });
      this.#add({ atMs, labels, value });
    });
  }

  /**
   * @param last the state at the end
   * @param hasStart its start is known, and an end that nothing else tells is in the middle of its last sample
   * and the marker; otherwise at the marker (src/allocation/inventory/presence.ts)
   */
  delete(before: Before | undefined, last: PackedSeries, atMs: number, hasStart: boolean): void {
    this.#compared(before, last);
    this.#add({ atMs, gone: last, hasStart });
  }

  /** Samples of what changed before `timeMs`: of each series in order of time, and later than all before. */
  take(timeMs: number): Iterable<Sample> {
    const taken = { changes: this.#changes, ended: this.#ended, afterMs: this.#takenMs, timeMs };
    this.#changes = [];
    this.#bytes = 0;
    this.#ended = new Map();
    this.#untold = new Set();
    this.#takenMs = timeMs;
    this.#takings++;
    return samplesOf(taken);
  }

  /** The places of series before; those that are there no more have ended. */
  #compared(before: Before | undefined, after: PackedSeries): ReadonlyMap<string, number> {
    const earlier = before?.series.places() ?? new Map<string, number>();
    const later = after.places();
    for (const key of later.keys()) {
      const isBack = this.#ended.delete(key);
      if (before && !isBack && !earlier.has(key) && this.#isTold(before)) this.#untold.add(key);
    }
    for (const [key, place] of earlier) {
      if (before === undefined || later.has(key) || this.#untold.delete(key)) continue;
      if (this.#isTold(before)) this.#ended.set(key, before.series.labels(place));
    }
    return earlier;
  }

  #isTold({ sinceTaking }: Before): boolean {
    return sinceTaking < this.#takings;
  }

  #add(change: Change): void {
    this.#changes.push(change);
    this.#bytes += bytesOf(change);
    if (this.#bytes <= BYTES_MAX) return;
    const out = this.#changes.splice(0, Math.ceil(this.#changes.length / 2));
    this.#lost += out.length;
    this.#bytes -= out.reduce((bytes, one) => bytes + bytesOf(one), 0);
  }
}

function bytesOf(change: Change): number {
  return CHANGE_BYTES + ('gone' in change ? change.gone.bytes : 0);
}

interface Taken {
  readonly changes: readonly Change[];
  readonly ended: ReadonlyMap<string, LabelBytes>;
  readonly afterMs: number;
  readonly timeMs: number;
}

function* samplesOf({ changes, ended, afterMs, timeMs }: Taken): Generator<Sample, void> {
  /** The time of each series' last sample here: changes of one may fall on one millisecond. */
  const last = new Map<string, number>();
  const timeOf = (labels: LabelBytes, atMs: number): number => {
    const key = keyOf(labels);
    // The last samples before may have had a marker a millisecond after them.
    const nextMs = Math.max(afterMs + 2, atMs, (last.get(key) ?? -Infinity) + 1);
    last.set(key, nextMs);
    return nextMs;
  };
  for (const change of changes) {
    if (!('gone' in change)) {
      const { labels, value } = change;
      // What changed with the state, or after it as a clock was set, the state tells.
      if (change.atMs < timeMs) yield { labels, timeMs: timeOf(labels, change.atMs), value };
      continue;
    }
    const { gone, hasStart } = change;
    const atMs = Math.min(change.atMs, timeMs);
    for (let i = 0; i < gone.size; i++) {
      const labels = gone.labels(i);
      yield { labels, timeMs: timeOf(labels, atMs - 1), value: gone.value(i) };
      yield { labels, timeMs: timeOf(labels, hasStart ? atMs + 1 : atMs), value: undefined };
    }
  }
  for (const labels of ended.values()) yield { labels, timeMs, value: undefined };
}
