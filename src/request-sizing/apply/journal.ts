/**
 * The changes that applies and undos made to the cluster, a log each: its beginning, before each patch the
 * intent with the requests before it, after it the outcome, and its end. An intent without
 * outcome may or may not have been carried out by a killed process.
 */
import { Fault } from '../../query/index.ts';
import type { Resource } from './amounts.ts';
import type { ControllerName } from './controller.ts';
import type { RunLogs, WrittenLog } from './run-logs.ts';

/** One request of one container; quantities as they stand in the object. */
export interface Step {
  readonly container: string;
  readonly resource: Resource;
  readonly from: string;
  readonly to: string;
}

export interface Change {
  readonly controller: ControllerName;
  readonly uid: string;
  readonly steps: readonly Step[];
}

/** `unknown`: the process or the connection ended before the outcome was known. */
export type Outcome = 'done' | 'failed' | 'unknown';

export interface PastRun {
  readonly id: string;
  readonly what: 'apply' | 'undo';
  /** The apply that an undo undoes. */
  readonly of: string | undefined;
  readonly begun: string;
  /** Undefined while it runs, or when its process ended before it did. */
  readonly ended: string | undefined;
  /** It ended by itself, and nothing failed. */
  readonly isWhole: boolean;
  readonly changes: readonly { readonly change: Change; readonly outcome: Outcome }[];
}

/** A run as it is known here. */
export interface KnownRun extends PastRun {
  /** Another process is at it. */
  readonly isLive: boolean;
}

type Entry =
  | {
      readonly is: 'begin';
      readonly id: string;
      readonly what: 'apply' | 'undo';
      readonly of?: string;
      readonly at: string;
    }
  | { readonly is: 'intent'; readonly change: Change }
  /** The outcome of the last intent, or of the one at `index`. */
  | { readonly is: 'outcome'; readonly outcome: Outcome; readonly index?: number }
  | { readonly is: 'end'; readonly at: string; readonly isWhole: boolean };

/** Older ones are removed; each may have changed thousands of controllers. */
const RUNS_MAX = 50;

export class Journal {
  readonly #logs: RunLogs;
  readonly #nowMs: () => number;

  constructor(logs: RunLogs, nowMs: () => number) {
    this.#logs = logs;
    this.#nowMs = nowMs;
  }

  /** Oldest first. */
  async runs(): Promise<KnownRun[]> {
    const kept = await this.#logs.list();
    const runs = await Promise.all(
      kept.map(async ({ number, isLive }) => {
        const run = await this.#run(number);
        return run && { ...run, isLive: isLive && run.ended === undefined };
      }),
    );
    return runs.filter((run) => run !== undefined);
  }

