/** What answers and failures of calls say, in words for the agent's log. */
import type { IncomingMessage } from 'node:http';

/** A reason is a line; some servers answer with a page. */
const REASON_BYTES = 500;

/** @returns such as `it answered 403: forbidden`, with the beginning of its text in one line */
export async function wordsOfAnswer(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    parts.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes >= REASON_BYTES) break;
  }
  const text = Buffer.concat(parts).toString('utf8', 0, Math.min(bytes, REASON_BYTES));
  const words = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return `it answered ${answer.statusCode ?? 0}${words === '' ? '' : `: ${words}`}`;
}

/** What TLS says is kept: it names the address that a kubelet's certificate lacks. */
export function wordsOfError(error: unknown): string {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'the connection was closed';
  return String(message).slice(0, 200);
}
