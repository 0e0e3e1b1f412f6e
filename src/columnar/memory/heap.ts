/**
 * The budget for objects of tasks in workers' heaps. At V8's limit Node ends the worker and leaves it
 * 16 MiB to do so: code that then needs more at once, such as a table of half a million names that
 * doubles, ends the whole process (node_worker.cc, NearHeapLimit). So code that makes as many objects as
 * there is data checks the heap in time, with a margin for the largest object.
 *
 * Tasks of all workers share one budget: a task takes from it as much as its heap exceeds that of an idle
 * worker, and gives it back at its end, when its garbage is collected.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { resourceLimits, workerData } from 'node:worker_threads';

const MIB = 2 ** 20;
/**
 * Part of V8's limit. A table of texts that doubles exists beside the old one: the heap then at most
 * doubles, as a text takes at least as much as its entry.
 */
const BUDGET_SHARE = 0.45;
/** Part of the budget: with less to gain the heap would be collected again and again. */
const LIVE_SHARE = 0.9;
/** Resident size by live bytes: pages of a heap are not full, and tables that double leave the old one. */
const RESIDENT_SHARE = 1.25;
/** Part of the budget: less garbage of a task is left until V8 collects it by itself. */
const LITTLE_SHARE = 1 / 16;
/** The budget is taken in steps of this size. */
const STEP_MIB = 4;

/** A task's objects exceed the heap budget. */
export class HeapFull extends Error {
  readonly budgetBytes: number;
  /** They would fit if tasks of other workers had ended. */
  readonly isForOthers: boolean;
  constructor(budgetBytes: number, isForOthers: boolean = false) {
    super(`the memory budget is spent: objects take more than ${budgetBytes} bytes`);
    this.name = 'HeapFull';
    this.budgetBytes = budgetBytes;
    this.isForOthers = isForOthers;
  }
}

/** The heap budget of all workers; can be posted to them. */
export interface SharedHeaps {
  /** [free MiB, MiB taken by the task at place 1, at place 2, …] */
  readonly mib: Int32Array;
  readonly heapMib: number;
  /** Heap of each worker without a task. */
  readonly ownBytes: number;
}

export interface HeapSizes {
  /** For all workers together, on top of `ownBytes` of each. */
  readonly heapBytes: number;
  readonly ownBytes: number;
}

/** @param places the number of tasks under way at once */
export function shareHeaps({ heapBytes, ownBytes }: HeapSizes, places: number): SharedHeaps {
  const mib = new Int32Array(new SharedArrayBuffer(4 * (places + 1)));
  const heapMib = Math.floor(heapBytes / MIB);
  mib[0] = heapMib;
  return { mib, heapMib, ownBytes };
}

/** V8's limit for one worker, which may use the whole budget while others use none. */
export function heapLimitMib({ heapBytes, ownBytes }: HeapSizes): number {
  return Math.ceil((ownBytes + heapBytes / RESIDENT_SHARE) / MIB / BUDGET_SHARE);
}

/** Infinity on the main thread, which has no such limit. */
const BUDGET_BYTES = Math.floor(
  BUDGET_SHARE * MIB * (resourceLimits.maxOldGenerationSizeMb ?? Infinity),
);
const HEAPS = (workerData as { readonly heaps?: SharedHeaps } | null)?.heaps;
/** The place of this worker's task in the budget. */
let place = 1;

/** @throws {HeapFull} when live objects exceed the budget */
export function checkHeap(): void {
  const used = usedBytes();
  if (used <= BUDGET_BYTES && isGranted(used)) return;
  collect();
  // On busy cores pages are swept late, and garbage counts until then; the next collection corrects that.
  if (usedBytes() > LIVE_SHARE * BUDGET_BYTES) collect();
  const live = usedBytes();
  if (live > LIVE_SHARE * BUDGET_BYTES) throw new HeapFull(BUDGET_BYTES);
  if (!isGranted(live / LIVE_SHARE)) throw new HeapFull(BUDGET_BYTES, true);
}

let unseenBytes = 0;

/**
 * Called for each object by code that makes one for each text, row or group, with its approximate size.
 * Checks the heap once for each MiB, as a check costs as much as a hundred objects.
 * @throws {HeapFull} when live objects exceed the budget
 */
export function spendHeap(bytes: number): void {
  unseenBytes += bytes;
  if (unseenBytes < MIB) return;
  unseenBytes = 0;
  checkHeap();
}

/** Called at a task's start. @param at the task's place, which no other task has meanwhile */
export function takeHeapAt(at: number): void {
  place = at;
}

/** Called at a task's end: collects its garbage, unless that is little, and gives back its budget. */
export function giveBackHeap(): void {
  if (HEAPS === undefined || HEAPS.mib[place] === 0) return;
  // A collection is too expensive for a small part of the budget.
  if ((HEAPS.mib[place] ?? 0) > LITTLE_SHARE * HEAPS.heapMib) collect();
  freeHeapAt(HEAPS, place);
}

/** Gives back the budget of a task after its worker died. */
export function freeHeapAt({ mib }: SharedHeaps, at: number): void {
  Atomics.add(mib, 0, Atomics.exchange(mib, at, 0));
}

/** Takes from the budget up to `bytes` in total. @returns whether others left that much */
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

/** Bytes in use, garbage included. */
function usedBytes(): number {
  return getHeapStatistics().used_heap_size;
}

/** Collects garbage, which V8 would leave until its own limit is near: only live objects count. */
function collect(): void {
  gc ??= collector();
  gc();
}

let gc: (() => void) | undefined;

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
