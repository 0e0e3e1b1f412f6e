/**
 * The HTTP interface of ClickHouse (https://clickhouse.com/docs/interfaces/http), as far as sets need it:
 * statements, rows as JSON, and blocks of the Native format in and out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { Unavailable } from '../../query/index.ts';
import { AGAIN_SECONDS, LOST, mayPass, refusalIn, type Refused } from './refusal.ts';

export interface ClickHouseOptions {
  /** `http://host:8123` or `https://host:8443`, nothing behind it. */
  readonly origin: string;
  readonly user: string;
  /** It goes into a header and nowhere else. */
  readonly password: string;
  readonly database: string;
  /** Whether both directions are packed by gzip: worth it where the network is slower than 100 MB/s. */
  readonly isPacked: boolean;
  /** Milliseconds without a byte, after which a call has failed. */
  readonly silenceMs?: number;
  /** Milliseconds before the second try of a call. */
  readonly firstPauseMs?: number;
  /** Sends the calls: by default the global one. */
  readonly fetch?: typeof fetch;
}

export type Settings = Readonly<Record<string, string | number>>;

/** Pieces of a body, one after the other. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

interface Call {
  /** The attempted work, for messages: `store rows`. */
  readonly what: string;
  readonly sql: string;
  /** What an INSERT inserts. */
  readonly body?: () => Pieces;
  readonly settings?: Settings;
}

const SILENCE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
/** A server that lives answers in less. */
const PING_MS = 2000;
const TRIES = 4;
const ERROR_BYTES_MAX = 16_384;

export class ClickHouse {
  readonly database: string;
  readonly #options: ClickHouseOptions;
  /** Settings of each call. */
  #settings: Settings = {};
  /** Origins of servers that this one asks in turn. */
  #behind: readonly string[] = [];

  constructor(options: ClickHouseOptions) {
    this.#options = options;
    this.database = options.database;
  }

  /** `http://host:8123`, for messages. */
  get origin(): string {
    return this.#options.origin;
  }

  /**
   * @param settings of each call from now on
   * @param behind servers that this one asks in turn: where it does not answer, it may be for one of these
   */
  use(settings: Settings, behind: readonly string[]): void {
    this.#settings = settings;
    this.#behind = behind;
  }

  /** `name` of the store's database, quoted. */
  table(name: string): string {
    return `${quoted(this.database)}.${quoted(name)}`;
  }

  /** A statement that may be run twice. @throws {Unavailable} */
  async run(what: string, sql: string, settings: Settings = {}): Promise<void> {
    await this.#again(() => this.#whole({ what, sql, settings }));
  }

