/**
 * Logs that several processes read, each of which one at a time writes, as objects of a bucket:
 *
 *   <prefix><folder>/000012/000001.ndjson   {"log":"by","writer":"5f0c…"}    who writes from here on
 *                                           {"is":"begin",…}                 records
 *                                           {"log":"more"}                   the next object follows
 *   <prefix><folder>/000012/000002.ndjson   {"log":"by","writer":"5f0c…"}
 *
 * Each record replaces the last object whole, on the condition that it is as its writer left it. Whoever goes on with
 * a log names itself in it first, so that the writer before it, should it wake up, can write no more. A log is live
 * while its last object was written lately, by the clock of the bucket: its writer does so from time to time.
 */
import { randomBytes } from 'node:crypto';
import type { StoredObject } from '../../buckets/index.ts';
import { Unavailable } from '../../query/index.ts';
import { wholeRecords } from '../logs/append-log.ts';
import { bytesOf, textOf } from './changes.ts';
import { nameOfStore, type ObjectPlace } from './place.ts';

export interface ObjectLogsOptions extends ObjectPlace {
  /** The name of what the logs are of, in small letters. */
  readonly folder: string;
  /** Milliseconds after which a log that is not written belongs to nobody. */
  readonly liveMs?: number;
}

/** Another process goes on with the log. */
export class LogTaken extends Error {
  override readonly name: string = 'LogTaken';
}

const LIVE_MS = 60_000;
/** Share of that time after which a log is written, though there is nothing to tell. */
const BEAT_AT = 1 / 6;
/** An object that is longer is followed by another one: each record writes all of it. */
const OBJECT_BYTES = 128 * 1024;
const CALL_MS = 30_000;
const AGAIN_SECONDS = 5;
const MORE = '{"log":"more"}\n';
const KEY = /(\d{6,})\/(\d{6,})\.ndjson$/;

interface Part {
  readonly number: number;
  readonly part: number;
  readonly object: StoredObject;
}

export class ObjectLogs {
  readonly #options: ObjectLogsOptions;

  constructor(options: ObjectLogsOptions) {
    this.#options = options;
  }

  /** The oldest first. @throws {Unavailable} */
  async list(): Promise<{ readonly number: number; readonly isLive: boolean }[]> {
    const { liveMs = LIVE_MS } = this.#options;
    const { parts, nowMs } = await this.#parts('');
    const last = new Map(parts.map((each) => [each.number, each]));
    return [...last.values()].map(({ number, object: { changedMs } }) => ({
      number,
      isLive: nowMs - changedMs < liveMs,
    }));
  }

  /** Records up to the first that is damaged. @throws {Unavailable} */
  async read(number: number): Promise<unknown[]> {
    const { bucket } = this.#options;
    const { parts } = await this.#parts(`${padded(number)}/`);
    const found = await Promise.all(
      parts.map(({ object: { key } }) => bucket.fetch(key, AbortSignal.timeout(CALL_MS))),
    );
    return recordsIn(found.map((each) => (each === undefined ? '' : textOf(each.bytes))).join(''));
  }

  /** @returns undefined where another process has begun one of that number @throws {Unavailable} */
  async begin(number: number): Promise<ObjectLog | undefined> {
    return await ObjectLog.start(this.#options, number, 1);
  }

  /** @returns undefined where another process writes it, or it is gone @throws {Unavailable} */
  async resume(number: number): Promise<ObjectLog | undefined> {
    const { parts } = await this.#parts(`${padded(number)}/`);
    const last = parts.at(-1);
    if (last === undefined) return undefined;
    const found = await this.#options.bucket.fetch(last.object.key, AbortSignal.timeout(CALL_MS));
    if (found === undefined) return undefined;
    const text = textOf(found.bytes);
    if (text.endsWith(MORE)) return await ObjectLog.start(this.#options, number, last.part + 1);
    return await ObjectLog.takeOver(this.#options, number, last.part, {
      text,
      version: found.version,
    });
  }

  /** @throws {Unavailable} and parts of it may be left */
  async remove(number: number): Promise<void> {
    const { parts } = await this.#parts(`${padded(number)}/`);
    for (const { object } of parts)
      await this.#options.bucket.remove(object.key, AbortSignal.timeout(CALL_MS));
  }

  async #parts(below: string): Promise<{ readonly parts: Part[]; readonly nowMs: number }> {
    const { bucket, prefix, folder } = this.#options;
    const signal = AbortSignal.timeout(CALL_MS);
    const isLog = (key: string): boolean => KEY.test(key);
    const { objects, nowMs } = await bucket.list(`${prefix}${folder}/${below}`, isLog, signal);
    const parts = objects.map((object): Part => {
      const [, number, part] = KEY.exec(object.key) ?? [];
      return { number: Number(number), part: Number(part), object };
    });
    return { parts: parts.toSorted((a, b) => a.number - b.number || a.part - b.part), nowMs };
  }
}

interface Kept {
  readonly text: string;
  readonly version: string;
}

