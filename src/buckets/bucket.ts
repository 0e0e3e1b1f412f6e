/** What prorata needs of a bucket: names with versions, their bytes, and changes on a condition. */
import { Unavailable } from '../query/index.ts';
import { timeOf, type Outside, type Heads, type Received } from './exchange.ts';

export interface StoredObject {
  readonly key: string;
  /** Another text once its content is another. */
  readonly version: string;
  readonly bytes: number;
  /** When it was written, Unix ms by the clock of the store. */
  readonly changedMs: number;
}

export interface Listing {
  readonly objects: readonly StoredObject[];
  /** The clock of the store, Unix ms. */
  readonly nowMs: number;
}

export interface Bucket {
  /** As it is told: `s3://exports`, without a slash at its end. */
  readonly name: string;
  /**
   * All objects below a prefix whose key is accepted, in order of their keys.
   * @throws {Unavailable} naming the bucket, the status, and the permission that is missing
   */
  list(prefix: string, isWanted: (key: string) => boolean, signal: AbortSignal): Promise<Listing>;
  /** @throws {Unavailable} also when there is none */
  find(key: string, signal: AbortSignal): Promise<Listing>;
  /** @throws {Unavailable} also when it is another version by now */
  read(object: StoredObject, signal: AbortSignal): Promise<Received>;
  /** The whole object as it is now. @returns undefined where there is none @throws {Unavailable} */
  fetch(key: string, signal: AbortSignal): Promise<Fetched | undefined>;
  /**
   * A part of an object; fewer bytes where the object ends before.
   * @param version '': whatever version there is
   * @returns undefined where there is no such object
   * @throws {Unavailable} also when it is another version by now
   */
  readRange(
    object: Pick<StoredObject, 'key' | 'version'>,
    part: { readonly at: number; readonly bytes: number },
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>;
  /**
   * Writes an object whole. Writers whose contents are equal on the same condition may both be told
   * that they wrote it: where that matters each writes something of its own.
   * @returns the new version; undefined where the condition does not hold, and nothing is changed
   * @throws {Unavailable} and it may be written or not
   */
  write(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    condition: Condition,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** An object that is not there is no error. @throws {Unavailable} and it may be there or not */
  remove(key: string, signal: AbortSignal): Promise<void>;
}

/** When a write counts: where there is no such object, where it is of this version, or in any case. */
export type Condition = 'absent' | { readonly version: string } | 'none';

export interface Fetched {
  readonly bytes: Uint8Array;
  readonly version: string;
  /** When it was written, Unix ms by the clock of the store. */
  readonly changedMs: number;
}

/** Where to go on reading when a bucket is refused. */
export const BUCKET_HINT = 'see docs/install/bills-from-buckets.md';

/** Objects of one prefix; who has more wants a longer one. */
const OBJECTS_MAX = 10_000;
/** Pages of a listing, with what is no bill. */
const PAGES_MAX = 2000;

/** A page of a listing, as a store answered it. */
export interface Page {
  readonly objects: readonly StoredObject[];
  readonly headers: Heads;
  /** Where the next page begins; empty: this is the last. */
  readonly next: string;
}

/** @throws {Unavailable} where a place has more than is read */
export async function listed(
  at: string,
  isWanted: (key: string) => boolean,
  { nowMs: ownMs }: Outside,
  pageFrom: (from: string) => Promise<Page>,
): Promise<Listing> {
  const objects: StoredObject[] = [];
  let nowMs = ownMs();
  let from = '';
  for (let pages = 0; pages < PAGES_MAX && objects.length <= OBJECTS_MAX; pages++) {
    const page = await pageFrom(from);
    nowMs = timeOf(page.headers, nowMs);
    for (const found of page.objects) {
      if (isReachable(found.key) && isWanted(found.key)) objects.push(found);
    }
    from = page.next;
    if (from === '' && objects.length <= OBJECTS_MAX) return { objects, nowMs };
  }
  throw new Unavailable(
    `cannot read ${at}: there are more than ${OBJECTS_MAX} files below it; name a longer prefix`,
  );
}

/** The object that is asked for by its head alone. */
export function headOf(key: string, version: string, headers: Heads, ownMs: number): Listing {
  const object = {
    key,
    version,
    bytes: Number(headers.get('content-length') ?? Number.NaN),
    changedMs: Date.parse(headers.get('last-modified') ?? ''),
  };
  return { objects: [object], nowMs: timeOf(headers, ownMs) };
}

/** What `find` gives, where nothing can be read without it. @throws {Unavailable} naming the place too */
export async function credentialsFor<Found>(at: string, find: Promise<Found>): Promise<Found> {
  return await find.catch((cause: unknown) => {
    if (!(cause instanceof Unavailable)) throw cause;
    const { message, hint, retryAfterSeconds } = cause;
    throw new Unavailable(`cannot read ${at}: ${message}`, { hint, retryAfterSeconds, cause });
  });
}

/** No URL leads to these: `..` would lead out of the bucket. */
function isReachable(key: string): boolean {
  return key !== '' && !key.split('/').some((part) => part === '.' || part === '..');
}

/** A credential that is fetched once, and again before it ends. */
export class Kept<Value extends { readonly endsMs: number }> {
  readonly #fetch: (signal: AbortSignal) => Promise<Value>;
  readonly #nowMs: () => number;
  #value: Value | undefined;

  constructor(fetch: (signal: AbortSignal) => Promise<Value>, nowMs: () => number) {
    this.#fetch = fetch;
    this.#nowMs = nowMs;
  }

  async get(signal: AbortSignal): Promise<Value> {
    const [value, nowMs] = [this.#value, this.#nowMs()];
    if (value !== undefined && value.endsMs - nowMs > EARLY_MS) return value;
    return (this.#value = await this.#fetch(signal));
  }

  /** It was refused: the next one is fetched. */
  forget(): void {
    this.#value = undefined;
  }
}

/** Credentials are renewed so long before their end. */
const EARLY_MS = 5 * 60_000;
