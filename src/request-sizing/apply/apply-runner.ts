/** Applies plans and undoes them: one at a time, a controller after the other, each journaled. */
import { createPacer, type ClusterObject } from '../../cluster/index.ts';
import { changeController, isAt, type Decide } from './change-controller.ts';
import { nameText, type ControllerName } from './controller.ts';
import { lowering, restoring } from './decide.ts';
import {
  alreadyRunning,
  changesOf,
  undoable,
  type Change,
  type Journal,
  type Outcome,
  type PastRun,
  type RunLog,
} from './journal.ts';
import type { PlanOptions } from './plan.ts';
import type { Target } from './plan-body.ts';
import { Report, type RunResult } from './report.ts';
import { RollOuts } from './roll-outs.ts';
import { readSurroundings } from './surroundings.ts';

export interface ApplyOptions extends PlanOptions {
  readonly journal: Journal;
  readonly nowMs: () => number;
  readonly note: (sentence: string) => void;
  /** Controllers that are changed a second, at most. */
  readonly controllersPerSecond?: number;
}

/** A run that has begun. */
export interface Run {
  readonly id: string;
  readonly TimeInitiated: string;
  /** Never fails for what a controller or the cluster does. */
  readonly result: Promise<RunResult>;
}

interface Job {
  readonly controller: ControllerName;
  readonly decide: Decide;
}

const CONTROLLERS_PER_SECOND = 5;
const FAILED_ROLL_OUTS_MAX = 3;
const UNREACHABLE_MAX = 3;
/** Roll-outs of the last apply count for so long. */
const RECENT_MS = 3_600_000;
const RECENT_MAX = 20;

export class ApplyRunner {
  readonly options: ApplyOptions;
  readonly #stop: AbortController = new AbortController();
  #running: { readonly id: string; readonly ended: Promise<unknown> } | undefined;
  /** True from before the journal of the run is open. */
  #isTaken = false;

  constructor(options: ApplyOptions) {
    this.options = options;
  }

