/**
 * What a task's own objects take of its worker's heap. At V8's limit Node ends the worker, but leaves
 * it 16 MiB to get there: whoever then asks for more at once, as a table of half a million names does
 * that doubles, ends the process (node_worker.cc, NearHeapLimit). So those who make as many objects as
 * there is data look in time, and have room for the largest.
 *
 * What tasks of all workers may take is one budget: a task takes of it what its heap has beyond what a
 * worker always has, and gives it back at its end, when its garbage is collected.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { resourceLimits, workerData } from 'node:worker_threads';

const MIB = 2 ** 20;
/**
 * Of V8's limit. A table of texts that doubles stands beside the one before: then there is at most
 * twice as much as before, as a text takes no less than its entry.
 */
const BUDGET_SHARE = 0.45;
/** Of the budget: with less to gain the heap would be collected again and again. */
const LIVE_SHARE = 0.9;
/** Pages of a heap are not full, and tables that double leave the one before. */
const RESIDENT_SHARE = 1.25;
/** Of the budget: so much garbage of a task may lie until V8 collects it by itself. */
const LITTLE_SHARE = 1 / 16;
/** Taken of the budget at once. */
const STEP_MIB = 4;

/** What a task makes does not fit its worker's heap. */
export class HeapFull extends Error {
  readonly budgetBytes: number;
  /** It would fit if tasks of other workers had ended. */
  readonly isForOthers: boolean;
  constructor(budgetBytes: number, isForOthers: boolean = false) {
    super(`the memory budget is spent: objects take more than ${budgetBytes} bytes`);
    this.name = 'HeapFull';
    this.budgetBytes = budgetBytes;
    this.isForOthers = isForOthers;
  }
}

/** What heaps of all workers may have; can be posted to them. */
export interface SharedHeaps {
  /** [MiB that no task has taken, MiB that the task at place 1 has, at place 2, …] */
  readonly mib: Int32Array;
  readonly heapMib: number;
  /** What each has without any task. */
  readonly ownBytes: number;
}

export interface HeapSizes {
  /** Of all workers together, beyond `ownBytes` of each. */
  readonly heapBytes: number;
  readonly ownBytes: number;
}

/** @param places of tasks under way at once */
export function shareHeaps({ heapBytes, ownBytes }: HeapSizes, places: number): SharedHeaps {
  const mib = new Int32Array(new SharedArrayBuffer(4 * (places + 1)));
  const heapMib = Math.floor(heapBytes / MIB);
  mib[0] = heapMib;
  return { mib, heapMib, ownBytes };
}

/** The limit of V8 for one worker, whose tasks may take the whole budget where others take nothing. */
export function heapLimitMib({ heapBytes, ownBytes }: HeapSizes): number {
  return Math.ceil((ownBytes + heapBytes / RESIDENT_SHARE) / MIB / BUDGET_SHARE);
}

/** Infinity on the main thread, which has no limit of ours. */
const BUDGET_BYTES = Math.floor(
  BUDGET_SHARE * MIB * (resourceLimits.maxOldGenerationSizeMb ?? Infinity),
);
const HEAPS = (workerData as { readonly heaps?: SharedHeaps } | null)?.heaps;
/** Where it stands what this worker's task has of the budget. */
let place = 1;

/** @throws {HeapFull} where more lives than may. Costs 3 µs while there is room. */
export function checkHeap(): void {
  const used = usedBytes();
  if (used <= BUDGET_BYTES && isGranted(used)) return;
  collect();
  // On busy cores pages are swept late, and their garbage counts until then: the next collection ends that.
  if (usedBytes() > LIVE_SHARE * BUDGET_BYTES) collect();
  const live = usedBytes();
  if (live > LIVE_SHARE * BUDGET_BYTES) throw new HeapFull(BUDGET_BYTES);
  if (!isGranted(live / LIVE_SHARE)) throw new HeapFull(BUDGET_BYTES, true);
}

let unseenBytes = 0;

/**
 * Called by who makes an object for each text, row or group, with about what it takes: looks at the heap
 * once a MiB. A look costs as much as making a hundred objects.
 * @throws {HeapFull} where more lives than may
 */
export function spendHeap(bytes: number): void {
  unseenBytes += bytes;
  if (unseenBytes < MIB) return;
  unseenBytes = 0;
  checkHeap();
}

/** At a task's beginning. @param at the task's place, which no other has at the time */
export function takeHeapAt(at: number): void {
  place = at;
}

/** At a task's end: what it took of the budget is free once its garbage is, unless that is little. */
export function giveBackHeap(): void {
  if (HEAPS === undefined || HEAPS.mib[place] === 0) return;
  // A collection takes 30 ms: not for what is little beside the budget.
  if ((HEAPS.mib[place] ?? 0) > LITTLE_SHARE * HEAPS.heapMib) collect();
  freeHeapAt(HEAPS, place);
}

/** Gives back what a task has whose worker died. */
export function freeHeapAt({ mib }: SharedHeaps, at: number): void {
  Atomics.add(mib, 0, Atomics.exchange(mib, at, 0));
}

/** Whether others leave so much; takes of the budget what that is beyond what it has. */
function isGranted(bytes: number): boolean {
  if (HEAPS === undefined) return true;
  const { mib, heapMib, ownBytes } = HEAPS;
  const more = Math.min(heapMib, stepsMib(bytes - ownBytes)) - Atomics.load(mib, place);
  if (more <= 0) return true;
  if (Atomics.sub(mib, 0, more) < more) {
    Atomics.add(mib, 0, more);
    return false;
  }
  Atomics.add(mib, place, more);
  return true;
}

function stepsMib(bytes: number): number {
  return STEP_MIB * Math.ceil((RESIDENT_SHARE * bytes) / MIB / STEP_MIB);
}

/** Garbage among them. */
function usedBytes(): number {
  return getHeapStatistics().used_heap_size;
}

/** V8 lets garbage lie as long as its own limit is far: only what lives counts. */
function collect(): void {
  gc ??= collector();
  gc();
}

let gc: (() => void) | undefined;

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
