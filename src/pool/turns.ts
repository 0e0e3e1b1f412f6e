import { setMaxListeners } from 'node:events';
import { Unavailable } from '../query/index.ts';
import { bandOf, Bands } from './bands.ts';
import { NEVER, requestOf } from './never.ts';

/** Ends a turn. `tookMs` is what it took of a worker; absent: as long as it went on. */
export type EndTurn = (tookMs?: number) => void;

interface Waiting {
  readonly start: (end: EndTurn) => void;
  readonly refuse: (reason: Error) => void;
}

/** A request with tasks, and the time that they have taken so far. */
interface Request {
  /** In order of arrival. */
  readonly number: number;
  readonly waiting: Set<Waiting>;
  tookMs: number;
  turns: number;
}

export interface TurnsOptions {
  /** So many go on at once. */
  readonly most: number;
  /** So many more may have begun before those end, so that a worker never waits for the next; absent: none. */
  readonly ahead?: number;
  /** A clock that never goes back; absent: the real one. */
  readonly nowMs?: () => number;
  /** Where so many wait, a request that has had no turn yet gets none; absent: any number may. */
  readonly waitingMax?: number;
}

/**
 * Only what is expected to take no longer begins ahead: a short question that comes then would stand behind it, and
 * beside longer ones the wait for the next is nothing.
 */
const AHEAD_MS = 5;

/** The latest turns count most in how long one takes. */
const LATEST_SHARE = 0.05;

/**
 * Turns: so many go on at once, the others wait. Requests that have taken little so far, those that have taken
 * more and those that have taken much share the time of workers, so that short ones pass between the tasks of
 * long ones without anybody knowing beforehand which is which (a multilevel feedback queue), and long ones come
 * to an end. Among requests of one band who came first goes first.
 */
export class Turns {
  readonly #most: number;
  readonly #ahead: number;
  readonly #waitingMax: number;
  readonly #nowMs: () => number;
  /** Those with tasks that wait, by their signal. */
  readonly #requests: Map<AbortSignal, Request> = new Map();
  /** What was taken by those of which no task waits. */
  readonly #resting: WeakMap<AbortSignal, Request> = new WeakMap();
  #running: number = 0;
  #waiting: number = 0;
  /** What turns take of a worker. */
  #workMs: number = 0;
  #number: number = 0;
  readonly #bands: Bands = new Bands();
  #isClosed: boolean = false;
  #whenIdle: (() => void) | undefined;

  constructor({ most, ahead = 0, nowMs, waitingMax = Infinity }: TurnsOptions) {
    this.#most = most;
    this.#ahead = ahead;
    this.#nowMs = nowMs ?? ((): number => performance.now());
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
  take(signal: AbortSignal): Promise<EndTurn> {
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
        turns: 0,
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
    while (this.#running < this.#most + this.#ahead) {
      const next = this.#next();
      if (next === undefined) return;
      const { key, request, entry, band } = next;
      // Until it is known how long this one takes, it takes as long as those before.
      const expectedMs = request.turns > 0 ? request.tookMs / request.turns : this.#workMs;
      if (this.#running >= this.#most && expectedMs > AHEAD_MS) return;
      this.#leave(key, request, entry);
      this.#running++;
      const begunMs = this.#nowMs();
      this.#bands.charge(band, expectedMs);
      entry.start((workMs) => {
        const tookMs = workMs ?? this.#nowMs() - begunMs;
        this.#bands.charge(band, tookMs - expectedMs);
        // Work for nobody in particular, such as reading a set that many need, stays short.
        if (key !== NEVER) {
          request.tookMs += tookMs;
          request.turns++;
        }
        this.#workMs += LATEST_SHARE * (tookMs - this.#workMs);
        this.#running--;
        // A request that asks for its next turn at once is not behind long ones that waited meanwhile.
        setImmediate(() => this.#startNext());
        if (this.#running === 0) this.#whenIdle?.();
      });
    }
  }

  #crowded(): Unavailable {
    const drainMs = (this.#workMs * this.#waiting) / this.#most;
    const retryAfterSeconds = Math.max(1, Math.ceil(drainMs / 1000));
    return new Unavailable(`${this.#waiting} tasks wait for ${this.#most} turns of workers`, {
      retryAfterSeconds,
      hint: `ask again in ${retryAfterSeconds} s, when those that wait have had their turn`,
    });
  }

  #next(): Next | undefined {
    const firsts: (Next | undefined)[] = [];
    for (const [key, request] of this.#requests) {
      const [entry] = request.waiting;
      if (entry === undefined) continue;
      const band = bandOf(request.tookMs);
      const first = firsts[band];
      if (first === undefined || request.number < first.request.number)
        firsts[band] = { key, request, entry, band };
    }
    const band = this.#bands.next(Array.from(firsts, (first) => first !== undefined));
    return band === undefined ? undefined : firsts[band];
  }
}

interface Next {
  readonly key: AbortSignal;
  readonly request: Request;
  readonly entry: Waiting;
  readonly band: number;
}

function closed(): Unavailable {
  return new Unavailable('prorata is stopping', { hint: 'ask again in a moment' });
}
