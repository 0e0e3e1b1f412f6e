/**
 * JSON lines on standard error: one a request that failed, one a change of state. Whoever should read
 * them may not: neither an answer nor the end of the process waits for that.
 */
import { pino } from 'pino';
import { hideSecrets } from './query/index.ts';

export interface Logger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Of a server, which also tells what does not fail yet harms its answers. */
export interface ServerLogger extends Logger {
  warn(fields: object, message: string): void;
}

/** What of standard error is used; Node writes to pipes and sockets without waiting. */
export interface LogStream {
  /** Bytes that nobody took yet. */
  readonly writableLength: number;
  write(line: string): unknown;
  once(event: 'drain', listener: () => void): unknown;
  on(event: 'error', listener: () => void): unknown;
}

/** Further lines are dropped, and counted, while so much is not taken. */
const WAITING_BYTES_MAX = 1024 * 1024;
const WARN_LEVEL = 40;

export function createLogger(
  level: 'info' | 'silent',
  stream: LogStream = process.stderr,
): ServerLogger {
  // A reader that is gone is no reason to end.
  stream.on('error', () => undefined);
  return pino({ level, base: null }, new LogLines(stream));
}

class LogLines {
  readonly #stream: LogStream;
  #dropped: number = 0;

  constructor(stream: LogStream) {
    this.#stream = stream;
  }

  write(line: string): void {
    if (this.#stream.writableLength < WAITING_BYTES_MAX) this.#stream.write(hideSecrets(line));
    else if (this.#dropped++ === 0) this.#stream.once('drain', () => this.#tellDropped());
  }

  #tellDropped(): void {
    const fields = { level: WARN_LEVEL, time: Date.now(), lines: this.#dropped };
    this.#dropped = 0;
    const msg = 'lines were dropped while nobody read them';
    this.#stream.write(`${JSON.stringify({ ...fields, msg })}\n`);
  }
}
