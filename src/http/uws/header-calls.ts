/**
 * The headers of an answer in two calls of the engine: the value of one goes on with the lines of others. Each call costs
 * more than the bytes that it writes, and names and values were checked before (reply-head.ts).
 */
import { KEEP_ALIVE, type ReplyHead } from '../reply-head.ts';

/** After the value of a header. */
const KEPT = `\r\nkeep-alive: ${KEEP_ALIVE}`;

interface HeaderCall {
  readonly name: string;
  readonly value: string;
}

/** Results for headers that are sent again and again. */
const JOINED: WeakMap<ReplyHead['headers'], HeaderCall> = new WeakMap();

export function headerCalls({ headers, requestId, close }: ReplyHead): HeaderCall[] {
  const own = { name: 'x-request-id', value: close ? requestId : requestId + KEPT };
  let joined = JOINED.get(headers);
  if (joined === undefined) JOINED.set(headers, (joined = joinedHeaders(headers)));
  return [own, joined];
}

function joinedHeaders(headers: ReplyHead['headers']): HeaderCall {
  const [first, ...others] = headers;
  if (first === undefined) throw new Error('BUG: an answer without a header');
  const lines = others.map(([name, value]) => `\r\n${name}: ${value}`);
  return { name: first[0], value: first[1] + lines.join('') };
}

export function replyHeadBytes({ headers, requestId }: ReplyHead): number {
  let bytes = requestId.length + 'x-request-id: \r\n'.length + KEPT.length;
  for (const [name, value] of headers) bytes += name.length + value.length + 4;
  return bytes;
}