/** A log that is being written. */
export class ObjectLog {
  readonly #options: ObjectLogsOptions;
  readonly #number: number;
  readonly #timer: NodeJS.Timeout;
  #part: number;
  #kept: Kept;
  /** Texts of the last object, or the one after it, that may be there. */
  readonly #sent: Set<string> = new Set();
  #isTaken = false;
  /** Writes, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  // oxlint-disable-next-line max-params
  private constructor(options: ObjectLogsOptions, number: number, part: number, kept: Kept) {
    this.#options = options;
    this.#number = number;
    this.#part = part;
    this.#kept = kept;
    const { liveMs = LIVE_MS } = options;
    const beat = (): Promise<boolean> => this.#inTurn(() => this.#put(this.#part, this.#kept.text));
    this.#timer = setInterval(() => void beat().catch(() => undefined), liveMs * BEAT_AT).unref();
  }

  /** @returns undefined where the object is there */
  static async start(
    options: ObjectLogsOptions,
    number: number,
    part: number,
  ): Promise<ObjectLog | undefined> {
    const text = by();
    const version = await written(options, keyOf(options, number, part), text, 'absent');
    if (version === undefined) return undefined;
    return new ObjectLog(options, number, part, { text, version });
  }

  /** @returns undefined where it is no longer as it was */
  // oxlint-disable-next-line max-params
  static async takeOver(
    options: ObjectLogsOptions,
    number: number,
    part: number,
    before: Kept,
  ): Promise<ObjectLog | undefined> {
    // What its writer did not end is not there.
    const text = before.text.slice(0, before.text.lastIndexOf('\n') + 1) + by();
    const key = keyOf(options, number, part);
    const version = await written(options, key, text, { version: before.version });
    if (version === undefined) return undefined;
    return new ObjectLog(options, number, part, { text, version });
  }

  /**
   * @throws {LogTaken} where another process goes on with it: this one was not heard of
   * @throws {Unavailable} and the record may be kept or not; also where it took so long that another may go on soon
   */
  append(record: object): Promise<void> {
    const line = `${JSON.stringify(record)}\n`;
    return this.#inTurn(async () => {
      const begunMs = performance.now();
      while (!(await this.#add(line)));
      const { liveMs = LIVE_MS } = this.#options;
      const tookMs = performance.now() - begunMs;
      if (tookMs < liveMs / 2) return;
      throw new Unavailable(
        `to write ${this.#name} took ${Math.round(tookMs / 1000)} s: another process may go on with it`,
        { retryAfterSeconds: AGAIN_SECONDS },
      );
    });
  }

  /** What is kept is not written any more, by this process. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#turn;
  }

  /** @returns whether it is there; else something is that this process wrote before */
  async #add(line: string): Promise<boolean> {
    const { text } = this.#kept;
    const isEnded = text.endsWith(MORE);
    if (!isEnded && text.length + line.length <= OBJECT_BYTES)
      return await this.#put(this.#part, text + line);
    // Who goes on with a log looks behind an object that is ended, so that nothing may follow in it.
    if (!isEnded && !(await this.#put(this.#part, text + MORE))) return false;
    return await this.#put(this.#part + 1, by() + line);
  }

  /**
   * @param part the last one, whose text is replaced, or the one after it
   * @returns whether it is written; else there is what this process wrote before, of which it was not told
   */
  async #put(part: number, text: string): Promise<boolean> {
    const key = keyOf(this.#options, this.#number, part);
    const condition = part === this.#part ? { version: this.#kept.version } : 'absent';
    if (!this.#isTaken) {
      this.#sent.add(text);
      const version = await written(this.#options, key, text, condition);
      if (version !== undefined) return this.#keep(part, { text, version });
      const found = await this.#options.bucket.fetch(key, AbortSignal.timeout(CALL_MS));
      const there = found && { text: textOf(found.bytes), version: found.version };
      if (there !== undefined && this.#sent.has(there.text)) return !this.#keep(part, there);
    }
    this.#isTaken = true;
    throw new LogTaken(`another process goes on with ${this.#name}, as this one was not heard of`);
  }

  /** As it is told: `s3://bucket/prefix/request-sizing/000012`. */
  get #name(): string {
    return `${nameOfStore(this.#options)}${this.#options.folder}/${padded(this.#number)}`;
  }

  #keep(part: number, kept: Kept): true {
    // Where nothing was added, the object behind may still be one that this process wrote.
    if (kept.text !== this.#kept.text) this.#sent.clear();
    this.#part = part;
    this.#kept = kept;
    return true;
  }

  #inTurn<Result>(write: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(write);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

/** No two writers write the same. */
function by(): string {
  return `{"log":"by","writer":"${randomBytes(8).toString('hex')}"}\n`;
}

function padded(number: number): string {
  return String(number).padStart(6, '0');
}

function keyOf({ prefix, folder }: ObjectLogsOptions, number: number, part: number): string {
  return `${prefix}${folder}/${padded(number)}/${padded(part)}.ndjson`;
}

async function written(
  { bucket }: ObjectLogsOptions,
  key: string,
  text: string,
  condition: 'absent' | { readonly version: string },
): Promise<string | undefined> {
  return await bucket.write(key, bytesOf(text), condition, AbortSignal.timeout(CALL_MS));
}

/** What the log was told, without what writers tell each other. */
function recordsIn(text: string): unknown[] {
  return wholeRecords(text).filter((record) => !('log' in (record as object)));
}
