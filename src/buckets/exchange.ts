/**
 * One HTTP exchange with a cloud. Redirects are never followed: whoever answers for a bucket does not
 * choose where credentials go. What may pass by itself is tried again, ever later.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../query/index.ts';
import { send, type Call, type Heads, type Received } from './send.ts';

export type { Call, Heads, Received } from './send.ts';

export interface Outside {
  readonly nowMs: () => number;
  /** Milliseconds before the second try; twice as many before the next. */
  readonly firstPauseMs: number;
}

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  /** Milliseconds until the head of the answer is there. */
  readonly timeoutMs?: number;
  readonly tries?: number;
  /** Called before another try, where the one before may have been done although it failed. */
  readonly onDoubt?: () => void;
  /** Statuses that may pass by themselves, beside those of every call. */
  readonly passing?: readonly number[];
}

/** What was answered, whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Heads;
  readonly text: string;
}

/** Throttling (429, S3's SlowDown is a 503), and failures of a server. */
const PASSING: readonly number[] = [408, 429, 500, 502, 503, 504];
/** A bucket that does not answer after all tries is asked again after so long. */
export const AGAIN_SECONDS = 5;
const TRIES = 5;
const TIMEOUT_MS = 30_000;
const PAUSE_MS_MAX = 60_000;
/** A page of 5,000 blobs has some 5 MB. */
const TEXT_BYTES_MAX = 32 * 2 ** 20;

export const isPassingStatus = (status: number): boolean => PASSING.includes(status);

/** @param call is made for each try, as signatures have a time. @throws where nobody answers */
export async function exchange(
  outside: Outside,
  call: () => Promise<Call>,
  { signal, timeoutMs = TIMEOUT_MS, tries = TRIES, onDoubt, passing = [] }: ExchangeOptions,
): Promise<Received> {
  for (let tried = 1; ; tried++) {
    const answer = await send(await call(), signal, timeoutMs).catch((error: unknown) => {
      if (signal.aborted || tried >= tries) throw reasonOf(error);
      return undefined;
    });
    if (answer !== undefined) {
      const isPassing = PASSING.includes(answer.status) || passing.includes(answer.status);
      if (!isPassing || tried >= tries) return answer;
      answer.leave();
    }
    onDoubt?.();
    const backoffMs = outside.firstPauseMs * 2 ** (tried - 1) * (1 - Math.random() / 2);
    const askedMs = Number(answer?.headers.get('retry-after') ?? 0) * 1000;
    const pauseMs = Math.max(backoffMs, askedMs > 0 ? askedMs : 0);
    await sleep(Math.min(pauseMs, PAUSE_MS_MAX), undefined, { signal });
  }
}

/** The whole answer. @throws if it is too long, or is cut off */
export async function wholeAnswer(response: Received): Promise<Answer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > TEXT_BYTES_MAX) throw new Error(`its answer has more than ${TEXT_BYTES_MAX} bytes`);
    parts.push(part);
  }
  const text = new TextDecoder().decode(Buffer.concat(parts));
  return { status: response.status, headers: response.headers, text };
}

/** Its body is left to whoever asked. */
export const unread = (response: Received): Promise<Received> => Promise.resolve(response);

export async function ask(
  outside: Outside,
  call: () => Promise<Call>,
  options: ExchangeOptions,
): Promise<Answer> {
  return await wholeAnswer(await exchange(outside, call, options));
}

/** Where several addresses of a name failed, only the code is told. */
export function reasonOf(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error.message !== '') return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return new Error(code, { cause: error });
}

/** Nobody answered, or nobody who could. */
export function unanswered(what: string, cause: unknown, hint?: string): Unavailable {
  const message = `${what}: ${reasonOf(cause).message}`;
  return new Unavailable(message, { hint, retryAfterSeconds: AGAIN_SECONDS });
}

const SKEW_MS = 5 * 60_000;

/** A sentence where the clock of this machine may be why an answer refuses; else nothing. */
export function clockSkew({ headers }: Pick<Answer, 'headers'>, nowMs: number): string {
  const theirs = Date.parse(headers.get('date') ?? '');
  const aheadMs = nowMs - theirs;
  if (!(Math.abs(aheadMs) > SKEW_MS)) return '';
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  return `; the clock of this machine is ${minutes} min ${side} theirs: set it right`;
}

/** The clock of whoever answered, Unix ms. */
export function timeOf(headers: Heads, otherwiseMs: number): number {
  const timeMs = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(timeMs) ? otherwiseMs : timeMs;
}
