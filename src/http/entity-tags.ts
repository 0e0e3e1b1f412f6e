/** Entity tags: who has an answer is not sent it again (https://www.rfc-editor.org/rfc/rfc9110#name-etag). */
import { createHash } from 'node:crypto';
import { json } from './reply.ts';
import type { HttpReply, HttpRequest } from './server.ts';

/**
 * 27 letters, digits, dashes and underscores: the same for the same parts.
 * @param parts all that an answer is made of: a text, or plain data
 */
export function fingerprint(parts: unknown): string {
  const text = typeof parts === 'string' ? parts : JSON.stringify(parts);
  return createHash('sha256').update(text).digest('base64url').slice(0, 27);
}

/**
 * 304 for who has the answer: https://www.rfc-editor.org/rfc/rfc9110#name-if-none-match
 * @param headers of the answer; without a tag nobody has it
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

/** The reply, or 304. @param id of the answer: another for other bytes */
export function tagged(request: HttpRequest, reply: HttpReply, id: string): HttpReply {
  const headers = { ...reply.headers, etag: `"${id}"` };
  return unchanged(request, headers) ?? { ...reply, headers };
}

/** `value` as JSON, by a tag of its bytes: for answers that are short and cheap to make. */
export function taggedJson(request: HttpRequest, value: unknown): HttpReply {
  const reply = json(value);
  return tagged(request, reply, fingerprint(reply.body));
}
