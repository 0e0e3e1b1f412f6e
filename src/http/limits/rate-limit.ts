/**
 * How much one client (visit.ts) may ask: a bucket of tokens each, which fills at the rate that is allowed and holds ten
 * seconds of it, so that a page which asks much at once is not slowed. What is open to all, such as `/healthz`, is
 * not counted.
 */
import type { AdmittedHandler } from '../caller.ts';
import { json } from '../reply.ts';
import type { HttpReply } from '../server.ts';
import { TokenBuckets } from './token-buckets.ts';

export interface RateLimit {
  /** Requests a second of one client. */
  readonly perSecond: number;
  /** Whether requests to a path are not counted. */
  readonly isOpen: (path: string) => boolean;
  /** A clock that never goes back; absent: the real one. */
  readonly nowMs?: () => number;
}

const BURST_SECONDS = 10;

/** @returns what makes a handler count: all that it makes count the same clients together */
export function rateLimiter({
  perSecond,
  isOpen,
  nowMs,
}: RateLimit): (handler: AdmittedHandler) => AdmittedHandler {
  const most = Math.max(1, BURST_SECONDS * perSecond);
  const buckets = new TokenBuckets({ perSecond, most, nowMs });
  return (handler) => (request) => {
    if (isOpen(request.path)) return handler(request);
    const { client } = request.visit;
    const left = buckets.left(client);
    if (left < 1) return tooMuch(client, perSecond, buckets.secondsUntilOne(left));
    buckets.add(client, -1);
    return handler(request);
  };
}

function tooMuch(client: string, perSecond: number, seconds: number): HttpReply {
  const retryAfter = String(seconds);
  const message = `${client} asks more than ${perSecond} requests a second`;
  const hint = `ask again in ${retryAfter} s; the operator sets the rate by --rate-limit`;
  const reply = json({ code: 429, message, data: null, hint }, 429);
  return { ...reply, headers: { ...reply.headers, 'retry-after': retryAfter } };
}
