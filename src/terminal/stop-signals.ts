/** The signals that end a server: the first lets it end what it does, a second ends it at once. */
import { EXIT_CODES } from './interrupt.ts';
import type { Logger } from './log.ts';

type StopSignal = 'SIGINT' | 'SIGTERM';

/** @param stop called once; the process ends with 0 after it, and with 1 when it fails */
export function stopOnSignals(stop: (signal: StopSignal) => Promise<void>, log: Logger): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(EXIT_CODES[signal]);
      isStopping = true;
      void stop(signal).then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'cannot stop cleanly');
          process.exit(1);
        },
      );
    });
  }
}
