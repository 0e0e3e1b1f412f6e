/** A bucket of any cloud: what all of them do, over how each is asked for it. */
import {
  isRefusal,
  rangeHeader,
  readObject,
  readPart,
  transferMs,
  writtenIf,
  type Refusal,
  type Reply,
} from './bodies.ts';
import type { Bucket, Condition, Fetched, Listing, StoredObject } from './bucket.ts';
import {
  wholeAnswer,
  type Answer,
  type ExchangeOptions,
  type Heads,
  type Received,
} from './exchange.ts';

/**
 * One request, however often it is sent.
 * @param isAnswer which refusals are answers; none if not given
 * @throws {Unavailable} with the status, and the permission that is missing
 */
export type Ask = (
  options: ExchangeOptions,
  isAnswer?: (refusal: Refusal) => boolean,
) => Promise<Reply>;

/** How a cloud is asked, and what its answers mean. */
export interface Dialect extends Pick<Bucket, 'name' | 'list' | 'find'> {
  /** @param version '': whatever version there is */
  reading(key: string, version: string, headers?: Readonly<Record<string, string>>): Ask;
  writing(key: string, bytes: Uint8Array<ArrayBuffer>, condition: Condition): Ask;
  removing(key: string): Ask;
  /** The version of the object that an answer brings. */
  versionOf(headers: Heads): string;
  /** The version that was written; empty where the answer tells none. */
  versionIn(written: Answer): string;
  /** Whether there is no such object. */
  isMissing(refusal: Refusal): boolean;
  /** Whether the condition of a write does not hold. */
  isNotSo(refusal: Refusal): boolean;
}

export class CloudBucket implements Bucket {
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  get name(): string {
    return this.#dialect.name;
  }

  list(prefix: string, isWanted: (key: string) => boolean, signal: AbortSignal): Promise<Listing> {
    return this.#dialect.list(prefix, isWanted, signal);
  }

  find(key: string, signal: AbortSignal): Promise<Listing> {
    return this.#dialect.find(key, signal);
  }

  async read({ key, version }: StoredObject, signal: AbortSignal): Promise<Received> {
    return answerIn(await this.#dialect.reading(key, version)({ signal }));
  }

  async fetch(key: string, signal: AbortSignal): Promise<Fetched | undefined> {
    const dialect = this.#dialect;
    const ask = dialect.reading(key, '');
    const read = await readObject(this.#at(key), signal, (either) =>
      ask({ signal: either }, (refusal) => dialect.isMissing(refusal)),
    );
    if (read === undefined) return undefined;
    const { bytes, headers } = read;
    const changedMs = Date.parse(headers.get('last-modified') ?? '');
    return { bytes, version: dialect.versionOf(headers), changedMs };
  }

  readRange(
    { key, version }: Pick<StoredObject, 'key' | 'version'>,
    part: { readonly at: number; readonly bytes: number },
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const ask = this.#dialect.reading(key, version, rangeHeader(part.at, part.bytes));
    const isAnswer = (refusal: Refusal): boolean =>
      this.#dialect.isMissing(refusal) || refusal.status === 416;
    return readPart(this.#at(key), part, signal, (either) => ask({ signal: either }, isAnswer));
  }

  write(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    condition: Condition,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const dialect = this.#dialect;
    const ask = dialect.writing(key, bytes, condition);
    const isAnswer = (refusal: Refusal): boolean =>
      condition !== 'none' && dialect.isNotSo(refusal);
    const options = { signal, timeoutMs: transferMs(bytes.length) };
    return writtenIf(
      bytes,
      (onDoubt) => ask({ ...options, onDoubt }, isAnswer),
      async (written) => dialect.versionIn(await wholeAnswer(written)),
      () => this.fetch(key, signal),
    );
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    const reply = await this.#dialect.removing(key)({ signal }, (refusal) =>
      this.#dialect.isMissing(refusal),
    );
    if (!isRefusal(reply)) reply.leave();
  }

  #at(key: string): string {
    return `${this.name}/${key}`;
  }
}

/** What a request is answered for which no refusal is an answer. */
export function answerIn(reply: Reply): Received {
  if (isRefusal(reply)) throw new Error(`BUG: ${reply.status} is no answer`);
  return reply;
}
