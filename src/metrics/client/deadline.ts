/**
 * Time limits of one read: in total, and without a byte arriving. Both limits and the caller's abort
 * become one signal, which closes the connection in any state of the read.
 */
import type { StorePace } from './store-pace.ts';
import { childOf, traceHeaders, traceOf } from '../../query/index.ts';

export interface TimeLimits {
  /** Called before each further try of a call. */
  readonly onRetry?: (() => void) | undefined;
  /** Is told of pauses between tries, in which the store has nothing to do for the read. */
  readonly pace?: StorePace | undefined;
  /** Longest wait for the answer's head or for its next bytes. */
  readonly idleTimeoutMs: number;
  /** From the request to the last byte, including queueing, retries and the caller's own pace. */
  readonly totalTimeoutMs: number;
}

/** The signal's reason when a limit was exceeded. */
export class TimedOut extends Error {
  readonly limit: 'idle' | 'total';
  readonly limitMs: number;
  constructor(limit: 'idle' | 'total', limitMs: number) {
    super(limit === 'idle' ? `nothing came for ${limitMs} ms` : `not done after ${limitMs} ms`);
    this.name = 'TimedOut';
    this.limit = limit;
    this.limitMs = limitMs;
  }
}

/** The idle limit of data that come in pieces. */
export interface IdleLimit {
  /** Call when something came, or when waiting begins. */
  restart(): void;
  /** Call when waiting ends. */
  stop(): void;
}

export class Deadline {
  /** Aborts with a `TimedOut` or with the caller's own reason. */
  readonly signal: AbortSignal;
  readonly #controller: AbortController = new AbortController();
  readonly #limits: TimeLimits;
  readonly #caller: AbortSignal;
  readonly #endsAtMs: number;
  readonly #total: NodeJS.Timeout;
  readonly #onAbort: () => void;

  constructor(limits: TimeLimits, caller: AbortSignal) {
    this.#limits = limits;
    this.#caller = caller;
    this.signal = this.#controller.signal;
    this.#endsAtMs = performance.now() + limits.totalTimeoutMs;
    this.#total = this.#after('total', limits.totalTimeoutMs);
    this.#onAbort = () => this.#controller.abort(caller.reason);
    if (caller.aborted) this.#onAbort();
    caller.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Headers of a call for the caller's request: a span of its own in the trace, if there is one. */
  traceHeaders(): Readonly<Record<string, string>> {
    const trace = traceOf(this.#caller);
    return trace === undefined ? {} : traceHeaders(childOf(trace));
  }

  /** Remaining total time, at least 0. */
  get remainingMs(): number {
    return Math.max(0, this.#endsAtMs - performance.now());
  }

  /** Waits for `work`, which must use the signal, with the idle limit running. */
  async waitForBytes<T>(work: Promise<T>): Promise<T> {
    const idle = this.#after('idle', this.#limits.idleTimeoutMs);
    try {
      return await work;
    } finally {
      clearTimeout(idle);
    }
  }

  /** An idle limit that is not running yet; the caller must stop it. */
  idleLimit(): IdleLimit {
    let timer: NodeJS.Timeout | undefined;
    return {
      restart: () => {
        timer = timer?.refresh() ?? this.#after('idle', this.#limits.idleTimeoutMs);
      },
      stop: () => {
        clearTimeout(timer);
        timer = undefined;
      },
    };
  }

  retries(): void {
    this.#limits.onRetry?.();
  }

  /** @throws the signal's reason when it aborts first */
  async pause(ms: number): Promise<void> {
    this.signal.throwIfAborted();
    const resume = this.#limits.pace?.pauses();
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.signal.addEventListener('abort', done);
    });
    resume?.();
    this.signal.throwIfAborted();
  }

  /** Must be called when the read is over: drops the timers and the listener on the caller's signal. */
  end(): void {
    clearTimeout(this.#total);
    this.#caller.removeEventListener('abort', this.#onAbort);
  }

  #after(limit: 'idle' | 'total', ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#controller.abort(new TimedOut(limit, ms)), ms);
  }
}
