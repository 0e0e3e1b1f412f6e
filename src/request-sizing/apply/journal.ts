/**
 * The changes that applies and undos made to the cluster, a file each: its beginning, before each patch the
 * intent with the requests before it, after it the outcome, and its end. An intent without
 * outcome may or may not have been carried out by a killed process.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../query/index.ts';
import { AppendLog, readLog } from '../../storage/index.ts';
import type { Resource } from './amounts.ts';
import type { ControllerName } from './controller.ts';

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

const SUFFIX = '.ndjson';
/** Older ones are removed; each may have changed thousands of controllers. */
const RUNS_MAX = 50;

export class Journal {
  readonly #folder: string;
  readonly #nowMs: () => number;

  constructor(folder: string, nowMs: () => number) {
    this.#folder = folder;
    this.#nowMs = nowMs;
  }

  /** Oldest first. */
  async runs(): Promise<PastRun[]> {
    const runs: PastRun[] = [];
    for (const name of await this.#names()) {
      const run = runOf((await readLog(join(this.#folder, name))) as Entry[]);
      if (run !== undefined) runs.push(run);
    }
    return runs;
  }

  async begin(what: 'apply' | 'undo', of?: string): Promise<RunLog> {
    const at = this.#now();
    const names = await this.#names();
    const number = Number.parseInt(names.at(-1) ?? '0', 10) + 1;
    const id = `${String(number).padStart(6, '0')}-${at.replaceAll(/[-:.]/g, '')}`;
    for (const name of names.slice(0, Math.max(0, names.length + 1 - RUNS_MAX))) {
      await rm(join(this.#folder, name), { force: true });
    }
    const log = await AppendLog.open(join(this.#folder, `${id}${SUFFIX}`));
    await log.append({ is: 'begin', id, what, ...(of === undefined ? {} : { of }), at });
    return new RunLog(id, log, this.#nowMs);
  }

  /** Goes on with a run whose process ended. */
  async resume({ id }: PastRun): Promise<RunLog> {
    return new RunLog(id, await AppendLog.open(join(this.#folder, `${id}${SUFFIX}`)), this.#nowMs);
  }

  async #names(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names.filter((name) => name.endsWith(SUFFIX)).toSorted((a, b) => (a < b ? -1 : 1));
  }

  #now(): string {
    return new Date(this.#nowMs()).toISOString();
  }
}

/** A run that is being written. */
export class RunLog {
  readonly id: string;
  readonly #log: AppendLog;
  readonly #nowMs: () => number;

  constructor(id: string, log: AppendLog, nowMs: () => number) {
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
