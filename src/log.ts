/** JSON lines on standard error: one a request that failed, one a change of state. */
import { pino } from 'pino';

export interface Logger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Of a server, which also tells what does not fail yet harms its answers. */
export interface ServerLogger extends Logger {
  warn(fields: object, message: string): void;
}

export function createLogger(level: 'info' | 'silent'): ServerLogger {
  return pino({ level, base: null }, pino.destination(2));
}
