import { setMaxListeners } from 'node:events';
import { Unavailable } from '../query/index.ts';
import { NEVER, requestOf } from './never.ts';

interface Waiting {
  /** In order of arrival. */
  readonly number: number;
  readonly start: (end: () => void) => void;
  readonly refuse: (reason: Error) => void;
}

/** A request with tasks, and the time that they have taken so far. */
interface Request {
  /** In order of arrival. */
  readonly number: number;
  readonly waiting: Set<Waiting>;
  tookMs: number;
}

/** A request that has taken less goes before those on higher levels; on one level who came first does. */
const FIRST_LEVEL_MS = 8;
const LEVELS_APART = 8;

/** The latest turns count most in how long one takes. */
const LATEST_SHARE = 0.05;

/** One of so many turns goes to who waits longest, whatever its request has taken. */
const OLDEST_EVERY = 3;

/**
 * Turns: so many go on at once, the others wait. Requests that have taken little so far go before those that
 * have taken much, so that short ones pass between the tasks of long ones without anybody knowing beforehand
 * which is which (a multilevel feedback queue); one turn in three goes to who waits longest, so that long ones
 * come to an end.
 */
export class Turns {
  readonly #most: number;
  readonly #waitingMax: number;
  readonly #nowMs: () => number;
  /** Those with tasks that wait, by their signal. */
  readonly #requests: Map<AbortSignal, Request> = new Map();
  /** What was taken by those of which no task waits. */
  readonly #resting: WeakMap<AbortSignal, Request> = new WeakMap();
  #running: number = 0;
  #waiting: number = 0;
  #turnMs: number = 0;
  #number: number = 0;
  /** Turns given so far. */
  #given: number = 0;
  #isClosed: boolean = false;
  #whenIdle: (() => void) | undefined;

  /**
   * @param nowMs a clock that never goes back
   * @param waitingMax where so many wait, a request that has had no turn yet gets none
   */
  constructor(
    most: number,
    nowMs: () => number = () => performance.now(),
    waitingMax: number = Infinity,
  ) {
    this.#most = most;
    this.#nowMs = nowMs;
    this.#waitingMax = waitingMax;
  }

  /** Turns that go on, and those that are waited for. */
  get state(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting };
  }

  /**
   * @returns a function that ends the turn
   * @throws the reason of `signal` when it is aborted before the turn, {Unavailable} once closed, or when too
   * many wait: requests that have begun are not refused
   */
  take(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#isClosed) throw closed();
      const key = requestOf(signal);
      if (this.#waiting >= this.#waitingMax && !this.#resting.has(key)) throw this.#crowded();
      const request = this.#requestOf(key);
      const giveUp = (): void => {
        if (this.#leave(key, request, entry)) reject(signal.reason as Error);
      };
      const ends = (): void => signal.removeEventListener('abort', giveUp);
      const entry: Waiting = {
        number: this.#number++,
        start: (end) => {
          ends();
          resolve(end);
        },
        refuse: (reason) => {
          ends();
          reject(reason);
        },
      };
      // Many tasks of one answer may wait at once, which Node takes for a leak.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', giveUp, { once: true });
      request.waiting.add(entry);
      this.#waiting++;
      this.#startNext();
    });
  }

  /** Refuses who waits. @returns once every turn has ended, or after `withinMs` */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    for (const { waiting } of this.#requests.values())
      for (const { refuse } of waiting) refuse(closed());
    this.#requests.clear();
    this.#waiting = 0;
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#whenIdle = (): void => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #requestOf(key: AbortSignal): Request {
    const request = this.#requests.get(key) ??
      this.#resting.get(key) ?? {
        number: this.#number++,
        waiting: new Set(),
        tookMs: 0,
      };
    this.#requests.set(key, request);
    this.#resting.set(key, request);
    return request;
  }

  #leave(key: AbortSignal, request: Request, entry: Waiting): boolean {
    const wasThere = request.waiting.delete(entry);
    if (wasThere) this.#waiting--;
    if (request.waiting.size === 0) this.#requests.delete(key);
    return wasThere;
  }

  #startNext(): void {
    while (this.#running < this.#most) {
      const next = this.#next();
      if (next === undefined) return;
      const { key, request, entry } = next;
      this.#leave(key, request, entry);
      this.#running++;
      this.#given++;
      const begunMs = this.#nowMs();
      entry.start(() => {
        // Work for nobody in particular, such as reading a set that many need, stays first.
        const tookMs = this.#nowMs() - begunMs;
        if (key !== NEVER) request.tookMs += tookMs;
        this.#turnMs += LATEST_SHARE * (tookMs - this.#turnMs);
        this.#running--;
        this.#startNext();
        if (this.#running === 0) this.#whenIdle?.();
      });
    }
  }

  #crowded(): Unavailable {
    const drainMs = (this.#turnMs * this.#waiting) / this.#most;
    const retryAfterSeconds = Math.max(1, Math.ceil(drainMs / 1000));
    return new Unavailable(`${this.#waiting} tasks wait for ${this.#most} turns of workers`, {
      retryAfterSeconds,
      hint: `ask again in ${retryAfterSeconds} s, when those that wait have had their turn`,
    });
  }

  #next(): Next | undefined {
    const isOldest = this.#given % OLDEST_EVERY === 0;
    let best: Next | undefined;
    for (const [key, request] of this.#requests) {
      const [entry] = request.waiting;
      if (entry === undefined) continue;
      const order = isOldest ? entry.number : levelOf(request);
      const isBefore = best === undefined || order < best.order;
      const isAlike = order === best?.order && request.number < best.request.number;
      if (isBefore || isAlike) best = { key, request, entry, order };
    }
    return best;
  }
}

interface Next {
  readonly key: AbortSignal;
  readonly request: Request;
  readonly entry: Waiting;
  readonly order: number;
}

function levelOf({ tookMs }: Request): number {
  if (tookMs < FIRST_LEVEL_MS) return 0;
  return 1 + Math.floor(Math.log(tookMs / FIRST_LEVEL_MS) / Math.log(LEVELS_APART));
}

function closed(): Unavailable {
  return new Unavailable('prorata is stopping', { hint: 'ask again in a moment' });
}
