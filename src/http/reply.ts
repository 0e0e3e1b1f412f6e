import { asRequestError, Fault, Unavailable } from '../query/index.ts';
import type { HttpReply, Log } from './server.ts';

const JSON_HEADERS: HttpReply['headers'] = Object.freeze({ 'content-type': 'application/json' });

/** `value` as JSON; NaN and infinities become null. */
export function json(value: unknown, status: number = 200): HttpReply {
  return { status, headers: JSON_HEADERS, body: JSON.stringify(value) ?? 'null' };
}

/** Bytes known at once, with status 200; `headers` are added. */
export function bytes(
  contentType: string,
  body: Uint8Array | string,
  headers: HttpReply['headers'] = {},
): HttpReply {
  return { status: 200, headers: { ...headers, 'content-type': contentType }, body };
}

/** Chunks made on demand, with status 200; `headers` such as `content-disposition` are added. */
export function stream(
  contentType: string,
  chunks: AsyncIterable<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  return { status: 200, headers: { ...headers, 'content-type': contentType }, body: chunks };
}

/**
 * The one error form, `{"code","message","data":null,"parameter"?,"hint"?}`, status equal to code.
 * Errors other than Fault and Unavailable are logged, and the client gets no details.
 */
export function errorReply(thrown: unknown, log: Log): HttpReply {
  const error = asRequestError(thrown);
  if (error instanceof Fault) {
    const { status, message, parameter, hint } = error;
    return json({ code: status, message, data: null, parameter, hint }, status);
  }
  if (error instanceof Unavailable) return unavailableReply(error);
  log('a request failed unexpectedly', error);
  return json({ code: 500, message: 'internal error', data: null }, 500);
}

function unavailableReply(error: Unavailable): HttpReply {
  const { status, message, hint, retryAfterSeconds } = error;
  const reply = json({ code: status, message, data: null, hint }, status);
  if (retryAfterSeconds === undefined) return reply;
  const seconds = String(Math.max(1, Math.ceil(retryAfterSeconds)));
  return { ...reply, headers: { ...reply.headers, 'retry-after': seconds } };
}
