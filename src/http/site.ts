import { inspect } from 'node:util';
import type { BeforeBody, FrontEndOptions, HttpHandler, Limits, Log, Observer } from './server.ts';
import { Watch } from './watch.ts';

/** State that all exchanges of one server share. */
export interface Site {
  readonly handler: HttpHandler;
  readonly limits: Limits;
  readonly log: Log;
  readonly watch: Watch;
  readonly observer: Observer;
  readonly beforeBody: BeforeBody;
  readonly inbound: Inbound;
}

/** Bytes of bodies that are held, of all requests together. */
export class Inbound {
  readonly #most: number;
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns whether there is room for them: then they are held until they are given back */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#most) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}

const NOBODY: Observer = {
  began: () => undefined,
  ended: () => undefined,
  refused: () => undefined,
  bodyRefused: () => undefined,
};

const LIMITS: Limits = {
  bodyMaxBytes: 10 * 1024 * 1024,
  inboundBytes: 64 * 1024 * 1024,
  bodyMs: 10_000,
  answerMs: 300_000,
  stallMs: 30_000,
};

/** The level of errors in the server's log. */
const ERROR_LEVEL = 50;

export function createSite(handler: HttpHandler, options: FrontEndOptions): Site {
  const limits = { ...LIMITS, ...options.limits };
  const { log = logToStderr, observer = NOBODY, beforeBody = () => undefined } = options;
  const inbound = new Inbound(Math.max(limits.bodyMaxBytes, limits.inboundBytes));
  return { handler, limits, log, observer, beforeBody, inbound, watch: new Watch() };
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
