/** The other side of wishes: the main thread brings sets of one place here, each wish once. */
import type { Owner } from '../../columnar/index.ts';
import { isPassing, Unavailable } from '../../query/index.ts';
import type { SetReader } from '../folder/read-set.ts';
import { DamagedSet } from '../set-key.ts';
import type { ReadTable, StoredSet } from '../sets.ts';
import {
  AGAIN_SECONDS,
  answerWish,
  BROUGHT_TIMES,
  tooSmall,
  wishIn,
  type LocalSet,
  type Wish,
} from './wish.ts';

/** Sets in another place, which come here by columns. */
export interface RemoteSets {
  /**
   * @param columns absent: all
   * @throws {DamagedSet} when the set is not there as it was written
   * @throws {Unavailable} when it cannot be brought
   */
  bring(
    stored: StoredSet,
    columns: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<LocalSet>;
}

/** Calls the listener for each message of a worker. @returns a function that ends it */
export type FromWorkers = (listener: (message: unknown) => void) => () => void;

export interface Provider {
  /** @throws as `RemoteSets` */
  bring(stored: StoredSet, columns: readonly string[] | undefined): Promise<LocalSet>;
  /** For the main thread, which cannot stand still. @throws as `RemoteSets`, and as `SetReader.read` */
  read(
    reader: SetReader,
    stored: StoredSet,
    owner: Owner,
    columns: readonly string[] | undefined,
  ): Promise<ReadTable>;
  /** Refuses what is under way. */
  close(): void;
}

/** @param remote the name of the place, as `Place` has it */
export function provide(remote: string, sets: RemoteSets, fromWorkers: FromWorkers): Provider {
  const stop = new AbortController();
  const underWay = new Map<string, Promise<LocalSet>>();
  const bring = (stored: StoredSet, columns: readonly string[] | undefined): Promise<LocalSet> => {
    const id = JSON.stringify([stored.place, columns?.toSorted()]);
    const known = underWay.get(id);
    if (known !== undefined) return known;
    const brought = sets
      .bring(stored, columns, stop.signal)
      .catch((error: unknown) => {
        throw stop.signal.aborted ? closed() : passing(error);
      })
      .finally(() => underWay.delete(id));
    underWay.set(id, brought);
    return brought;
  };
  const grant = (wish: Wish): void => {
    bring(wish.stored, wish.columns).then(
      (local) => answerWish(wish, local),
      (error: unknown) =>
        answerWish(wish, error instanceof Error ? error : new Error(String(error))),
    );
  };
  const end = fromWorkers((message) => {
    const wish = wishIn(message);
    if (wish === undefined) return;
    const { place } = wish.stored;
    if (!('remote' in place) || place.remote !== remote) return;
    if (stop.signal.aborted) answerWish(wish, closed());
    else grant(wish);
  });
  return {
    bring,
    async read(reader, stored, owner, columns) {
      for (let tried = 1; tried <= BROUGHT_TIMES; tried++) {
        const brought = await bring(stored, columns);
        const read = reader.readBrought(stored.key, brought, owner, columns);
        if (read !== undefined) return read;
      }
      throw tooSmall(stored.key);
    },
    close() {
      end();
      stop.abort();
    },
  };
}

function closed(): Unavailable {
  const retryAfterSeconds = AGAIN_SECONDS;
  return new Unavailable('cannot read stored sets: the server stops', { retryAfterSeconds });
}

/** Whatever keeps the place from giving a set, but damage, is no fault of the set: it is asked again. */
function passing(error: unknown): unknown {
  if (!(error instanceof Unavailable) || error instanceof DamagedSet || isPassing(error))
    return error;
  const { message, hint } = error;
  const retryAfterSeconds = AGAIN_SECONDS;
  return new Unavailable(message, { hint, retryAfterSeconds, cause: error });
}
