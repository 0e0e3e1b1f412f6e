/**
 * One request over connections that are kept. `fetch` of Node 20 takes 1.4 to 2 times the CPU for bodies as large as
 * parts of blocks and sets are (docs/decisions/0033-buckets-without-sdks.md).
 */
import { setMaxListeners } from 'node:events';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export interface Call {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** Headers of an answer, by small letters. */
export interface Heads {
  get(name: string): string | null;
}

/** The head of an answer, and its body, unpacked. Whoever does not read the body leaves it by `leave`. */
export interface Received {
  readonly status: number;
  readonly isOk: boolean;
  readonly headers: Heads;
  /** @throws the signal's reason where that was aborted */
  readonly body: Readable;
  leave(): void;
}

/** Unless the server says how long it keeps them: shorter than any does. */
const KEPT_MS = 4000;
const AGENTS = {
  'http:': new HttpAgent({ keepAlive: true, timeout: KEPT_MS }),
  'https:': new HttpsAgent({ keepAlive: true, timeout: KEPT_MS }),
};
const PARTIAL = 206;

const UNPACKED = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/**
 * Redirects are not followed.
 * @param signal ends the body, too
 * @throws what the network says, or the signal's reason
 */
export function send(
  { method, url, headers, body }: Call,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Received> {
  const isSecure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const sent = (isSecure ? httpsRequest : httpRequest)(url, {
      agent: AGENTS[isSecure ? 'https:' : 'http:'],
      method,
      headers: {
        accept: '*/*',
        ...headers,
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    });
    let received: IncomingMessage | undefined;
    const abort = (): void => void (received ?? sent).destroy(signal.reason as Error);
    const timer = setTimeout(() => {
      sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    // Many requests may have one signal, which is no leak.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', abort, { once: true });
    sent.on('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    });
    sent.on('error', reject);
    sent.on('response', (incoming) => {
      clearTimeout(timer);
      received = incoming;
      resolve(responseOf(incoming, method));
    });
    sent.end(body);
  });
}

function responseOf(incoming: IncomingMessage, method: Call['method']): Received {
  const { statusCode: status = 0 } = incoming;
  const coding = incoming.headers['content-encoding'] ?? '';
  const isPacked = method !== 'HEAD' && status !== PARTIAL && isCoding(coding);
  // Nothing comes, and the connection is free for others.
  if (method === 'HEAD') incoming.resume();
  // Whoever reads it is told; where nobody does, nobody has to know.
  incoming.on('error', () => undefined);
  return {
    status,
    isOk: status >= 200 && status < 300,
    headers: {
      get(name) {
        const value = incoming.headers[name];
        return value === undefined ? null : String(value);
      },
    },
    // Its errors are those of what it reads.
    body: isPacked ? pipeline(incoming, UNPACKED[coding](), () => undefined) : incoming,
    leave: () => void incoming.destroy(),
  };
}

function isCoding(text: string): text is keyof typeof UNPACKED {
  return text in UNPACKED;
}
