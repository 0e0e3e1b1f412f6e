/** Sends hostile requests at once, and holds what the server does against what it promises. */
import { setTimeout as sleep } from 'node:timers/promises';
import { send, type Outcome } from './fuzz-client.ts';
import { startWatched, type Health, type WatchedServer } from './fuzz-server.ts';
import { hostileRequest } from './hostile-requests.ts';

export interface FuzzOptions {
  readonly requests: number;
  /** Ends before all are sent. */
  readonly seconds: number;
  readonly seed: number;
  readonly port: number;
  readonly frontEnd: string;
  /** Stored days of the demo; a week where not given. */
  readonly days?: number;
  /** At once. */
  readonly connections: number;
  /** Told how many are done. */
  readonly progress: (done: number) => void;
}

export interface FuzzReport {
  readonly seconds: number;
  /** By status; `closed`: without an answer, `given up`: by us. */
  readonly counts: ReadonlyMap<string, number>;
  /** A sentence each, with the number of the request. */
  readonly failures: readonly Failure[];
  readonly health: Health;
  /** The longest turn of the main thread while requests ran side by side, and alone. */
  readonly longestTurnMs: number;
  readonly longestAloneMs: number;
  /** The request that takes it; undefined: no turn was long. */
  readonly longestAlone: number | undefined;
}

export interface Failure {
  readonly number: number | undefined;
  readonly what: string;
}

/** A request may keep the main thread busy so long. */
export const BUSY_MAX_MS = 20;
export const HEALTH_P99_MAX_MS = 50;
/** Where processors are short, a thread that works waits longer than one that seldom does. */
const BARE_SHARE = 4;

/** A core that is shared with other work counts the time of both: the shortest of many is the request's own. */
const REPEATED = 12;
const SUSPECTS_MAX = 400;
const FAILURES_MAX = 50;
const SETTLE_MS = 40;

interface Sent {
  readonly number: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const server = await startWatched(options.port, options.frontEnd, options.days);
  const startMs = Date.now();
  const run = new Run(options, server);
  let health: Health | undefined;
  try {
    await run.all();
    const seconds = (Date.now() - startMs) / 1000;
    // Their own work is told apart when nothing else runs.
    const longestTurnMs = Math.max(0, ...server.turns.map(({ busyMs }) => busyMs));
    const longestAloneMs = await run.repeatSuspects();
    health = await server.stop();
    run.checkHealth(health);
    const { counts, failures, longestAlone } = run;
    return { seconds, counts, failures, health, longestTurnMs, longestAloneMs, longestAlone };
  } finally {
    if (health === undefined) await server.stop();
  }
}

class Run {
  readonly counts: Map<string, number> = new Map();
  readonly failures: Failure[] = [];
  longestAlone: number | undefined;
  readonly #options: FuzzOptions;
  readonly #server: WatchedServer;
  readonly #recent: Sent[] = [];
  readonly #suspects: Set<number> = new Set();
  #next = 0;
  #seenTurns = 0;

  constructor(options: FuzzOptions, server: WatchedServer) {
    this.#options = options;
    this.#server = server;
  }

