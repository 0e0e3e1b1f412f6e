/**
 * How much one client (visit.ts) may ask: a bucket of tokens each, which fills at the rate that is allowed and holds ten
 * seconds of it, so that a page which asks much at once is not slowed. What is open to all, such as `/healthz`, is
 * not counted.
 */
import type { AdmittedHandler } from './caller.ts';
import { json } from './reply.ts';
import type { HttpReply } from './server.ts';

export interface RateLimit {
  /** Requests a second of one client. */
  readonly perSecond: number;
  /** Whether requests to a path are not counted. */
  readonly isOpen: (path: string) => boolean;
  /** A clock that never goes back; absent: the real one. */
  readonly nowMs?: () => number;
}

const BURST_SECONDS = 10;
/** Those that asked last: a client that is forgotten begins with a full bucket. */
const CLIENTS_MAX = 10_000;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** @returns what makes a handler count: all that it makes count the same clients together */
export function rateLimiter({
  perSecond,
  isOpen,
  nowMs = () => performance.now(),
}: RateLimit): (handler: AdmittedHandler) => AdmittedHandler {
  const burst = Math.max(1, BURST_SECONDS * perSecond);
  const buckets = new Map<string, Bucket>();
  const bucketOf = (client: string): Bucket => {
    const atMs = nowMs();
    const known = buckets.get(client) ?? { tokens: burst, atMs };
    const filled = known.tokens + ((atMs - known.atMs) / 1000) * perSecond;
    const bucket = { tokens: Math.min(burst, filled), atMs };
    // Who asked last comes last.
    buckets.delete(client);
    buckets.set(client, bucket);
    if (buckets.size > CLIENTS_MAX)
      for (const oldest of [...buckets.keys()].slice(0, 1)) buckets.delete(oldest);
    return bucket;
  };
  return (handler) => (request) => {
    if (isOpen(request.path)) return handler(request);
    const { client } = request.visit;
    const bucket = bucketOf(client);
    if (bucket.tokens < 1) return tooMuch(client, perSecond, (1 - bucket.tokens) / perSecond);
    bucket.tokens--;
    return handler(request);
  };
}

function tooMuch(client: string, perSecond: number, seconds: number): HttpReply {
  const retryAfter = String(Math.max(1, Math.ceil(seconds)));
  const message = `${client} asks more than ${perSecond} requests a second`;
  const hint = `ask again in ${retryAfter} s; the operator sets the rate by --rate-limit`;
  const reply = json({ code: 429, message, data: null, hint }, 429);
  return { ...reply, headers: { ...reply.headers, 'retry-after': retryAfter } };
}