  /** @throws {Fault} 409 while another process is at a run */
  async begin(what: 'apply' | 'undo', of?: string): Promise<RunLog> {
    const at = this.#now();
    const kept = await this.#logs.list();
    for (const { number, isLive } of kept) {
      const run = isLive ? await this.#run(number) : undefined;
      if (isLive && run?.ended === undefined) throw alreadyRunning(run?.id);
    }
    for (const { number } of kept.slice(0, Math.max(0, kept.length + 1 - RUNS_MAX)))
      await this.#logs.remove(number);
    const number = (kept.at(-1)?.number ?? 0) + 1;
    const id = `${String(number).padStart(6, '0')}-${at.replaceAll(/[-:.]/g, '')}`;
    // One that another process begins meanwhile has the same number.
    const log = await this.#logs.begin(number, id);
    if (log === undefined) throw alreadyRunning();
    try {
      await log.append({ is: 'begin', id, what, ...(of === undefined ? {} : { of }), at });
    } catch (error) {
      await log.close();
      throw error;
    }
    return new RunLog(id, log, this.#nowMs);
  }

  /**
   * Goes on with a run whose process ended: it can write no more of it.
   * @returns undefined where another process goes on with it
   */
  async resume({ id }: PastRun): Promise<{ log: RunLog; run: PastRun } | undefined> {
    const number = Number.parseInt(id, 10);
    const log = await this.#logs.resume(number);
    const run = log && (await this.#run(number));
    if (log === undefined || run === undefined || run.ended !== undefined) {
      await log?.close();
      return undefined;
    }
    return { log: new RunLog(id, log, this.#nowMs), run };
  }

  async #run(number: number): Promise<PastRun | undefined> {
    return runOf((await this.#logs.read(number)) as readonly Entry[]);
  }

  #now(): string {
    return new Date(this.#nowMs()).toISOString();
  }
}

/** @param id of the run, where it is known */
export function alreadyRunning(id: string = 'another'): Fault {
  return new Fault(`${id} is running, and there is one apply or undo at a time`, {
    status: 409,
    hint: 'look at GET /cluster/requestsizer/applies, and come back when it has ended',
  });
}

/** A run that is being written. */
export class RunLog {
  readonly id: string;
  readonly #log: WrittenLog;
  readonly #nowMs: () => number;

  constructor(id: string, log: WrittenLog, nowMs: () => number) {
    this.id = id;
    this.#log = log;
    this.#nowMs = nowMs;
  }

  async intent(change: Change): Promise<void> {
    await this.#append({ is: 'intent', change });
  }

  /** @param index of the change; absent: the last */
  async outcome(outcome: Outcome, index?: number): Promise<void> {
    await this.#append({ is: 'outcome', outcome, ...(index === undefined ? {} : { index }) });
  }

  /** @param isWhole nothing failed and nothing was left out */
  async end(isWhole: boolean): Promise<void> {
    const at = new Date(this.#nowMs()).toISOString();
    try {
      await this.#append({ is: 'end', at, isWhole });
    } finally {
      await this.#log.close();
    }
  }

  /** Leaves it to others. */
  async leave(): Promise<void> {
    await this.#log.close();
  }

  async #append(entry: Entry): Promise<void> {
    await this.#log.append(entry);
  }
}

function runOf(entries: readonly Entry[]): PastRun | undefined {
  const [begin] = entries;
  if (begin?.is !== 'begin') return undefined;
  const changes: { change: Change; outcome: Outcome }[] = [];
  let end: { readonly at?: string; readonly isWhole: boolean } = { isWhole: false };
  for (const entry of entries) {
    if (entry.is === 'intent') changes.push({ change: entry.change, outcome: 'unknown' });
    if (entry.is === 'end') end = entry;
    if (entry.is !== 'outcome') continue;
    const at = entry.index ?? changes.length - 1;
    const { change } = changes[at] ?? {};
    if (change !== undefined) changes[at] = { change, outcome: entry.outcome };
  }
  const { id, what, of, at: begun } = begin;
  return { id, what, of, begun, ended: end.at, isWhole: end.isWhole, changes };
}

/** Changes that a run made, or may have made. */
export function changesOf({ changes }: PastRun): Change[] {
  return changes.filter(({ outcome }) => outcome !== 'failed').map(({ change }) => change);
}

/**
 * Without an id only the last apply counts, so that an undo that is sent again changes nothing more.
 * @param id of an apply; undefined: the last one that changed anything
 * @throws {Fault} 404 when there is none, or the last one is undone
 */
export function undoable(runs: readonly PastRun[], id: string | undefined): PastRun {
  const applies = runs.filter(({ what }) => what === 'apply');
  if (id !== undefined) {
    const named = applies.find((run) => run.id === id);
    if (named !== undefined) return named;
    throw noUndo(`there is no apply '${id.slice(0, 80)}'`, LISTED, 'id');
  }
  const undone = new Set(runs.filter(({ isWhole }) => isWhole).map(({ of }) => of));
  const changing = applies.filter((run) => changesOf(run).length > 0);
  const last = changing.at(-1);
  if (last === undefined) throw noUndo('there is no apply to undo', LISTED);
  if (!undone.has(last.id)) return last;
  const earlier = changing.findLast((run) => !undone.has(run.id));
  const hint = earlier ? `to undo the apply before it, send {"id":"${earlier.id}"}` : LISTED;
  throw noUndo(`nothing is left to undo: the last apply, ${last.id}, is undone`, hint);
}

const LISTED = 'GET /cluster/requestsizer/applies lists them';

function noUndo(message: string, hint: string, parameter?: string): Fault {
  return new Fault(message, { status: 404, hint, ...(parameter ? { parameter } : {}) });
}