  /**
   * @param signal stops before the next controller
   * @throws {Fault} 409 while another apply or undo runs
   */
  async apply(targets: readonly Target[], signal: AbortSignal): Promise<Run> {
    return await this.#begin('apply', undefined, async (log) => {
      const { api, floors, denied } = this.options;
      const surroundings = await readSurroundings(api, this.#stop.signal);
      const jobs = targets.map(({ controller, containers }) => ({
        controller,
        decide: lowering({ controller, containers, floors, denied, surroundings }),
      }));
      const rollOuts = await this.#recentRollOuts(log.id);
      const report = new Report(surroundings.warnings);
      await this.#work(jobs, { log, signal, report, rollOuts, mayRaise: false });
      return report;
    });
  }

  /**
   * Restores the requests that an apply lowered, where nobody changed them since.
   * @param id of the apply; absent: the last one
   * @throws {Fault} 404 when there is none or the last one is undone, 409 while another apply or undo runs
   */
  async undo(id: string | undefined, signal: AbortSignal): Promise<Run & { readonly of: string }> {
    this.#refuseIfTaken();
    const of = undoable(await this.options.journal.runs(), id);
    const run = await this.#begin('undo', of.id, async (log) => {
      const jobs = changesOf(of).map((change) => ({
        controller: change.controller,
        decide: restoring(change, this.options.denied),
      }));
      const report = new Report([]);
      const rollOuts = new RollOuts(this.options.api, this.#stop.signal);
      await this.#work(jobs, { log, signal, report, rollOuts, mayRaise: true });
      return report;
    });
    return { ...run, of: of.id };
  }

  /** Applies and undos, newest first. */
  async runs(): Promise<readonly (PastRun & { readonly isRunning: boolean })[]> {
    const runs = await this.options.journal.runs();
    return runs
      .map(({ isLive, ...run }) => ({ ...run, isRunning: isLive || run.id === this.#running?.id }))
      .toReversed();
  }

  /** Finds out and reports the changes of runs that ended with their process. */
  async settle(): Promise<void> {
    this.#refuseIfTaken();
    this.#isTaken = true;
    try {
      await this.#settleAll();
    } finally {
      this.#isTaken = false;
    }
  }

  /** Finishes the controller that is being changed, and begins no other. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('prorata is stopping'));
    await this.#running?.ended;
  }

  async #settleAll(): Promise<void> {
    const runs = await this.options.journal.runs();
    for (const run of runs) if (run.ended === undefined && !run.isLive) await this.#settle(run);
  }

  async #settle(interrupted: PastRun): Promise<void> {
    const { api, journal, note } = this.options;
    // From here on its process, should it be there still, changes nothing.
    const resumed = await journal.resume(interrupted);
    if (resumed === undefined) return;
    const { log, run } = resumed;
    const texts: string[] = [];
    try {
      for (const [index, { change, outcome }] of run.changes.entries()) {
        if (outcome !== 'unknown') continue;
        const { controller } = change;
        const object = await api.get(controller.kind, controller, this.#stop.signal);
        const [found, text] = stateOf(object, change);
        await log.outcome(found, index);
        texts.push(`${nameText(controller)} ${text}`);
      }
    } catch (error) {
      await log.leave();
      throw error;
    }
    await log.end(false);
    const done = run.changes.filter(({ outcome }) => outcome === 'done').length;
    const changes = [`${done} changes were made`, ...texts].join(', ');
    note(`${run.what} ${run.id} was interrupted: ${changes}; POST …/undo restores what was there`);
  }

  #refuseIfTaken(): void {
    if (!this.#isTaken) return;
    throw alreadyRunning(this.#running?.id);
  }

  async #begin(
    what: 'apply' | 'undo',
    of: string | undefined,
    work: (log: RunLog) => Promise<Report>,
  ): Promise<Run> {
    this.#refuseIfTaken();
    this.#isTaken = true;
    const now = (): string => new Date(this.options.nowMs()).toISOString();
    const TimeInitiated = now();
    let log: RunLog;
    try {
      await this.#settleAll();
      log = await this.options.journal.begin(what, of);
    } catch (error) {
      this.#isTaken = false;
      throw error;
    }
    const result = this.#finished(log, work).then((report) => ({
      TimeInitiated,
      TimeFinished: now(),
      ...report.lists,
    }));
    this.#running = { id: log.id, ended: result.catch(() => undefined) };
    return { id: log.id, TimeInitiated, result };
  }

  async #finished(log: RunLog, work: (log: RunLog) => Promise<Report>): Promise<Report> {
    const report = await work(log)
      .catch((error: unknown) => {
        const failed = new Report([]);
        failed.errors.push(error instanceof Error ? error.message : String(error));
        return failed;
      })
      .finally(() => (this.#isTaken = false));
    await log
      .end(report.errors.length === 0)
      .catch((error: unknown) => report.errors.push(String(error)));
    this.#running = undefined;
    return report;
  }

  async #work(
    jobs: readonly Job[],
    { log, signal, report, rollOuts, mayRaise }: Work,
  ): Promise<void> {
    const { api, note } = this.options;
    const pace = createPacer(this.options.controllersPerSecond ?? CONTROLLERS_PER_SECOND, 0);
    // A change under way is finished, whatever stops the run: its outcome must be known.
    const context = { api, log, mayRaise, signal: new AbortController().signal };
    for (const [index, { controller, decide }] of jobs.entries()) {
      await pace(context.signal);
      const why = this.#reasonToStop(signal, report, rollOuts);
      if (why !== undefined) {
        report.errors.push(
          `stopped before ${nameText(controller)} and ${jobs.length - index - 1} more: ${why}`,
        );
        return;
      }
      const changed = await changeController(context, controller, decide);
      report.add(controller, changed);
      if (changed.is !== 'changed') continue;
      const steps = changed.change.steps.map(
        (step) => `${step.container} ${step.resource} ${step.from} → ${step.to}`,
      );
      note(`${log.id}: ${nameText(controller)}: ${steps.join(', ')}`);
      if (!mayRaise) rollOuts.watch(controller);
      await rollOuts.lookAtNext();
    }
  }

  #reasonToStop(signal: AbortSignal, report: Report, { failed }: RollOuts): string | undefined {
    if (this.#stop.signal.aborted) return 'prorata is stopping';
    if (signal.aborted) return 'the client went away';
    if (report.unreachable >= UNREACHABLE_MAX)
      return 'the Kubernetes API, or where the journal is kept, does not answer';
    if (failed.length < FAILED_ROLL_OUTS_MAX) return undefined;
    return `${failed.length} roll-outs failed: ${failed.join(', ')}`;
  }

  /** Roll-outs of the last apply, unless it was undone. */
  async #recentRollOuts(id: string): Promise<RollOuts> {
    const { api, journal, nowMs } = this.options;
    const rollOuts = new RollOuts(api, this.#stop.signal);
    const last = (await journal.runs()).findLast((run) => run.id !== id);
    if (last?.what !== 'apply' || Date.parse(last.begun) < nowMs() - RECENT_MS) return rollOuts;
    for (const { controller } of changesOf(last).slice(-RECENT_MAX)) rollOuts.watch(controller);
    await rollOuts.lookAtAll();
    return rollOuts;
  }
}

interface Work {
  readonly log: RunLog;
  readonly signal: AbortSignal;
  readonly report: Report;
  readonly rollOuts: RollOuts;
  readonly mayRaise: boolean;
}

/** The outcome of a change that has none in the journal. */
function stateOf(object: ClusterObject | undefined, change: Change): [Outcome, string] {
  if (object === undefined) return ['failed', 'is gone'];
  if (isAt(object, change, 'to')) return ['done', 'was changed'];
  if (isAt(object, change, 'from')) return ['failed', 'was not changed'];
  return ['unknown', 'was changed by others since'];
}
