/** A time limit that starts again with each answer or part of one. */
import { Unavailable } from '../query/index.ts';

export interface Deadline {
  /** Aborted by the outer signal, or at the limit. */
  readonly signal: AbortSignal;
  /** Starts the limit again. */
  extend(): void;
  /** Must be called at the end. */
  clear(): void;
}

/** @param what the sender's name, for the message: `nothing came from … for 30 s` */
export function deadlineOf(outer: AbortSignal, limitMs: number, what: string): Deadline {
  const controller = new AbortController();
  const pass = (): void => {
    controller.abort(new Unavailable(`nothing came from ${what} for ${limitMs / 1000} s`));
  };
  const leave = (): void => controller.abort(outer.reason);
  if (outer.aborted) leave();
  outer.addEventListener('abort', leave, { once: true });
  const timer = setTimeout(pass, limitMs);
  return {
    signal: controller.signal,
    extend: () => void timer.refresh(),
    clear() {
      clearTimeout(timer);
      outer.removeEventListener('abort', leave);
    },
  };
}
