/** Ctrl-C and similar signals: the command stops, cleans up, and ends as if killed by the signal. */

/** 128 + the signal's number, as in shells. */
export const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 141 } as const;

export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: keyof typeof EXIT_CODES) {
    super(signal === 'SIGPIPE' ? '' : 'interrupted'); // a closed pipe, such as head, needs no message
    this.name = 'Interrupted';
    this.exitCode = EXIT_CODES[signal];
  }
}

/** Runs `work` with a signal that the first Ctrl-C aborts; a second one kills as usual. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (name: 'SIGINT' | 'SIGTERM'): void => controller.abort(new Interrupted(name));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } catch (error) {
    // An aborted computation may throw any error.
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
