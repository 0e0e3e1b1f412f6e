/**
 * A value that several processes change whole, as one object of a bucket:
 *
 *   change ─▶ look ─▶ make it of the newest ─▶ write, if the object is still that ─┬─▶ it is everybody's
 *              ▲                                                                   │
 *              └────────────────── another wrote meanwhile ────────────────────────┘
 *
 * Each text is unlike every other, as it begins with the last changes of its writers, the newest first. So its
 * first bytes tell whether it is another one, no version comes back, and a writer whose answer was lost
 * finds its change there, also below those that others made on top of it.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { Unavailable } from '../../query/index.ts';
import { checkedText, readChecked } from '../checked-text.ts';
import { follow } from '../follow.ts';
import { bytesOf, textOf } from './changes.ts';
import { nameOfStore, quarantineKey, type ObjectPlace } from './place.ts';

/** How a value is written. */
export interface ValueText<Value> {
  /** @param changes come first in the text */
  textOf(value: Value, changes: readonly string[]): string;
  /** @param before what was known until now @returns why it cannot be read by this version */
  valueIn(text: string, before: Value): Written<Value> | { readonly damage: string };
}

export interface Written<Value> {
  readonly value: Value;
  readonly changes: readonly string[];
}

export interface SharedValueOptions<Value> extends ObjectPlace {
  /** The object's name without its end, in small letters. */
  readonly name: string;
  readonly text: ValueText<Value>;
  /** While nothing is stored. */
  readonly nothing: Value;
  /** Called with a sentence for each damage and each thing done about it. */
  readonly note: (sentence: string) => void;
  /** Milliseconds between two looks for what others wrote. */
  readonly lookMs?: number;
  /** Milliseconds that a change may take, those before it included. */
  readonly changeMs?: number;
}

interface Found {
  readonly bytes: Uint8Array;
  readonly version: string;
}

interface Known<Value> extends Written<Value> {
  /** Undefined: there is no object. */
  readonly version: string | undefined;
  /** Its first bytes; undefined likewise. */
  readonly head: Uint8Array | undefined;
}

/** With an answer and another request for the whole, within the two seconds that are promised. */
const LOOK_MS = 1000;
/** A look that takes longer is given up. */
const LOOK_MS_MAX = 5000;
const CHANGE_MS = 10_000;
const OPEN_MS = 60_000;
const RETRY_SECONDS = 5;
const PAUSE_MS = 20;
/** Longer than the head of a text with its newest change. */
const HEAD_BYTES = 128;
/** Writers whose last change is told: as many would have to write between two tries of one. */
const WRITERS_MAX = 64;

export class SharedValue<Value> {
  readonly #options: SharedValueOptions<Value>;
  readonly #writer: string = randomBytes(6).toString('hex');
  readonly #stop: AbortController = new AbortController();
  #count = 0;
  #known: Known<Value>;
  /** Why what is stored cannot be read by this version, and so must not be written over. */
  #unread: string | undefined;
  #unfollow: () => void = () => undefined;
  #noted = '';
  /** Looks and changes, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: SharedValueOptions<Value>) {
    this.#options = options;
    this.#known = { value: options.nothing, changes: [], version: undefined, head: undefined };
  }

  /** @throws {Unavailable} when the bucket does not answer */
  static async open<Value>(options: SharedValueOptions<Value>): Promise<SharedValue<Value>> {
    const shared = new SharedValue(options);
    await shared.#look(shared.#within(OPEN_MS));
    return shared;
  }

  /** As it is known here. */
  get value(): Value {
    return this.#known.value;
  }

  get isStored(): boolean {
    return this.#known.version !== undefined;
  }

  /** Looks for what others wrote, from time to time. */
  follow(): this {
    const { lookMs = LOOK_MS } = this.#options;
    this.#unfollow = follow(() => this.#follow(), lookMs);
    return this;
  }

  close(): void {
    this.#unfollow();
    this.#stop.abort();
  }

  /** Takes up what others wrote. @throws {Unavailable} and what was known stays */
  look(): Promise<void> {
    return this.#inTurn(() => this.#look(this.#within(LOOK_MS_MAX)));
  }

