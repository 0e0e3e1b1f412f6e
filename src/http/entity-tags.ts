/** Entity tags: a client that has an answer is not sent it again (https://www.rfc-editor.org/rfc/rfc9110#name-etag). */
import { createHash } from 'node:crypto';
import type { HttpReply, HttpRequest } from './server.ts';

/**
 * A hash of 27 letters, digits, dashes and underscores: the same for the same parts.
 * @param parts everything that the answer depends on: a text, or plain data
 */
export function fingerprint(parts: unknown): string {
  const text = typeof parts === 'string' ? parts : JSON.stringify(parts);
  return createHash('sha256').update(text).digest('base64url').slice(0, 27);
}

/**
 * The tag of an answer to a caller with a filter: of its own bytes, as any other would change with rows of others.
 * @returns undefined for an answer in chunks
 */
export function scopedTag(body: HttpReply['body'] | undefined, scope: string): string | undefined {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return undefined;
  const hash = createHash('sha256').update(`${scope}\0`).update(body);
  return hash.digest('base64url').slice(0, 27);
}

/**
 * 304 for a client that has the answer: https://www.rfc-editor.org/rfc/rfc9110#name-if-none-match
 * @param headers of the answer; without a tag the result is undefined
 */
export function unchanged(
  request: HttpRequest,
  headers: HttpReply['headers'],
): HttpReply | undefined {
  const { etag } = headers;
  const known = request.header('if-none-match');
  if (known === '' || etag === undefined) return undefined;
  const isKnown = known.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim()));
  return isKnown ? { status: 304, headers, body: '' } : undefined;
}
