/** HTTP/1.1 to a metrics store. */
import type { Tls } from './credentials.ts';
import type { HttpClient } from './http-call.ts';

/**
 * Loads the client package in the background, as that is slow and a server without a store does not need it.
 * @param tls certificates beside or instead of the usual ones
 */
export function createHttpClient(
  origin: string,
  connectTimeoutMs: number,
  tls: Tls = {},
): HttpClient {
  const agent = import('./http-agent.ts').then(({ openAgent }) =>
    openAgent(origin, { timeout: connectTimeoutMs, ...tls }),
  );
  return {
    send: async (call, signal) => await (await agent).send(call, signal),
    close: async () => await (await agent).close(),
  };
}

/** Meanings of system and client errors by code; a code that ends in `*` is a prefix. */
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

/** The error in words, for a message, such as `the connection was refused (ECONNREFUSED)`. */
export function describeHttpError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const meaning = MEANINGS.find(([pattern]) =>
    pattern.endsWith('*') ? code.startsWith(pattern.slice(0, -1)) : code === pattern,
  );
  if (meaning === undefined) return error.message.slice(0, 300);
  return `${meaning[1]} (${code})`;
}
