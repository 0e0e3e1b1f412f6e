/** Posts batches to a remote-write receiver, and tells what its answers mean. */
import { Agent as PlainAgent, request as plainRequest, type IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { authorizationOf } from '../../metrics/index.ts';
import { Fault, hideUrlSecrets } from '../../query/index.ts';
import { wordsOfAnswer, wordsOfError } from '../answer-words.ts';

export type WriteVersion = '1.0' | '2.0';

export type WriteResult =
  | { readonly kind: 'stored' }
  /** Another try may help. */
  | { readonly kind: 'later'; readonly reason: string; readonly retryAfterMs: number }
  /** It does not take this version. */
  | { readonly kind: 'version'; readonly reason: string }
  /** It will never take all of it. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface ReceiverOptions {
  readonly url: string;
  readonly credentials: () => Readonly<Record<string, string>>;
  readonly tls: Pick<RequestOptions, 'ca' | 'cert' | 'key'>;
  readonly timeoutMs: number;
  readonly userAgent: string;
}

const TYPES: Readonly<Record<WriteVersion, Readonly<Record<string, string>>>> = {
  '1.0': {
    'content-type': 'application/x-protobuf',
    'x-prometheus-remote-write-version': '0.1.0',
  },
  '2.0': {
    'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'x-prometheus-remote-write-version': '2.0.0',
  },
};
/** Receivers of 2.0 tell how much they wrote, whatever they answer. */
const WRITTEN = 'x-prometheus-remote-write-samples-written';
const RETRY_AFTER_MS_MAX = 300_000;

export class ReceiverClient {
  /** For messages, without credentials. */
  readonly name: string;
  readonly #url: URL;
  readonly #options: ReceiverOptions;
  readonly #agent: PlainAgent;
  readonly #headers: Readonly<Record<string, string>>;

  /** @throws {Fault} when the URL is not one of HTTP */
  constructor(options: ReceiverOptions) {
    const { url: text, tls } = options;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      throw new Fault(`--remote-write-url: '${hideUrlSecrets(text).slice(0, 80)}' is not a URL`, {
        parameter: '--remote-write-url',
        hint: 'for example --remote-write-url http://prorata:9003/api/v1/write',
      });
    }
    const authorization = authorizationOf(url);
    this.#headers = authorization === undefined ? {} : { authorization };
    this.name = hideUrlSecrets(text);
    this.#url = url;
    this.#options = options;
    const settings = { ...tls, keepAlive: true, maxSockets: 1 };
    this.#agent = url.protocol === 'http:' ? new PlainAgent(settings) : new Agent(settings);
  }

  /** Never throws but for the signal's reason: a receiver that cannot be reached is tried later. */
  async write(body: Buffer, version: WriteVersion, signal: AbortSignal): Promise<WriteResult> {
    const limit = new AbortController();
    const stop = (): void => limit.abort(signal.reason);
    const timer = setTimeout(() => limit.abort(), this.#options.timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      const answer = await this.#send(body, version, limit.signal);
      return resultOf(answer, version, await wordsOfAnswer(answer));
    } catch (error) {
      signal.throwIfAborted();
      const why = limit.signal.aborted
        ? `it did not answer within ${this.#options.timeoutMs / 1000} s`
        : wordsOfError(error);
      return { kind: 'later', reason: why, retryAfterMs: 0 };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(body: Buffer, version: WriteVersion, signal: AbortSignal): Promise<IncomingMessage> {
    const send = this.#url.protocol === 'http:' ? plainRequest : request;
    const headers = {
      ...this.#headers,
      ...this.#options.credentials(),
      ...TYPES[version],
      'content-encoding': 'snappy',
      'content-length': body.length,
      'user-agent': this.#options.userAgent,
    };
    return new Promise((resolve, reject) => {
      const sent = send(this.#url, { method: 'POST', headers, agent: this.#agent, signal });
      sent.on('response', resolve);
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

function resultOf(answer: IncomingMessage, version: WriteVersion, reason: string): WriteResult {
  const status = answer.statusCode ?? 0;
  const isWritten = answer.headers[WRITTEN] !== undefined;
  if (status >= 200 && status < 300) {
    // A receiver of 1.0 that does not look at the type finds no series in it.
    if (version === '2.0' && !isWritten) return { kind: 'version', reason };
    return { kind: 'stored' };
  }
  if (version === '2.0' && (status === 415 || (status === 400 && !isWritten))) {
    return { kind: 'version', reason };
  }
  const isRefused = status >= 400 && status < 500 && status !== 429;
  if (isRefused) return { kind: 'refused', reason };
  return { kind: 'later', reason, retryAfterMs: retryAfterMs(answer.headers['retry-after']) };
}

/** RFC 9110, 10.2.3: seconds or a date. */
function retryAfterMs(value: string | undefined): number {
  if (value === undefined) return 0;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return ms > 0 ? Math.min(RETRY_AFTER_MS_MAX, ms) : 0;
}
