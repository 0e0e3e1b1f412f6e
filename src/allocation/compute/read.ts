/**
 * Reading a metrics store into the arena: one lane a read. Within a lane batches are worked on one
 * after the other, so that a result never depends on the number of workers; lanes run side by side.
 */
import {
  BATCH_SLACK_BYTES,
  DamagedBatch,
  type Arena,
  type ArenaBatch,
  type Owner,
} from '../../columnar/index.ts';
import {
  StoreFailure,
  type Batch,
  type MetricsSource,
  type ReadTogether,
  type Selection,
  type TimeRange,
} from '../../metrics/index.ts';
import { either, Unavailable } from '../../query/index.ts';
import { BatchMemory } from './batch-memory.ts';

export interface ReadContext {
  readonly source: MetricsSource;
  readonly arena: Arena;
  readonly owner: Owner;
  readonly range: TimeRange;
  readonly signal: AbortSignal;
  /** Gets the store's warnings about its own answers. */
  readonly onWarning: (text: string) => void;
}

interface Undone {
  /**
   * Drops the result of the lane's only read, which broke, so that it can be done again from the start.
   * @returns whether there was anything; absent: its result cannot be separated from others
   */
  readonly forget?: () => boolean;
}

/** Reads of one metric, one after the other, and the work on their batches, in order: it gives their samples. */
export interface Lane extends Undone {
  readonly selections: readonly Selection[];
  readonly work: (batches: readonly ArenaBatch[], selection: Selection) => Promise<number>;
}

/** One read of several metrics, and the work on its batches, in order. */
export interface SharedLane extends Undone {
  readonly metrics: readonly string[];
  readonly read: ReadTogether;
  readonly work: (batches: readonly ArenaBatch[]) => Promise<number>;
}

/**
 * Runs the lanes, as many at once as the store allows. When one fails the others are stopped; no
 * work is under way any more when this returns or throws.
 */
export async function readLanes(
  context: ReadContext,
  lanes: readonly (Lane | SharedLane)[],
): Promise<void> {
  const stop = new AbortController();
  const signal = either(context.signal, stop.signal);
  const queue = lanes.values();
  const most = Math.min(AHEAD_BYTES_MAX, AHEAD_SHARE * context.arena.capacityBytes);
  const held = { bytes: 0, most };
  const worker = async (): Promise<void> => {
    for (const lane of queue) await readLane({ ...context, signal, held }, lane);
  };
  const workers = Array.from({ length: context.source.concurrentReads }, () =>
    worker().catch((error: unknown) => {
      stop.abort(error);
      throw error;
    }),
  );
  const results = await Promise.allSettled(workers);
  context.signal.throwIfAborted();
  if (stop.signal.aborted) throw stop.signal.reason;
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/**
 * Bytes that may wait for their turn, of all lanes together: usage is fetched ahead while the ledger
 * that it is for is still being laid.
 */
const AHEAD_BYTES_MAX = 32 * 2 ** 20;
const AHEAD_SHARE = 1 / 16;

/** A read of which batches wait for their turn or are worked on. */
interface Reading extends ReadContext {
  readonly held: { bytes: number; readonly most: number };
}

/** Batches that are worked on at once, when so many wait: a task takes milliseconds. */
const TOGETHER_BYTES = 4 * 2 ** 20;

async function readLane(reading: Reading, lane: Lane | SharedLane): Promise<void> {
  const { source, arena, owner, range, signal, onWarning } = reading;
  const { room } = new BatchMemory(arena, owner);
  if ('metrics' in lane) {
    return await unlessBroken(lane, () => {
      const batches = lane.read(lane.metrics, range, signal, onWarning, room);
      return readOne(reading, lane.metrics, batches, lane.work);
    });
  }
  for (const selection of lane.selections) {
    await unlessBroken(lane, () => {
      const batches = source.read(selection, range, signal, onWarning, room);
      return readOne(reading, [selection.metric], batches, (some) => lane.work(some, selection));
    });
  }
}

/** Reads again, once, what broke after its first samples; the store's reader retries what broke before. */
async function unlessBroken({ forget }: Undone, read: () => Promise<void>): Promise<void> {
  try {
    return await read();
  } catch (error) {
    const mayRetry = error instanceof StoreFailure && error.mayRetry;
    if (!mayRetry || forget?.() !== true) throw error;
  }
  await read();
}

async function readOne(
  reading: Reading,
  metrics: readonly string[],
  batches: AsyncIterable<Batch>,
  work: (batches: readonly ArenaBatch[]) => Promise<number>,
): Promise<void> {
  const { source, arena, owner, held } = reading;
  const rooms = new BatchMemory(arena, owner);
  const waiting: ArenaBatch[] = [];
  let last: Promise<void> = Promise.resolve();
  const ahead: Promise<void>[] = [];
  const workOnWaiting = async (): Promise<void> => {
    const some = together(waiting);
    try {
      if (some.length === 0) return;
      // Worked on also where nobody counts: an optional call would not even look at its arguments.
      const samples = await work(some);
      source.countSamples?.(samples);
    } finally {
      for (const { address, bytes } of some) {
        held.bytes -= bytes;
        arena.free(address, bytes + BATCH_SLACK_BYTES);
      }
    }
  };
  try {
    for await (const { bytes, encoding } of batches) {
      waiting.push({ address: rooms.take(bytes), bytes: bytes.length, encoding });
      held.bytes += bytes.length;
      last = last.then(workOnWaiting);
      // It is awaited below; until then its failure is not unhandled.
      last.catch(() => undefined);
      ahead.push(last);
      while (ahead.length > 1 && held.bytes >= held.most) await ahead.shift();
    }
    await last;
  } catch (error) {
    await Promise.allSettled(ahead);
    if (!(error instanceof DamagedBatch)) throw error;
    const found = await source.findDamage?.(metrics, reading.range, reading.signal);
    if (found !== undefined) throw found;
    const what = metrics.join(', ');
    throw new Unavailable(`cannot read ${what} from ${source.name}: ${error.message}`, {
      status: 502,
      cause: error,
    });
  }
}

/** Takes the first of those that wait, and as many more as may be worked on at once. */
function together(waiting: ArenaBatch[]): ArenaBatch[] {
  let bytes = 0;
  const rest = waiting.findIndex((batch, i) => (bytes += batch.bytes) > TOGETHER_BYTES && i > 0);
  return waiting.splice(0, rest < 0 ? waiting.length : rest);
}

/** Waits for all, also when one fails: memory must not be freed under the others. */
export async function allDone<T>(tasks: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks);
}
