/**
 * Flags of V8 that are read while it runs: what is left to a process whose main thread is there before
 * its settings are known. Where memory is ample V8 does as it likes, which is fastest.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setV8Flag } from '../columnar/index.ts';
import type { MemoryBudget } from '../settings/memory-budget.ts';

type HeapBudget = Pick<MemoryBudget, 'semiSpaceBytes'>;

const MIB = 2 ** 20;
/** From here on nothing is bound. */
const AMPLE_BYTES = 16 * MIB;
/** How much a heap grows until it is collected. V8's own is up to four times for the main thread. */
const GROWING_PERCENT = 40;
/** A worker's heap is first collected at this size; V8's own is half the limit. */
const FIRST_COLLECTED_MIB = 32;
const CHECK_MS = 100;

/** Before workers are started. */
export function boundHeaps({ semiSpaceBytes }: HeapBudget): void {
  if (semiSpaceBytes >= AMPLE_BYTES) return;
  setV8Flag('heap-growing-percent', GROWING_PERCENT);
  // Workers have theirs from the start: what stops the main thread's from growing stops theirs, too.
  setV8Flag('min-semi-space-size', semiSpaceBytes / MIB);
  setV8Flag('initial-old-space-size', FIRST_COLLECTED_MIB);
}

/**
 * Limits the main thread's own heap: young objects to the space of the budget, and unused buffers to
 * some MiB until they are collected. V8 by itself allows 64 MiB.
 * @returns a function that ends it
 */
export function limitMainHeap({ semiSpaceBytes }: HeapBudget): () => void {
  if (semiSpaceBytes >= AMPLE_BYTES) return () => undefined;
  const collect = collector();
  const mostBytes = BUFFERS_SPACES * semiSpaceBytes;
  let isFixed = false;
  let leastBytes = buffersBytes();
  let isLooked = false;
  const timer = setInterval(() => {
    if (!isFixed && youngBytes() >= 2 * semiSpaceBytes) {
      setV8Flag('semi-space-growth-factor', 1);
      isFixed = true;
    }
    const bytes = buffersBytes();
    const isOver = bytes >= leastBytes + mostBytes;
    leastBytes = Math.min(leastBytes, bytes);
    if (isOver && isLooked) {
      collect();
      leastBytes = buffersBytes();
    } else if (isOver) {
      // Buffers are freed on a thread of its own: the next look tells whether that was enough.
      collect({ type: 'minor' });
    }
    isLooked = isOver && !isLooked;
  }, CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Buffers come to so many semi-spaces until they are looked through. */
const BUFFERS_SPACES = 2;

type Collect = (options?: { readonly type: 'minor' }) => void;

function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}

function youngBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return space?.space_size ?? 0;
}

function buffersBytes(): number {
  return process.memoryUsage().arrayBuffers;
}
