/**
 * How `--memory-limit` is divided, so that resident memory stays within it. First come parts that do not
 * depend on requests, as measured in a server under load; the rest is divided.
 *
 *   code       the process' programs and libraries: resident pages of files, compiled code, stacks
 *   main       objects of the main thread, with garbage that V8 has not collected
 *   allocator  freed buffers that malloc retains, of the main thread and of a worker
 *   worker     objects of a worker after all kinds of tasks, with garbage
 *   young      V8's young generation of each thread
 *   ─────────  the minimum for a number of workers also includes the minimum of the parts below
 *   arena      columns: sets, ledgers, answers; touched pages stay resident
 *   heap       objects of tasks, of all workers together
 *   caches     answers and texts that the main thread caches
 *   streams    readers of long answers: buffers of sockets and gzip for each
 *   inbound    bodies of requests that are under way
 *
 * With `--receive` the receiver comes before all of these: its thread, and its series. So does the thread that reads
 * blocks, where `--metrics-url` names some.
 */
export interface MemoryBudget {
  /** Workers: the wanted number, or fewer if they do not fit. */
  readonly threads: number;
  readonly wantedThreads: number;
  readonly arenaBytes: number;
  /** Heap for objects of all tasks together, on top of `WORKER_BYTES` of each worker. */
  readonly heapBytes: number;
  /** One of the two semi-spaces of a thread's young generation. */
  readonly semiSpaceBytes: number;
  /** Caches of the main thread; cached replies may take as much again as answers. */
  readonly answersBytes: number;
  readonly sizingAnswersBytes: number;
  readonly chargesBytes: number;
  readonly joinedBytes: number;
  /** Chunks of running answers, in the arena. */
  readonly slotsBytes: number;
  /** The number of long answers read at once. */
  readonly streams: number;
  /** Bodies of requests under way. */
  readonly inboundBytes: number;
}

const MIB = 2 ** 20;

const CODE_BYTES = 58 * MIB;
const MAIN_BYTES = 26 * MIB;
const ALLOCATOR_BYTES = 14 * MIB;
const WORKER_ALLOCATOR_BYTES = 5 * MIB;
/** Heap of a worker after tasks of each kind. */
export const WORKER_BYTES: number = 27 * MIB;
/** A stream's buffers in the socket, the engine and gzip. */
const STREAM_BYTES = 224 * 1024;
/** Enough for the columns of one small set and of a few readers. */
const LEAST_ARENA_BYTES = 24 * MIB;
const LEAST_REST_BYTES = 40 * MIB;
const ARENA_BYTES_MAX = 4096 * MIB;
const ARENA_SHARE = 0.56;
const CACHES_SHARE = 0.08;
const STREAMS_SHARE = 0.06;
const INBOUND_SHARE = 0.05;
const INBOUND_BYTES_MIN = MIB / 16;
const INBOUND_BYTES_MAX = 128 * MIB;
/** Share of the limit: a single request gets no more either, so that others can be served. */
const HEAP_SHARE_MAX = 0.35;
const YOUNG_SHARE = 1 / 16;
const SEMI_SPACE_BYTES_MIN = MIB;
const SEMI_SPACE_BYTES_MAX = 16 * MIB;
const STREAMS_MAX = 256;
const SLOTS_BYTES_MAX = 16 * MIB;
const SLOTS_SHARE = 1 / 16;

/** The receiver's thread, and samples of requests under way. */
const RECEIVER_BYTES = 96 * MIB;
/** Labels, samples that no block holds yet, and objects of one series, with garbage. */
const SERIES_BYTES = 3 * 1024;
export const SERIES_MIN = 1000;

/** Shares of the caches, and the maximum of each. */
const CACHES = {
  answersBytes: 64 * MIB,
  sizingAnswersBytes: 16 * MIB,
  chargesBytes: 32 * MIB,
  joinedBytes: 32 * MIB,
} as const;
/** Answers and replies have a space each. */
const REPLIES_SPACES = 2;
const CACHES_BYTES =
  Object.values(CACHES).reduce((sum, bytes) => sum + bytes, 0) +
  (REPLIES_SPACES - 1) * CACHES.answersBytes;

/** The thread that reads blocks, and what it fetches next for each read. */
const BLOCKS_BYTES = 56 * MIB;
const BLOCKS_SHARE = 1 / 16;
const BLOCKS_BYTES_MIN = 8 * MIB;
/** A header of a block of a million series takes some 50 MB, and a day has thirteen. */
const HEADERS_BYTES_MAX = 1024 * MIB;
const AHEAD_BYTES_MAX = 32 * MIB;
/** A portion's series live as long as its chunks are fetched: too long for V8's own young generation, which copies them. */
const BLOCKS_YOUNG_BYTES_MAX = 96 * MIB;
const BLOCKS_YOUNG_SHARE = 1 / 32;
/** In `BLOCKS_BYTES`. */
const YOUNG_BYTES_OF_V8 = 48 * MIB;

