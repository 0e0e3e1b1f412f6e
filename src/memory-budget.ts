/**
 * How `--memory-limit` is divided, so that what is resident stays within it. First comes what is there
 * whatever is asked, as measured in a server under load; what is left is shared out.
 *
 *   code       the process' programs and libraries: resident pages of files, compiled code, stacks
 *   main       objects of the main thread, with the garbage that V8 lets lie
 *   allocator  what malloc keeps of buffers that came and went, the main thread's and a worker's
 *   worker     objects that a worker has after all kinds of tasks, with garbage
 *   young      of each thread, where new objects are until they prove to last
 *   ─────────  the least there must be for a number of workers, with the least of the rest
 *   arena      columns: sets, ledgers, answers; what was touched once stays resident
 *   heap       objects of tasks, of all workers together
 *   caches     answers and texts that the main thread keeps
 *   streams    readers of long answers: what sockets and gzip hold for each
 */
export interface MemoryBudget {
  /** Workers: at most those wanted, and as many as fit. */
  readonly threads: number;
  readonly wantedThreads: number;
  readonly arenaBytes: number;
  /** What objects of tasks may take together, beyond `WORKER_BYTES` of each worker. */
  readonly heapBytes: number;
  /** A semi-space of a thread's young objects, of which there are two. */
  readonly semiSpaceBytes: number;
  /** Caches of the main thread; replies by their words are kept within as much as answers. */
  readonly answersBytes: number;
  readonly sizingAnswersBytes: number;
  readonly chargesBytes: number;
  readonly joinedBytes: number;
  /** Chunks of answers under way, in the arena. */
  readonly slotsBytes: number;
  /** Long answers that are read at once. */
  readonly streams: number;
}

const MIB = 2 ** 20;

const CODE_BYTES = 58 * MIB;
const MAIN_BYTES = 26 * MIB;
const ALLOCATOR_BYTES = 14 * MIB;
const WORKER_ALLOCATOR_BYTES = 5 * MIB;
/** Of the heap of a worker that has done tasks of each kind. */
export const WORKER_BYTES: number = 27 * MIB;
/** A stream's buffers in the socket, the engine and gzip. */
const STREAM_BYTES = 224 * 1024;
/** Answers need so much for the columns of one small set and of a few readers. */
const LEAST_ARENA_BYTES = 24 * MIB;
const LEAST_REST_BYTES = 40 * MIB;
const ARENA_BYTES_MAX = 4096 * MIB;
const ARENA_SHARE = 0.56;
const CACHES_SHARE = 0.08;
const STREAMS_SHARE = 0.06;
/** Of the limit: who asks alone gets no more either, so that others are served. */
const HEAP_SHARE_MAX = 0.35;
const YOUNG_SHARE = 1 / 16;
const SEMI_SPACE_BYTES_MIN = MIB;
const SEMI_SPACE_BYTES_MAX = 16 * MIB;
const STREAMS_MAX = 256;
const SLOTS_BYTES_MAX = 16 * MIB;
const SLOTS_SHARE = 1 / 16;

/** Of the caches; the most that each takes where there is plenty. */
const CACHES = {
  answersBytes: 64 * MIB,
  sizingAnswersBytes: 16 * MIB,
  chargesBytes: 32 * MIB,
  joinedBytes: 32 * MIB,
} as const;
/** Answers, and replies that outlive them. */
const REPLIES_SPACES = 2;
const CACHES_BYTES =
  Object.values(CACHES).reduce((sum, bytes) => sum + bytes, 0) +
  (REPLIES_SPACES - 1) * CACHES.answersBytes;

/** The least limit that a server with so many workers stays within. */
export function leastLimitBytes(threads: number): number {
  return fixedBytes(threads, SEMI_SPACE_BYTES_MIN) + LEAST_REST_BYTES;
}

/** Resident whatever is asked. */
function fixedBytes(threads: number, semiSpaceBytes: number): number {
  return (
    CODE_BYTES +
    MAIN_BYTES +
    ALLOCATOR_BYTES +
    threads * (WORKER_BYTES + WORKER_ALLOCATOR_BYTES) +
    2 * semiSpaceBytes * (threads + 1)
  );
}

/**
 * @param limitBytes may be resident; at least what one worker needs
 * @param wantedThreads 1 or more
 */
export function divideMemory(limitBytes: number, wantedThreads: number): MemoryBudget {
  const least = leastLimitBytes(1);
  const each = leastLimitBytes(2) - least;
  const fitting = Math.min(wantedThreads, 1 + Math.floor((limitBytes - least) / each));
  const semiSpaceBytes = semiSpaceOf(limitBytes, fitting);
  const restBytes = limitBytes - fixedBytes(fitting, semiSpaceBytes);
  const cachesBytes = Math.min(CACHES_BYTES, CACHES_SHARE * restBytes);
  const cache = (most: number): number => Math.floor((most / CACHES_BYTES) * cachesBytes);
  const streams = Math.min(STREAMS_MAX, Math.floor((STREAMS_SHARE * restBytes) / STREAM_BYTES));
  const arenaBytes = Math.min(
    ARENA_BYTES_MAX,
    Math.max(LEAST_ARENA_BYTES, wholeMib(ARENA_SHARE * restBytes)),
  );
  const heapBytes = wholeMib(restBytes - cachesBytes - streams * STREAM_BYTES - arenaBytes);
  return {
    threads: fitting,
    wantedThreads,
    arenaBytes,
    heapBytes: Math.min(heapBytes, wholeMib(HEAP_SHARE_MAX * limitBytes)),
    semiSpaceBytes,
    answersBytes: cache(CACHES.answersBytes),
    sizingAnswersBytes: cache(CACHES.sizingAnswersBytes),
    chargesBytes: cache(CACHES.chargesBytes),
    joinedBytes: cache(CACHES.joinedBytes),
    slotsBytes: Math.min(SLOTS_BYTES_MAX, wholeMib(SLOTS_SHARE * arenaBytes)),
    streams,
  };
}

/** All that the budget lets be resident. */
export function residentBytes(budget: MemoryBudget): number {
  return (
    fixedBytes(budget.threads, budget.semiSpaceBytes) +
    budget.arenaBytes +
    budget.heapBytes +
    REPLIES_SPACES * budget.answersBytes +
    budget.sizingAnswersBytes +
    budget.chargesBytes +
    budget.joinedBytes +
    budget.streams * STREAM_BYTES
  );
}

/** V8 takes powers of two. */
function semiSpaceOf(limitBytes: number, threads: number): number {
  const fair = (YOUNG_SHARE * limitBytes) / (2 * (threads + 1));
  const power = 2 ** Math.floor(Math.log2(fair));
  return Math.min(SEMI_SPACE_BYTES_MAX, Math.max(SEMI_SPACE_BYTES_MIN, power));
}

function wholeMib(bytes: number): number {
  return Math.floor(bytes / MIB) * MIB;
}
