/**
 * Limits how many heavy requests run at once. Further ones wait, but only so many and only so long: beyond that a
 * client is better asked to come back. A turn goes to the client of whom the fewest run, and where the queue is full
 * the newest of the client of whom the most wait makes room for one of whom fewer do: who asks much waits for
 * itself, not others for it. The requests of one client have their turns in the order in which they came.
 */
import { clientOf, Unavailable } from '../query/index.ts';

export interface AdmissionOptions {
  /** Which questions these are, for those that are refused: a plural. */
  readonly lane: string;
  readonly running: number;
  readonly waiting: number;
  readonly waitMs: number;
  /** A clock that never goes back; absent: the real one. */
  readonly nowMs?: () => number;
}

/** The latest turns count most in how long one takes. */
const LATEST_SHARE = 0.2;
/** A client is never told to come back later than this. */
const RETRY_MAX_MS = 120_000;
/** Who waits behind all others has the next turn after this time, however many have come meanwhile. */
const LAST_MAX_MS = 60_000;

/** How it is with an admission now, and has been so far. */
export interface AdmissionState {
  readonly running: number;
  readonly waiting: number;
  readonly admitted: number;
  /** Those that were told to come back. */
  readonly refused: number;
}

export interface Admission {
  readonly state: AdmissionState;
  /**
   * Waits for a place. @returns a function that gives it back
   * @throws {Unavailable} 503 with Retry-After when the queue is full or the wait too long
   */
  enter(signal: AbortSignal): Promise<() => void>;
  /** Waits behind all others, but no longer than a minute and a turn: then it goes first. It is never refused. */
  enterLast(signal: AbortSignal): Promise<() => void>;
}

export function createAdmission(options: AdmissionOptions): Admission {
  return new Lane(options);
}

class Lane implements Admission {
  readonly #options: AdmissionOptions;
  readonly #queue: Set<Waiting> = new Set();
  readonly #lastTurns: Set<Waiting> = new Set();
  /** How many of each client run. */
  readonly #runningOf: Map<string, number> = new Map();
  readonly #times: TurnTimes;
  readonly #nowMs: () => number;
  #running = 0;
  #admitted = 0;
  #refused = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#times = new TurnTimes(this.#nowMs);
  }

  get state(): AdmissionState {
    return {
      running: this.#running,
      waiting: this.#queue.size + this.#lastTurns.size,
      admitted: this.#admitted,
      refused: this.#refused,
    };
  }

  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const client = clientOf(signal);
    if (this.#hasPlace) return this.#admit(client);
    if (this.#queue.size >= this.#options.waiting && !this.#makeRoom(client)) throw this.#busy();
    return await this.#turnIn(this.#queue, client, signal, this.#options.waitMs);
  }

  async enterLast(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const client = clientOf(signal);
    return this.#hasPlace
      ? this.#admit(client)
      : await this.#turnIn(this.#lastTurns, client, signal, null);
  }

  get #hasPlace(): boolean {
    return this.#running < this.#options.running;
  }

  #admit(client: string): () => void {
    this.#running++;
    this.#admitted++;
    count(this.#runningOf, client, 1);
    const end = this.#times.begin();
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      end();
      this.#running--;
      count(this.#runningOf, client, -1);
      this.#next()?.admit();
    };
  }

  #next(): Waiting | undefined {
    const [oldest] = this.#lastTurns;
    if (oldest !== undefined && this.#nowMs() - oldest.sinceMs >= LAST_MAX_MS) return oldest;
    return leastOf(this.#queue, this.#runningOf) ?? leastOf(this.#lastTurns, this.#runningOf);
  }

  /** @param waitMs null: as long as it takes */
  #turnIn(
    turns: Set<Waiting>,
    client: string,
    signal: AbortSignal,
    waitMs: number | null,
  ): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leaveAnd = (finish: () => void) => (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        turns.delete(waiting);
        finish();
      };
      const aborted = leaveAnd(() => reject(signal.reason as Error));
      const giveUp = leaveAnd(() => reject(this.#busy()));
      const admit = leaveAnd(() => resolve(this.#admit(client)));
      const waiting = { client, sinceMs: this.#nowMs(), admit, giveUp };
      const timer = waitMs === null ? undefined : setTimeout(giveUp, waitMs);
      signal.addEventListener('abort', aborted, { once: true });
      turns.add(waiting);
    });
  }

  /** @returns false where nobody has more in the queue than this client */
  #makeRoom(client: string): boolean {
    const waitingOf = new Map<string, number>();
    for (const waiting of this.#queue) count(waitingOf, waiting.client, 1);
    const own = (waitingOf.get(client) ?? 0) + 1;
    const most = Math.max(0, ...waitingOf.values());
    if (most <= own) return false;
    const newest = [...this.#queue].findLast((waiting) => waitingOf.get(waiting.client) === most);
    newest?.giveUp();
    return newest !== undefined;
  }

  #busy(): Unavailable {
    this.#refused++;
    const { lane, running, waitMs } = this.#options;
    const turns = (this.#queue.size + 1) / running;
    const drainMs = Math.min(
      RETRY_MAX_MS,
      this.#times.ms === undefined ? waitMs : this.#times.ms * turns,
    );
    const retryAfterSeconds = Math.max(1, Math.ceil(drainMs / 1000));
    return new Unavailable(
      `too many ${lane}: ${this.#running} are being answered and ${this.#queue.size} wait for their turn`,
      {
        retryAfterSeconds,
        hint: `ask again in ${retryAfterSeconds} s, when those that wait have had their turn, or ask for less at once`,
      },
    );
  }
}

/** How long turns take. */
class TurnTimes {
  readonly #nowMs: () => number;
  /** When those that go on began. */
  readonly #begun: Set<{ readonly atMs: number }> = new Set();
  #latestMs: number | undefined;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** As long as the latest took, or as the oldest that goes on has by now; undefined before one has ended. */
  get ms(): number | undefined {
    if (this.#latestMs === undefined) return undefined;
    const [oldest] = this.#begun;
    return Math.max(this.#latestMs, oldest === undefined ? 0 : this.#nowMs() - oldest.atMs);
  }

  /** @returns a function that ends the turn */
  begin(): () => void {
    const begun = { atMs: this.#nowMs() };
    this.#begun.add(begun);
    return () => {
      this.#begun.delete(begun);
      const tookMs = this.#nowMs() - begun.atMs;
      this.#latestMs ??= tookMs;
      this.#latestMs += LATEST_SHARE * (tookMs - this.#latestMs);
    };
  }
}

interface Waiting {
  readonly client: string;
  readonly sinceMs: number;
  readonly admit: () => void;
  readonly giveUp: () => void;
}

/** The first of those whose client has the fewest that run. */
function leastOf(
  queue: ReadonlySet<Waiting>,
  runningOf: ReadonlyMap<string, number>,
): Waiting | undefined {
  let least: Waiting | undefined;
  let fewest = Infinity;
  for (const waiting of queue) {
    const own = runningOf.get(waiting.client) ?? 0;
    if (own < fewest) [least, fewest] = [waiting, own];
  }
  return least;
}

function count(counts: Map<string, number>, client: string, change: number): void {
  const left = (counts.get(client) ?? 0) + change;
  if (left === 0) counts.delete(client);
  else counts.set(client, left);
}