  /** Rows of a question, by names. Numbers of 64 bits are texts. @throws {Unavailable} */
  async rows<Row>(what: string, sql: string): Promise<Row[]> {
    return await this.#again(async () => {
      const text = await this.#whole({ what, sql: `${sql} FORMAT JSONEachRow` });
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as Row);
    });
  }

  /**
   * The answer in the Native format, as it comes. It is tried again until its head only: who reads it sees
   * whether it is whole.
   * @throws {Unavailable} also from the pieces
   */
  async blocks(what: string, sql: string): Promise<AsyncIterable<Uint8Array>> {
    return await this.#again(() => this.#send({ what, sql: `${sql} FORMAT Native` }));
  }

  /** Inserts once: a second try might store rows twice. @throws {Unavailable} and may have stored some */
  async insert(what: string, into: string, format: string, body: () => Pieces): Promise<void> {
    await this.#whole({ what, sql: `INSERT INTO ${into} FORMAT ${format}`, body });
  }

  async #again<Result>(work: () => Promise<Result>): Promise<Result> {
    const { firstPauseMs = FIRST_PAUSE_MS } = this.#options;
    for (let tried = 1; ; tried++) {
      try {
        return await work();
      } catch (error) {
        if (tried >= TRIES || !mayPass(error)) throw error;
        await sleep(firstPauseMs * 2 ** (tried - 1));
      }
    }
  }

  /** The whole answer as a text. An error may stand in it once its head has gone out. */
  async #whole(call: Call): Promise<string> {
    const text = await textOf(await this.#send(call));
    const refusal = refusalIn(text.slice(-ERROR_BYTES_MAX), call.what);
    if (refusal !== undefined && !text.endsWith('}\n')) throw await this.#named(refusal, call.what);
    return text;
  }

  async #send(call: Call): Promise<AsyncIterable<Uint8Array>> {
    const { origin, silenceMs = SILENCE_MS, fetch: send = fetch } = this.#options;
    const silence = new Silence(silenceMs);
    try {
      const response = await send(this.#url(call), this.#request(call, silence));
      const pieces = silence.told(response.body ?? [], (cause) => this.#away(cause, call.what));
      if (response.ok) return pieces;
      const refusal = refusalIn(await textOf(pieces, ERROR_BYTES_MAX), call.what);
      if (refusal !== undefined) throw await this.#named(refusal, call.what);
      throw new Unavailable(
        `${origin} cannot ${call.what}: it answered ${response.status}, and is no ClickHouse`,
      );
    } catch (cause) {
      silence.end();
      throw cause instanceof Unavailable ? cause : await this.#away(cause, call.what);
    }
  }

  /** Names the server that does not answer. */
  async #away(cause: unknown, what: string): Promise<Error> {
    return away(cause, what, (await this.#silent()) ?? this.origin);
  }

  /** An error of a server that another one did not answer. */
  async #named(refusal: Refused, what: string): Promise<Error> {
    const silent = LOST.includes(refusal.code) ? await this.#silent() : undefined;
    if (silent === undefined) return refusal;
    const words = `cannot ${what}: ${silent} does not answer, which ${this.origin} asks`;
    return new Unavailable(words, { retryAfterSeconds: AGAIN_SECONDS, cause: refusal });
  }

  /** One of the servers that this one asks, or itself. */
  async #silent(): Promise<string | undefined> {
    const { origin, silenceMs = SILENCE_MS, fetch: send = fetch } = this.#options;
    const ms = Math.min(silenceMs, PING_MS);
    const asked = this.#behind.length === 0 ? [] : [origin, ...this.#behind];
    const answers = await Promise.all(asked.map((each) => isThere(send, each, ms)));
    return asked[answers.indexOf(false)];
  }

  #url({ sql, body, settings = {} }: Call): URL {
    const url = new URL(this.#options.origin);
    for (const [name, value] of Object.entries({ ...this.#settings, ...settings }))
      url.searchParams.set(name, String(value));
    if (this.#options.isPacked) url.searchParams.set('enable_http_compression', '1');
    if (body !== undefined) url.searchParams.set('query', sql);
    return url;
  }

  #request({ sql, body }: Call, silence: Silence): RequestInit {
    const { user, password, isPacked } = this.#options;
    const isPackedBody = body !== undefined && isPacked;
    const headers = {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      'accept-encoding': isPacked ? 'gzip' : 'identity',
      ...(isPackedBody ? { 'content-encoding': 'gzip' } : {}),
    };
    const sent = body === undefined ? sql : streamed(silence.heard(body()), isPackedBody);
    return {
      method: 'POST',
      headers,
      body: sent,
      redirect: 'error',
      duplex: 'half',
      signal: silence.signal,
    };
  }
}

/** Ends a call when nothing is heard for a time. */
class Silence {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    const late = (): void => this.#controller.abort(new Error(`nothing came for ${ms / 1000} s`));
    this.#timer = setTimeout(late, ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  async *heard(pieces: Pieces): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.#timer.refresh();
      yield piece;
    }
    this.#timer.refresh();
  }

  /** The pieces of an answer; the call has ended with them. */
  async *told(
    pieces: Pieces,
    failure: (cause: unknown) => Promise<Error>,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* this.heard(pieces);
    } catch (cause) {
      throw await failure(cause);
    } finally {
      this.end();
    }
  }
}

function streamed(pieces: AsyncIterable<Uint8Array>, isPacked: boolean): Readable {
  const readable = Readable.from(pieces, { objectMode: false });
  if (!isPacked) return readable;
  const packed = createGzip({ level: 1 });
  readable.once('error', (error) => packed.destroy(error));
  return readable.pipe(packed);
}

async function textOf(pieces: AsyncIterable<Uint8Array>, bytesMax = Infinity): Promise<string> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    kept.push(piece);
    bytes += piece.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(kept).toString();
}

async function isThere(send: typeof fetch, origin: string, ms: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ms);
    const answer = await send(new URL('/ping', origin), { signal, redirect: 'error' });
    await answer.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

/** `fetch failed` has its reason in the cause; what broke off its own body is told as it is. */
function away(cause: unknown, what: string, origin: string): Error {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (inner instanceof Unavailable) return inner;
  const reason = inner instanceof Error ? inner.message || inner.name : String(inner);
  const hint = 'see whether ClickHouse runs there, and whether the URL names its HTTP port';
  const message = `cannot ${what}: ${origin} does not answer: ${reason}`;
  return new Unavailable(message, { hint, retryAfterSeconds: AGAIN_SECONDS, cause });
}

/** A name in SQL. */
export function quoted(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}

/** A text in SQL. */
export function literal(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
