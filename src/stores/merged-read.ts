/**
 * One read of several stores, one store after the other, so that what is computed of it does not depend on which one is
 * quicker. The next ones are begun meanwhile.
 *
 *   store 1   ██████████▶
 *   store 2   ██ waits  ███████▶            a few batches wait for their turn
 *   store 3      ██ waits       ██████▶
 */
import { StoreFailure, type Batch, type OnWarning, type Room } from '../metrics/index.ts';
import { either, Unavailable } from '../query/index.ts';
import { OneStoreFailure, type OneReplica, type OneStore } from './one-store.ts';
import { ReadAhead } from './read-ahead.ts';
import type { WaitingMemory } from './waiting-memory.ts';

/** Stores that are read or wait at once, for one read. */
const AHEAD = 4;

export interface MergedRead {
  /** In the order in which their batches come. */
  readonly stores: readonly OneStore[];
  /** Reads one of their replicas. */
  readonly begin: (replica: OneReplica, signal: AbortSignal, room: Room) => AsyncIterable<Batch>;
  readonly signal: AbortSignal;
  readonly onWarning: OnWarning | undefined;
  /** Memory for what is handed out. */
  readonly room: Room;
  readonly waiting: WaitingMemory;
  /** How long a store may be kept waiting. */
  readonly patienceMs: number;
  /** Called with the stores of which nothing came at all, if anything came. */
  readonly onEmpty?: (stores: readonly OneStore[]) => void;
}

interface Part {
  readonly store: OneStore;
  readonly replica: OneReplica;
}

/** @throws {OneStoreFailure} one of them failed, with all its replicas */
export async function* mergedRead(read: MergedRead): AsyncGenerator<Batch, void> {
  const { stores, signal, room } = read;
  const parts = partsOf(stores);
  const stop = new AbortController();
  const begun: Begun[] = [];
  const failures = new Failures(read);
  const empty = new Set(stores);
  try {
    for (let i = 0; i < parts.length; i++) {
      for (const part of parts.slice(begun.length, i + AHEAD))
        begun.push(begin(part, read, either(signal, stop.signal)));
      const current = begun[i];
      if (current === undefined) throw new Error('BUG: a read that was not begun');
      try {
        for await (const batch of labelled(current, room)) {
          empty.delete(current.store);
          yield batch;
          failures.refuse(begun.slice(i + 1));
        }
      } catch (error) {
        failures.take(current, error);
      }
    }
    if (empty.size > 0 && empty.size < stores.length) read.onEmpty?.([...empty]);
  } finally {
    stop.abort(new Error('the read is over'));
    await Promise.all(begun.map(({ ahead }) => ahead.stop()));
  }
}

/** The batches of a store that have anything, in memory of who reads. */
async function* labelled({ ahead, replica, done }: Begun, room: Room): AsyncGenerator<Batch, void> {
  for await (const batch of ahead.batches()) {
    if (batch.bytes.length > 0) yield replica.labelled(batch, room);
    done(batch);
  }
}

function partsOf(stores: readonly OneStore[]): Part[] {
  return stores.flatMap((store) => store.replicas.map((replica) => ({ store, replica })));
}

interface Begun extends Part {
  readonly ahead: ReadAhead;
  /** Its batch was copied. */
  readonly done: (batch: Batch) => void;
}

function begin({ store, replica }: Part, read: MergedRead, signal: AbortSignal): Begun {
  const memory = read.waiting.lend();
  const counted = (): AsyncIterable<Batch> =>
    replica.state.counted(() => read.begin(replica, signal, memory.room), signal);
  const ahead = new ReadAhead(counted, read.patienceMs);
  return { store, replica, ahead, done: (batch) => memory.give(batch) };
}

/** Which replicas failed: as long as one of a store answers, its answer is that of the store. */
class Failures {
  readonly #read: MergedRead;
  readonly #failed: Map<OneStore, Set<OneReplica>> = new Map();

  constructor(read: MergedRead) {
    this.#read = read;
  }

  /** @throws {OneStoreFailure} unless another replica may still have what is missing */
  take({ store, replica }: Part, error: unknown): void {
    this.#read.signal.throwIfAborted();
    // One that has its store's name is of another that waits.
    if (!(error instanceof Unavailable) || error instanceof OneStoreFailure) throw error;
    const failed = this.#failed.get(store) ?? new Set();
    this.#failed.set(store, failed.add(replica));
    const named = new OneStoreFailure(store, asStoreFailure(error));
    if (failed.size === store.replicas.length) throw named;
    const others = store.replicas.length - failed.size;
    this.#read.onWarning?.(
      `replica ${replica.name} cannot be read, ${others} of ${store.replicas.length} can: ${named.message}`,
    );
  }

  /** @throws {OneStoreFailure} when one that waits has failed already, and no other can stand in for it */
  refuse(waiting: readonly Begun[]): void {
    for (const { store, ahead } of waiting) {
      const { failure } = ahead;
      if (failure === undefined || store.replicas.length > 1) continue;
      if (!(failure.error instanceof Unavailable)) throw failure.error;
      throw new OneStoreFailure(store, asStoreFailure(failure.error));
    }
  }
}

function asStoreFailure(error: Unavailable): StoreFailure {
  if (error instanceof StoreFailure) return error;
  const { message, status, hint } = error;
  return new StoreFailure(message, {
    status,
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
}