  /** Stores a value where none is. @throws {Unavailable} */
  begin(value: Value): Promise<void> {
    return this.#inTurn(async () => {
      const signal = this.#within(CHANGE_MS);
      if (!this.isStored) await this.#put(value, this.#nextChange(), undefined, signal);
      await this.#look(signal);
    });
  }

  /**
   * @param make the new value of the newest one; it is called again where another wrote meanwhile
   * @throws what `make` does, and nothing is changed
   * @throws {Unavailable} when the bucket does not answer, and it may be changed or not
   */
  change(make: (value: Value) => Promise<Value>): Promise<void> {
    const { changeMs = CHANGE_MS } = this.#options;
    const signal = this.#within(changeMs);
    const reach = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      if (signal.aborted) throw this.#unreached(signal.reason, signal);
      return await work().catch((error: unknown) => {
        throw this.#unreached(error, signal);
      });
    };
    return this.#inTurn(async () => {
      const change = this.#nextChange();
      for (let tried = 1; ; tried++) {
        await reach(() => this.#look(signal));
        if (this.#unread !== undefined)
          throw this.#unreached(new Unavailable(this.#unread), signal);
        if (this.#known.changes.includes(change)) return;
        const value = await make(this.#known.value);
        if (await reach(() => this.#put(value, change, this.#known.version, signal))) return;
        const pauseMs = PAUSE_MS * Math.random() * Math.min(tried, 10);
        await reach(() => sleep(pauseMs, undefined, { signal }));
      }
    });
  }

  /** As it is told: `s3://bucket/prefix/collections.json`. */
  get #path(): string {
    return `${nameOfStore(this.#options)}${this.#options.name}.json`;
  }

  get #key(): string {
    return `${this.#options.prefix}${this.#options.name}.json`;
  }

  #within(ms: number): AbortSignal {
    return AbortSignal.any([this.#stop.signal, AbortSignal.timeout(ms)]);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #follow(): Promise<void> {
    try {
      await this.look();
      this.#noted = '';
    } catch (error) {
      // What is known counts until it can be read again.
      if (!this.#stop.signal.aborted) this.#noteOnce(reasonOf(error));
    }
  }

  #noteOnce(sentence: string): void {
    if (this.#noted === sentence) return;
    this.#noted = sentence;
    this.#options.note(sentence);
  }

  async #look(signal: AbortSignal): Promise<void> {
    const object = { key: this.#key, version: '' };
    const head = await this.#options.bucket.readRange(object, { at: 0, bytes: HEAD_BYTES }, signal);
    if (isSame(head, this.#known.head)) return;
    await this.#read(signal);
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { bucket, name, text } = this.#options;
    const found = await bucket.fetch(this.#key, signal);
    this.#unread = undefined;
    if (found === undefined) {
      if (this.isStored) await this.#writeAgain(`${this.#path} is gone`, undefined, signal);
      return;
    }
    const head = found.bytes.slice(0, HEAD_BYTES);
    const read = readChecked(name, textOf(found.bytes));
    if ('damage' in read && !read.isNewer) return await this.#setAside(read.damage, found, signal);
    const written = 'damage' in read ? read : text.valueIn(read.body, this.#known.value);
    if ('damage' in written) {
      this.#unread = `${this.#path} cannot be read by this version: ${written.damage}`;
      this.#known = { ...this.#known, head };
      this.#options.note(this.#unread);
    } else this.#known = { ...written, version: found.version, head };
  }

  async #setAside(damage: string, found: Found, signal: AbortSignal): Promise<void> {
    const { bucket, name, note } = this.#options;
    const bytes = Uint8Array.from(found.bytes);
    const key = quarantineKey(this.#options, `${name}-${crc32(bytes).toString(16)}.json`);
    await bucket.write(key, bytes, 'absent', signal);
    const why = `${this.#path} cannot be used: ${damage}; a copy of it is ${bucket.name}/${key}`;
    if (this.isStored) return await this.#writeAgain(why, found.version, signal);
    const head = bytes.slice(0, HEAD_BYTES);
    this.#known = { ...this.#known, version: found.version, head };
    note(`${why}; there are no ${name}`);
  }

  /** What is known here comes in place of what was lost. */
  async #writeAgain(why: string, version: string | undefined, signal: AbortSignal): Promise<void> {
    const isWritten = await this.#put(this.#known.value, this.#nextChange(), version, signal);
    if (isWritten) this.#options.note(`${why}; what was known here is written again`);
    // Another was faster.
    else await this.#read(signal);
  }

  #nextChange(): string {
    return `${this.#writer}.${++this.#count}`;
  }

  /** @returns whether it is written, as no other wrote meanwhile */
  async #put(
    value: Value,
    change: string,
    over: string | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { bucket, name, text } = this.#options;
    const others = this.#known.changes.filter((other) => !other.startsWith(`${this.#writer}.`));
    const changes = [change, ...others].slice(0, WRITERS_MAX);
    const bytes = bytesOf(checkedText(name, text.textOf(value, changes)));
    const condition = over === undefined ? 'absent' : { version: over };
    const version = await bucket.write(this.#key, bytes, condition, signal);
    if (version === undefined) return false;
    this.#known = { value, changes, version, head: bytes.slice(0, HEAD_BYTES) };
    return true;
  }

  #unreached(error: unknown, signal: AbortSignal): unknown {
    if (!(error instanceof Unavailable) && !signal.aborted) return error;
    const seconds = (this.#options.changeMs ?? CHANGE_MS) / 1000;
    const why = signal.aborted ? `the bucket did not answer within ${seconds} s` : reasonOf(error);
    return new Unavailable(`${this.#options.name} cannot be changed now: ${why}`, {
      hint: 'what is stored can still be asked for; see docs/install/store-in-a-bucket.md',
      retryAfterSeconds: RETRY_SECONDS,
      cause: error,
    });
  }
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return Buffer.compare(a, b) === 0;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
