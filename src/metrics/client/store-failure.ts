/** Failures of a store: their messages, and whether a retry may help. */
import { Unavailable } from '../../query/index.ts';
import { TimedOut, type Deadline } from './deadline.ts';
import type { HttpAnswer } from './http-call.ts';
import { describeHttpError } from './http-client.ts';

export class StoreFailure extends Unavailable {
  readonly mayRetry: boolean;
  /** The time that the store asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** The status of the store's answer, if it was an error. */
  readonly answered: number | undefined;
  /** A smaller request may be answered. */
  readonly isTooMuch: boolean;
  /** The store has too much to do: fewer requests at once may be answered. */
  get isOverload(): boolean {
    const isBusy = this.answered === 429 || this.answered === 503;
    return (isBusy && !this.isTooMuch) || this.cause instanceof TimedOut;
  }

  constructor(
    message: string,
    options: {
      status?: number;
      hint?: string;
      cause?: unknown;
      mayRetry?: boolean;
      retryAfterMs?: number | undefined;
      answered?: number;
      isTooMuch?: boolean;
    } = {},
  ) {
    const { mayRetry = false, retryAfterMs, answered, isTooMuch = false, ...rest } = options;
    const seconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
    super(message, seconds === undefined ? rest : { ...rest, retryAfterSeconds: seconds });
    this.mayRetry = mayRetry;
    this.retryAfterMs = retryAfterMs;
    this.answered = answered;
    this.isTooMuch = isTooMuch;
  }
}

/** The store's answer does not fit the request, and would not fit next time. */
export function wrongAnswer(store: string, what: string, hint?: string): StoreFailure {
  return new StoreFailure(
    `cannot read ${store}: ${what}`,
    hint ? { status: 502, hint } : { status: 502 },
  );
}

/** The phase of a read: waiting for its turn, for the answer's head, for its body. */
export type Phase = 'queue' | 'head' | 'body';

const IDLE: Readonly<Record<Phase, string>> = {
  queue: 'no turn came within',
  head: 'it did not begin to answer within',
  body: 'it fell silent for',
};

const TOTAL: Readonly<Record<Phase, string>> = {
  queue: 'other reads kept it busy for',
  head: 'it did not begin to answer within',
  body: 'its answer was not complete after',
};

/**
 * The failure behind an error met in `phase`.
 * @throws the caller's own reason when it was the caller who stopped
 */
export function connectionFailure(
  store: string,
  phase: Phase,
  cause: unknown,
  deadline: Deadline,
): StoreFailure {
  if (cause instanceof StoreFailure) return cause;
  if (deadline.signal.aborted) return timeFailure(store, phase, deadline.signal.reason);
  const what = describeHttpError(cause);
  const message = phase === 'body' ? `its answer was cut off mid-stream: ${what}` : what;
  return new StoreFailure(`cannot read ${store}: ${message}`, { cause, mayRetry: true });
}

function timeFailure(store: string, phase: Phase, reason: unknown): StoreFailure {
  if (!(reason instanceof TimedOut)) throw reason;
  const what = (reason.limit === 'idle' ? IDLE : TOTAL)[phase];
  const message = `cannot read ${store}: ${what} ${reason.limitMs} ms`;
  return new StoreFailure(message, { status: 504, cause: reason });
}

/** Prometheus, Mimir, Thanos and VictoriaMetrics refuse with 422, some proxies with 413. */
const TOO_MUCH_STATUSES: ReadonlySet<number> = new Set([413, 422]);
/**
 * The same with other statuses: queries that timed out (503), range queries beyond 11,000 points (400),
 * too large gRPC messages behind Thanos and Mimir (500).
 */
const TOO_MUCH =
  /too many samples|maximum resolution|timed out|ResourceExhausted|message larger than max/i;

/** Words of Thanos, with 422 as well, where one of its stores cannot be reached, however small the request is. */
const PART_DOWN = /rpc error: code = Unavailable|connection refused|no such host/;

/** @param text the beginning of the answer's body */
export function statusFailure(store: string, answer: HttpAnswer, text: string): StoreFailure {
  const { status } = answer;
  const overloaded = status === 429 || status === 503;
  const location = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  const said = ownWords(text);
  const isTooLarge = TOO_MUCH.test(said);
  const isPartDown = !isTooLarge && status === 422 && PART_DOWN.test(text);
  const isTooMuch = isTooLarge || (TOO_MUCH_STATUSES.has(status) && !isPartDown);
  return new StoreFailure(
    `cannot read ${store}: it answered ${status}${location}${said === '' ? '' : `: ${said}`}`,
    {
      answered: status,
      status: overloaded || isPartDown || status >= 500 ? 503 : 502,
      mayRetry: status === 429 || isPartDown || (status >= 500 && status !== 501 && !isTooMuch),
      isTooMuch,
      retryAfterMs: overloaded ? parseRetryAfter(answer.header('retry-after')) : undefined,
    },
  );
}

/** An error in an answer of status 200; the two kinds have 422 and 503 otherwise. */
export function errorFailure(store: string, type: string, text: string): StoreFailure {
  const message = `cannot read ${store}: it answered with an error: ${oneLine(text || type)}`;
  const isTooMuch = type === 'execution' || type === 'timeout';
  return new StoreFailure(message, isTooMuch ? { isTooMuch } : { status: 502 });
}

/** The `error` of Prometheus' JSON errors, else the text; one line, at most 300 characters. */
function ownWords(text: string): string {
  const quoted = /"error"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return oneLine(quoted === undefined ? text : unquote(quoted));
}

function oneLine(words: string): string {
  const line = words.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

function unquote(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return json;
  }
}

/** RFC 9110, 10.2.3: seconds or a date. */
function parseRetryAfter(value: string): number | undefined {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
