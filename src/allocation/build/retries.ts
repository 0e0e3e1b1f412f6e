/**
 * When failed jobs are tried again. A failure of the outside world (the store is down) makes all jobs
 * wait, a minute at most; a job with a failure of its own, or a third one, waits alone, ever longer, so
 * that the others go on.
 */
import { SECOND_MS, Unavailable } from '../../query/index.ts';

const PAUSE_MS_MAX = 60 * SECOND_MS;
const OWN_WAIT_MS = 600 * SECOND_MS;
const OWN_WAIT_MS_MAX = 6 * 3600 * SECOND_MS;
/** Failures of the outside world before one waits alone. */
const SHARED_FAILURES_MAX = 2;

interface Failure {
  readonly count: number;
  readonly untilMs: number;
  readonly message: string;
}

export class Retries {
  readonly #clockMs: () => number;
  readonly #failures: Map<string, Failure> = new Map();
  #inARow = 0;
  #pausedUntilMs = -Infinity;

  /** @param clockMs one that never stands still */
  constructor(clockMs: () => number = () => performance.now()) {
    this.#clockMs = clockMs;
  }

  /** Reasons of jobs that failed last time, by id. */
  get failing(): ReadonlyMap<string, string> {
    return new Map([...this.#failures].map(([id, { message }]) => [id, message]));
  }

  /** How long nothing is tried at all. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntilMs - this.#clockMs());
  }

  isWaiting(id: string): boolean {
    return (this.#failures.get(id)?.untilMs ?? -Infinity) > this.#clockMs();
  }

  succeeded(id: string): void {
    this.#failures.delete(id);
    this.#inARow = 0;
  }

  /** @param mostMs longest wait of its own @returns until it is tried again, at the earliest */
  failed(id: string, error: unknown, mostMs: number = OWN_WAIT_MS_MAX): number {
    const isOutside = error instanceof Unavailable;
    const count = (this.#failures.get(id)?.count ?? 0) + 1;
    const alone = isOutside ? count - SHARED_FAILURES_MAX : count;
    const ownMs =
      alone <= 0 ? 0 : Math.min(mostMs, OWN_WAIT_MS_MAX, OWN_WAIT_MS * 2 ** (alone - 1));
    if (isOutside) {
      this.#pausedUntilMs =
        this.#clockMs() + Math.min(PAUSE_MS_MAX, SECOND_MS * 2 ** this.#inARow++);
    }
    const message = error instanceof Error ? error.message : String(error);
    this.#failures.set(id, { count, untilMs: this.#clockMs() + ownMs, message });
    return Math.max(ownMs, this.pauseMs);
  }
}
