/**
 * What a task's own objects take of its worker's heap. At V8's limit Node ends the worker, but leaves
 * it 16 MiB to get there: whoever then asks for more at once, as a table of half a million names does
 * that doubles, ends the process (node_worker.cc, NearHeapLimit). So those who make as many objects as
 * there is data look in time, and have room for the largest.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { resourceLimits } from 'node:worker_threads';

const MIB = 2 ** 20;
/**
 * Of V8's limit. A table of texts that doubles stands beside the one before: then there is at most
 * twice as much as before, as a text takes no less than its entry.
 */
const BUDGET_SHARE = 0.45;
/** Of the budget: with less to gain the heap would be collected again and again. */
const LIVE_SHARE = 0.9;

/** What a task makes does not fit its worker's heap. */
export class HeapFull extends Error {
  readonly budgetBytes: number;
  constructor(budgetBytes: number) {
    super(`the memory budget is spent: objects take more than ${budgetBytes} bytes`);
    this.name = 'HeapFull';
    this.budgetBytes = budgetBytes;
  }
}

/** Infinity on the main thread, which has no limit of ours. */
const BUDGET_BYTES = Math.floor(
  BUDGET_SHARE * MIB * (resourceLimits.maxOldGenerationSizeMb ?? Infinity),
);

/** @throws {HeapFull} where more lives than may. Costs 3 µs while there is room. */
export function checkHeap(): void {
  if (usedBytes() <= BUDGET_BYTES) return;
  collect();
  if (usedBytes() > LIVE_SHARE * BUDGET_BYTES) throw new HeapFull(BUDGET_BYTES);
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

/** Garbage among them. */
function usedBytes(): number {
  return getHeapStatistics().used_heap_size;
}

/** V8 lets garbage lie as long as its own limit is far: only what lives counts. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