/** What reading blocks takes. */
export interface BlocksMemory {
  /** All of it. */
  readonly bytes: number;
  /** Texts of blocks, and places of their series. */
  readonly headerBytes: number;
  /** What is fetched before it is needed. */
  readonly aheadBytes: number;
  /** The young generation of the thread. */
  readonly youngBytes: number;
}

export function blocksMemory(limitBytes: number): BlocksMemory {
  const share = Math.max(BLOCKS_BYTES_MIN, wholeMib(BLOCKS_SHARE * limitBytes));
  const headerBytes = Math.min(HEADERS_BYTES_MAX, share);
  const aheadBytes = Math.min(AHEAD_BYTES_MAX, share / 2);
  const most = Math.min(BLOCKS_YOUNG_BYTES_MAX, wholeMib(BLOCKS_YOUNG_SHARE * limitBytes));
  const youngBytes = Math.max(YOUNG_BYTES_OF_V8, most);
  const bytes = BLOCKS_BYTES + headerBytes + aheadBytes + youngBytes - YOUNG_BYTES_OF_V8;
  return { bytes, headerBytes, aheadBytes, youngBytes };
}

/** The smallest limit for a server with this many workers. */
export function leastLimitBytes(threads: number): number {
  return fixedBytes(threads, SEMI_SPACE_BYTES_MIN) + LEAST_REST_BYTES;
}

/** Resident memory that does not depend on requests. */
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
 * @param limitBytes of resident memory, enough for one worker
 * @param wantedThreads 1 or more
 */
export function divideMemory(limitBytes: number, wantedThreads: number): MemoryBudget {
  const least = leastLimitBytes(1);
  const each = leastLimitBytes(2) - least;
  const fitting = Math.min(wantedThreads, 1 + Math.floor((limitBytes - least) / each));
  const semiSpaceBytes = semiSpaceOf(limitBytes, fitting);
  const restBytes = limitBytes - fixedBytes(fitting, semiSpaceBytes);
  const inboundBytes = Math.min(
    INBOUND_BYTES_MAX,
    Math.max(INBOUND_BYTES_MIN, wholeMib(INBOUND_SHARE * (restBytes - LEAST_REST_BYTES))),
  );
  const cachesBytes = Math.min(CACHES_BYTES, CACHES_SHARE * restBytes);
  const cache = (most: number): number => Math.floor((most / CACHES_BYTES) * cachesBytes);
  const streams = Math.min(STREAMS_MAX, Math.floor((STREAMS_SHARE * restBytes) / STREAM_BYTES));
  const arenaBytes = Math.min(
    ARENA_BYTES_MAX,
    Math.max(LEAST_ARENA_BYTES, wholeMib(ARENA_SHARE * restBytes)),
  );
  const takenBytes = cachesBytes + streams * STREAM_BYTES + arenaBytes + inboundBytes;
  const heapBytes = wholeMib(restBytes - takenBytes);
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
    inboundBytes,
  };
}

/** The resident memory of all parts of the budget. */
export function residentBytes(budget: MemoryBudget): number {
  return (
    fixedBytes(budget.threads, budget.semiSpaceBytes) +
    budget.arenaBytes +
    budget.heapBytes +
    REPLIES_SPACES * budget.answersBytes +
    budget.sizingAnswersBytes +
    budget.chargesBytes +
    budget.joinedBytes +
    budget.streams * STREAM_BYTES +
    budget.inboundBytes
  );
}

/** The part of the limit that a receiver takes, where the number of its series is not set. */
const RECEIVED_SHARE = 0.3;

/** Resident memory of a receiver with this many series: its thread, and what it has of each. */
export function receiverBytes(series: number): number {
  return RECEIVER_BYTES + series * SERIES_BYTES;
}

/** The series of a receiver whose number of them is not set. */
export function receiverSeries(limitBytes: number): number {
  const restBytes = RECEIVED_SHARE * limitBytes - RECEIVER_BYTES;
  return Math.max(SERIES_MIN, Math.floor(restBytes / SERIES_BYTES / 1000) * 1000);
}

/** The most series that leave room for one worker. */
export function receiverSeriesMax(limitBytes: number): number {
  return Math.floor((limitBytes - leastLimitBytes(1) - RECEIVER_BYTES) / SERIES_BYTES);
}

/** A power of two, as V8 requires. */
function semiSpaceOf(limitBytes: number, threads: number): number {
  const fair = (YOUNG_SHARE * limitBytes) / (2 * (threads + 1));
  const power = 2 ** Math.floor(Math.log2(fair));
  return Math.min(SEMI_SPACE_BYTES_MAX, Math.max(SEMI_SPACE_BYTES_MIN, power));
}

function wholeMib(bytes: number): number {
  return Math.floor(bytes / MIB) * MIB;
}
