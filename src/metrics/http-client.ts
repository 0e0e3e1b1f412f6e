/** HTTP/1.1 to a metrics store: the only file that knows undici. */
import type { Agent } from 'undici';
import type { Tls } from './credentials.ts';

export interface HttpCall {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface HttpAnswer {
  readonly status: number;
  /** A header's value by lower-case name, '' when absent. */
  header(name: string): string;
  /** Chunks as the socket gave them; their memory is the reader's. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection unless the body was read to its end. */
  discard(): void;
}

export interface HttpClient {
  /**
   * Redirects are not followed and an aborted call closes its connection at once. No time limits
   * but that of connecting: the caller's signal holds the others.
   */
  send(call: HttpCall, signal: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** @param tls certificates beside or instead of the usual ones */
export function createHttpClient(
  origin: string,
  connectTimeoutMs: number,
  tls: Tls = {},
): HttpClient {
  let agent: Promise<Agent> | undefined;
  const send = async (call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> => {
    const { method, path, headers, body } = call;
    agent ??= openAgent({ timeout: connectTimeoutMs, ...tls });
    const answer = await (
      await agent
    ).request({
      origin,
      method,
      path,
      headers,
      body: body ?? null,
      signal,
    });
    // An abort while nobody reads must not become an unhandled 'error' event.
    answer.body.on('error', () => undefined);
    return {
      status: answer.statusCode,
      header: (name) => [answer.headers[name] ?? ''].flat().join(', '),
      body: answer.body,
      discard: () => void answer.body.destroy(),
    };
  };
  return { send, close: async () => (await agent)?.destroy() };
}

/** With the first call: undici takes 50 ms to load, and stored days are answered without it. */
async function openAgent(connect: NonNullable<Agent.Options['connect']>): Promise<Agent> {
  // A bundle of CommonJS has no names but the default.
  const { default: undici } = await import('undici');
  return new undici.Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
}

/** What system and client errors mean, by code; a code that ends in `*` is a prefix. */
const MEANINGS: readonly (readonly [string, string])[] = [
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was closed'],
  ['EPIPE', 'the connection was closed'],
  ['UND_ERR_SOCKET', 'the connection was closed'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
  ['ETIMEDOUT', 'no connection in time'],
  ['EHOSTUNREACH', 'there is no way to the host'],
  ['ENETUNREACH', 'there is no way to the host'],
  ['ENOTFOUND', 'the host name is not known'],
  ['EAI_*', 'the host name is not known'],
  ['HTTPParserError', 'it does not answer in HTTP'],
  ['HPE_*', 'it does not answer in HTTP'],
  ['UND_ERR_HEADERS_OVERFLOW', 'its answer has too long a head'],
  ['EPROTO', 'the TLS handshake failed'],
  ['ERR_SSL_*', 'the TLS handshake failed'],
  ['ERR_TLS_*', 'the TLS certificate is not accepted'],
  ['CERT_*', 'the TLS certificate is not accepted'],
  ['DEPTH_*', 'the TLS certificate is not accepted'],
  ['SELF_SIGNED_*', 'the TLS certificate is not accepted'],
  ['UNABLE_*', 'the TLS certificate is not accepted'],
];

/** What went wrong, for a message, such as `the connection was refused (ECONNREFUSED)`. */
export function describeHttpError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const meaning = MEANINGS.find(([pattern]) =>
    pattern.endsWith('*') ? code.startsWith(pattern.slice(0, -1)) : code === pattern,
  );
  if (meaning === undefined) return error.message.slice(0, 300);
  return `${meaning[1]} (${code})`;
}
