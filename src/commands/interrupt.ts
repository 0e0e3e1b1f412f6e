/** Ctrl-C and its kin: the command stops, tidies up, and ends as if the signal had killed it. */

/** 128 and the signal's number, as shells have it. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 141 } as const;

export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: keyof typeof EXIT_CODES) {
    super(signal === 'SIGPIPE' ? '' : 'interrupted'); // who pipes into head knows
    this.name = 'Interrupted';
    this.exitCode = EXIT_CODES[signal];
  }
}

/** Runs `work` with a signal that is aborted by the first Ctrl-C; a second one kills as ever. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (name: 'SIGINT' | 'SIGTERM'): void => controller.abort(new Interrupted(name));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } catch (error) {
    // What an aborted computation throws may be of any kind.
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
