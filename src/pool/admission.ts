/**
 * Limits how many heavy requests run at once. Further ones wait in order, but only so many and only
 * so long: beyond that a client is better asked to come back.
 */
import { Unavailable } from '../query/index.ts';

export interface AdmissionOptions {
  readonly running: number;
  readonly waiting: number;
  readonly waitMs: number;
}

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
  /** Waits behind all others, without a limit of time. */
  enterLast(signal: AbortSignal): Promise<() => void>;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const queue = new Set<() => void>();
  const lastTurns = new Set<() => void>();
  let running = 0;
  let admitted = 0;
  let refused = 0;

  const leave = (): void => {
    running--;
    for (const next of [...queue, ...lastTurns].slice(0, 1)) next();
  };

  const admit = (): (() => void) => {
    running++;
    admitted++;
    let left = false;
    return () => {
      if (!left) leave();
      left = true;
    };
  };

  const busy = (): Unavailable => {
    refused++;
    return new Unavailable(`${running} queries are running and ${queue.size} wait for their turn`, {
      retryAfterSeconds: Math.ceil(options.waitMs / 1000),
      hint: 'ask again later, or ask for fewer windows at once',
    });
  };

  const turnIn = (turns: Set<() => void>, signal: AbortSignal): Turn => {
    let leaveQueue = (): void => undefined;
    const place = new Promise<() => void>((resolve, reject) => {
      const leaveAnd = (finish: () => void) => (): void => {
        signal.removeEventListener('abort', aborted);
        turns.delete(turn);
        finish();
      };
      const turn = leaveAnd(() => resolve(admit()));
      const aborted = leaveAnd(() => reject(signal.reason as Error));
      leaveQueue = leaveAnd(() => reject(busy()));
      signal.addEventListener('abort', aborted, { once: true });
      turns.add(turn);
    });
    return { place, giveUp: () => leaveQueue() };
  };

  return {
    get state() {
      return { running, waiting: queue.size + lastTurns.size, admitted, refused };
    },

    enter(signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (running < options.running) return Promise.resolve(admit());
      if (queue.size >= options.waiting) return Promise.reject(busy());
      const { place, giveUp } = turnIn(queue, signal);
      const timer = setTimeout(giveUp, options.waitMs);
      return place.finally(() => clearTimeout(timer));
    },

    enterLast(signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (running < options.running) return Promise.resolve(admit());
      return turnIn(lastTurns, signal).place;
    },
  };
}

interface Turn {
  /** Resolves to a function that gives the place back. */
  readonly place: Promise<() => void>;
  readonly giveUp: () => void;
}
