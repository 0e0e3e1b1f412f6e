import { inspect } from 'node:util';
import type { FrontEndOptions, HttpHandler, Limits, Log, Observer } from './server.ts';
import { Watch } from './watch.ts';

/** State that all exchanges of one server share. */
export interface Site {
  readonly handler: HttpHandler;
  readonly limits: Limits;
  readonly log: Log;
  readonly watch: Watch;
  readonly observer: Observer;
}

const NOBODY: Observer = {
  began: () => undefined,
  ended: () => undefined,
  refused: () => undefined,
};

const LIMITS: Limits = {
  bodyMaxBytes: 10 * 1024 * 1024,
  bodyMs: 10_000,
  answerMs: 300_000,
  stallMs: 30_000,
};

/** The level of errors in the server's log. */
const ERROR_LEVEL = 50;

export function createSite(handler: HttpHandler, options: FrontEndOptions): Site {
  const limits = { ...LIMITS, ...options.limits };
  const { log = logToStderr, observer = NOBODY } = options;
  return { handler, limits, log, observer, watch: new Watch() };
}

function logToStderr(msg: string, error: unknown): void {
  const line = JSON.stringify({ level: ERROR_LEVEL, time: Date.now(), err: inspect(error), msg });
  process.stderr.write(`${line}\n`);
}

/** The interval at which limits are checked: short enough for the shortest limit, at most a second. */
export function checkIntervalMs(limits: Limits): number {
  const shortestMs = Math.min(limits.bodyMs, limits.answerMs, limits.stallMs);
  return Math.min(1000, Math.max(5, shortestMs / 8));
}