  async all(): Promise<void> {
    const lanes = Array.from({ length: this.#options.connections }, () => this.#lane());
    await Promise.all(lanes);
    await sleep(SETTLE_MS);
    this.#suspect();
  }

  async #lane(): Promise<void> {
    const endMs = Date.now() + 1000 * this.#options.seconds;
    while (
      Date.now() < endMs &&
      this.#next < this.#options.requests &&
      this.failures.length < FAILURES_MAX
    ) {
      const number = this.#next++;
      if (number % 1000 === 0) this.#options.progress(number);
      const outcome = await send(this.#server.port, hostileRequest(this.#options.seed, number));
      this.#take(number, outcome);
      const end = this.#server.ended();
      if (end === undefined) continue;
      this.#fail(number, `the server ended with ${end}: ${this.#server.said().slice(-2000)}`);
      this.#next = Infinity;
    }
  }

  #take(number: number, { status, wasGivenUp, fromMs, toMs, begin }: Outcome): void {
    const kind = wasGivenUp ? 'given up' : status === undefined ? 'closed' : String(status);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    // What stands behind a body that is longer than told is no request: the engine knows no such version.
    const isOfRest =
      status === 505 && hostileRequest(this.#options.seed, number).framing === 'short';
    if (status !== undefined && status >= 500 && status !== 503 && !isOfRest) {
      this.#fail(number, `${status}: ${begin.slice(0, 600)}\n${this.#server.said().slice(-1500)}`);
    }
    // An apply is reported on as long as it goes on: minutes, for a body of 10,000 workloads.
    const goesOn = status === 200 && /\r\nx-apply-id: /i.test(begin);
    const led = ledElsewhere(begin, this.#server.places);
    if (led !== undefined) this.#fail(number, `it leads to ${led}`);
    const isWaiting = hostileRequest(this.#options.seed, number).framing === 'long';
    if (wasGivenUp && !goesOn && !isWaiting) this.#fail(number, 'there was no whole answer');
    this.#recent.push({ number, fromMs, toMs });
    if (this.#recent.length < 200) return;
    this.#suspect();
    this.#recent.splice(0, 100);
  }

  /** Requests that were under way while a turn was long. */
  #suspect(): void {
    for (; this.#seenTurns < this.#server.turns.length; this.#seenTurns++) {
      const turn = this.#server.turns[this.#seenTurns];
      if (turn === undefined || turn.busyMs <= BUSY_MAX_MS) continue;
      const meant = this.#recent.filter(
        ({ fromMs, toMs }) => fromMs <= turn.toMs + 2 && toMs >= turn.fromMs - 2,
      );
      for (const { number } of meant)
        if (this.#suspects.size < SUSPECTS_MAX) this.#suspects.add(number);
    }
  }

  /** @returns the longest turn of a request alone, the shortest of its repetitions counting */
  async repeatSuspects(): Promise<number> {
    let longest = 0;
    for (const number of this.#suspects) {
      if (this.#server.ended() !== undefined) break;
      let least = Infinity;
      for (let times = 0; times < REPEATED && least > BUSY_MAX_MS; times++) {
        const from = this.#server.turns.length;
        await send(this.#server.port, hostileRequest(this.#options.seed, number));
        await sleep(SETTLE_MS);
        const turns = this.#server.turns.slice(from);
        least = Math.min(least, Math.max(0, ...turns.map(({ busyMs }) => busyMs)));
      }
      if (least > longest) [longest, this.longestAlone] = [least, number];
      if (least > BUSY_MAX_MS)
        this.#fail(number, `the main thread is busy for ${least.toFixed(1)} ms`);
    }
    return longest;
  }

  /** What a server that does nothing takes as well is the machine's part. */
  checkHealth({ count, failed, p99Ms, bareP99Ms }: Health): void {
    if (count === 0 || failed > 0)
      this.#fail(undefined, `/healthz failed ${failed} times of ${count + failed}`);
    if (p99Ms !== null && p99Ms >= HEALTH_P99_MAX_MS + BARE_SHARE * (bareP99Ms ?? 0))
      this.#fail(undefined, `p99 of /healthz is ${p99Ms.toFixed(1)} ms`);
  }

  #fail(number: number | undefined, what: string): void {
    this.failures.push({ number, what });
  }
}

/** Where a browser is led that is none of these places and no path of the server; undefined: nowhere. */
export function ledElsewhere(answer: string, places: readonly string[]): string | undefined {
  const [head = ''] = answer.split('\r\n\r\n');
  const to = /\r\nlocation: *([^\r]*)/i.exec(head)?.[1];
  if (to === undefined || /^\/(?![/\\])/.test(to)) return undefined;
  return places.some((place) => to.startsWith(place)) ? undefined : to;
}
