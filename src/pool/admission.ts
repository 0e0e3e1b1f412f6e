/**
 * How many heavy requests run at once. Further ones wait, in order, but only so many and only so
 * long: past that a client is better told to come back.
 */
import { Unavailable } from '../query/index.ts';

export interface AdmissionOptions {
  readonly running: number;
  readonly waiting: number;
  readonly waitMs: number;
}

export interface Admission {
  /**
   * Waits for a place. @returns what gives it back
   * @throws {Unavailable} 503 with Retry-After when the queue is full or the wait too long
   */
  enter(signal: AbortSignal): Promise<() => void>;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const queue = new Set<() => void>();
  let running = 0;

  const leave = (): void => {
    running--;
    const next = queue.values().next();
    if (!next.done) next.value();
  };

  const admit = (): (() => void) => {
    running++;
    let left = false;
    return () => {
      if (!left) leave();
      left = true;
    };
  };

  const busy = (): Unavailable =>
    new Unavailable(`${running} queries are running and ${queue.size} wait for their turn`, {
      retryAfterSeconds: Math.ceil(options.waitMs / 1000),
      hint: 'ask again later, or ask for fewer windows at once',
    });

  return {
    enter(signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (running < options.running) return Promise.resolve(admit());
      if (queue.size >= options.waiting) return Promise.reject(busy());
      return new Promise((resolve, reject) => {
        const settle = (finish: () => void) => (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', aborted);
          queue.delete(turn);
          finish();
        };
        const turn = settle(() => resolve(admit()));
        const aborted = settle(() => reject(signal.reason as Error));
        const timer = setTimeout(
          settle(() => reject(busy())),
          options.waitMs,
        );
        signal.addEventListener('abort', aborted, { once: true });
        queue.add(turn);
      });
    },
  };
}
