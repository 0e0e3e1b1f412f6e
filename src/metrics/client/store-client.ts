/** Calls one store within deadlines; all errors become a `StoreFailure` naming the store. */
import type { Credentials, Tls } from './credentials.ts';
import type { Deadline } from './deadline.ts';
import type { HttpAnswer, HttpCall, HttpClient, RequestSigner } from './http-call.ts';
import { createHttpClient } from './http-client.ts';
import { connectionFailure, statusFailure, StoreFailure, wrongAnswer } from './store-failure.ts';
import { Intake } from './intake.ts';
import type { StorePace } from './store-pace.ts';
import { parseStoreUrl } from './store-url.ts';

export interface StoreClientOptions {
  readonly url: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further headers, read before each request. */
  readonly credentials?: Credentials | undefined;
  /** Absent: requests are not signed. */
  readonly signer?: RequestSigner | undefined;
  readonly tls?: Tls | undefined;
  readonly connectTimeoutMs?: number;
  /** The store's product name in messages. Default `Prometheus`. */
  readonly product?: string;
  /** Learns from each call how many reads the store can stand; absent: their number is fixed. */
  readonly pace?: StorePace | undefined;
}

const ERROR_TEXT_BYTES = 16 * 1024;
const TEXT_BYTES = 4 * 1024 * 1024;

/** Copies a chunk, which is valid only during the call. */
const copied = (chunk: Uint8Array): Uint8Array[] => [Uint8Array.from(chunk)];

export class StoreClient {
  /** The store's name for messages, without credentials. */
  readonly name: string;
  readonly #http: HttpClient;
  readonly #prefix: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #credentials: Credentials;
  readonly #signer: RequestSigner | undefined;
  readonly #origin: string;
  readonly #pace: StorePace | undefined;

  /** @throws {Fault} when the URL is not a store's address */
  constructor(options: StoreClientOptions) {
    const url = parseStoreUrl(options.url);
    this.name = `${options.product ?? 'Prometheus'} at ${url.shown}`;
    this.#http = createHttpClient(url.origin, options.connectTimeoutMs ?? 5000, options.tls);
    this.#prefix = url.prefix;
    this.#headers = {
      'Accept-Encoding': 'identity',
      'User-Agent': 'prorata',
      ...(url.authorization === undefined ? {} : { Authorization: url.authorization }),
      ...options.headers,
    };
    this.#credentials = options.credentials ?? (() => ({}));
    this.#signer = options.signer;
    this.#origin = url.origin;
    this.#pace = options.pace;
  }

  /** @returns an answer of status 2xx that is not compressed @throws {StoreFailure} */
  async open(call: HttpCall, deadline: Deadline): Promise<HttpAnswer> {
    const answer = await this.#paced(call, deadline);
    const encoding = answer.header('content-encoding');
    if (encoding === '' || encoding === 'identity') return answer;
    answer.body.discard();
    throw wrongAnswer(this.name, `it answered in Content-Encoding ${encoding}, not asked for`);
  }

  /**
   * Yields the results of `take` for the body's chunks, in order. Chunks are processed as they come; while
   * many results wait, the store waits too. Leaving the loop early closes the connection.
   * @throws {StoreFailure}, and errors of `take`
   */
  async *items<Item>(
    { body }: HttpAnswer,
    deadline: Deadline,
    take: (chunk: Uint8Array) => Iterable<Item>,
  ): AsyncGenerator<Item, void> {
    const intake = new Intake(body, deadline.idleLimit(), take);
    try {
      yield* intake.items();
    } catch (cause) {
      throw cause === intake.refusal
        ? cause
        : connectionFailure(this.name, 'body', cause, deadline);
    } finally {
      intake.close();
    }
  }

  /** The whole body. @throws {StoreFailure}, also when it is longer than 4 MiB */
  async text(call: HttpCall, deadline: Deadline): Promise<string> {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.items(await this.open(call, deadline), deadline, copied)) {
      parts.push(chunk);
      bytes += chunk.length;
      if (bytes > TEXT_BYTES) throw wrongAnswer(this.name, `${call.path} is longer than 4 MiB`);
    }
    return Buffer.concat(parts).toString('utf8');
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  async #paced(call: HttpCall, deadline: Deadline): Promise<HttpAnswer> {
    const beganMs = this.#pace?.begin() ?? 0;
    try {
      const answer = await this.#send(call, deadline);
      if (answer.status === 401 || answer.status === 403) this.#signer?.refused();
      if (answer.status < 200 || answer.status > 299)
        throw statusFailure(this.name, answer, await this.#errorText(answer, deadline));
      this.#pace?.answered(beganMs);
      return answer;
    } catch (error) {
      if (error instanceof StoreFailure && error.isOverload)
        this.#pace?.overloaded(beganMs, error.retryAfterMs);
      throw error;
    }
  }

  async #send(call: HttpCall, deadline: Deadline): Promise<HttpAnswer> {
    const path = this.#prefix + call.path;
    const headers = {
      ...this.#headers,
      ...this.#credentials(),
      ...call.headers,
      ...deadline.traceHeaders(),
      ...(await this.#signature({ ...call, path }, deadline)),
    };
    try {
      const answer = this.#http.send({ ...call, path, headers }, deadline.signal);
      return await deadline.waitForBytes(answer);
    } catch (cause) {
      throw connectionFailure(this.name, 'head', cause, deadline);
    }
  }

  async #signature(
    { method, path, body }: HttpCall,
    { signal }: Deadline,
  ): Promise<Readonly<Record<string, string>>> {
    const url = new URL(this.#origin + path);
    return (await this.#signer?.headers({ method, url, body }, signal)) ?? {};
  }

  /** The text so far: the status says more than a connection that broke after it. */
  async #errorText(answer: HttpAnswer, deadline: Deadline): Promise<string> {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of this.items(answer, deadline, copied)) {
        parts.push(chunk);
        bytes += chunk.length;
        if (bytes >= ERROR_TEXT_BYTES) break;
      }
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
    }
    return Buffer.concat(parts).toString('utf8', 0, ERROR_TEXT_BYTES);
  }
}
