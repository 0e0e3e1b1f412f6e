/**
 * JSON lines on standard error: one for each failed request and each change of state. Neither an answer
 * nor the end of the process waits for a reader of the lines.
 */
import { pino } from 'pino';
import type { LogLevel } from '../settings/operations.ts';
import { hideSecrets } from '../query/index.ts';

export interface Logger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The log of a server, with warnings of faults that harm answers without failing them. */
export interface ServerLogger extends Logger {
  /** May be changed at any time. */
  level?: string;
  warn(fields: object, message: string): void;
}

/** The used part of standard error; Node writes to pipes and sockets without waiting. */
export interface LogStream {
  /** Bytes that have not been read yet. */
  readonly writableLength: number;
  write(line: string): unknown;
  once(event: 'drain', listener: () => void): unknown;
  on(event: 'error', listener: () => void): unknown;
}

/** While more than this is waiting, further lines are dropped and counted. */
const WAITING_BYTES_MAX = 1024 * 1024;
const WARN_LEVEL = 40;

export function createLogger(
  level: LogLevel | 'silent',
  stream: LogStream = process.stderr,
): ServerLogger {
  // The process goes on when the reader has left.
  stream.on('error', () => undefined);
  return pino({ level, base: null }, new LogLines(stream));
}

/** Characters that JSON lets stand and that terminals or readers of lines obey: they are inside of texts. */
const OBEYED = /[\u007f-\u009f\u2028\u2029]/g;

function shown(line: string): string {
  return hideSecrets(line).replace(
    OBEYED,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

class LogLines {
  readonly #stream: LogStream;
  #dropped: number = 0;

  constructor(stream: LogStream) {
    this.#stream = stream;
  }

  write(line: string): void {
    if (this.#stream.writableLength < WAITING_BYTES_MAX) this.#stream.write(shown(line));
    else if (this.#dropped++ === 0) this.#stream.once('drain', () => this.#tellDropped());
  }

  #tellDropped(): void {
    const fields = { level: WARN_LEVEL, time: Date.now(), lines: this.#dropped };
    this.#dropped = 0;
    const msg = 'lines were dropped while nobody read them';
    this.#stream.write(`${JSON.stringify({ ...fields, msg })}\n`);
  }
}
