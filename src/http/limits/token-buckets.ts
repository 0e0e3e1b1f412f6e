/**
 * Buckets of tokens by client: each fills at a rate, up to what it holds, and begins full. Clients that were seen last are
 * remembered.
 */

export interface TokenBucketOptions {
  /** How many come back in a second. */
  readonly perSecond: number;
  /** How many a bucket holds. */
  readonly most: number;
  /** A clock that never goes back; absent: the real one. */
  readonly nowMs?: (() => number) | undefined;
}

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** A client that is forgotten begins with a full bucket. */
const CLIENTS_MAX = 10_000;

export class TokenBuckets {
  readonly #perSecond: number;
  readonly #most: number;
  readonly #nowMs: () => number;
  /** The client that was seen last comes last. */
  readonly #buckets: Map<string, Bucket> = new Map();

  constructor({ perSecond, most, nowMs = () => performance.now() }: TokenBucketOptions) {
    this.#perSecond = perSecond;
    this.#most = most;
    this.#nowMs = nowMs;
  }

  /** How many the client has left; parts of one, too. */
  left(client: string): number {
    const known = this.#buckets.get(client);
    if (known === undefined) return this.#most;
    this.#buckets.delete(client);
    this.#buckets.set(client, known);
    const filled = known.tokens + ((this.#nowMs() - known.atMs) / 1000) * this.#perSecond;
    return Math.min(this.#most, filled);
  }

  /** Puts back what was taken, or takes some where it is below 0. */
  add(client: string, tokens: number): void {
    const bucket = { tokens: this.left(client) + tokens, atMs: this.#nowMs() };
    this.#buckets.delete(client);
    this.#buckets.set(client, bucket);
    if (this.#buckets.size <= CLIENTS_MAX) return;
    const { value: oldest } = this.#buckets.keys().next();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }

  /** Whole seconds until there is one, at least 1. */
  secondsUntilOne(left: number): number {
    return Math.max(1, Math.ceil((1 - left) / this.#perSecond));
  }
}
