/**
 * When a pod became terminal, by what kube-state-metrics tells of its status:
 *
 *   kube_pod_status_phase              Failed or Succeeded is 1: it is terminal
 *   kube_pod_completion_time           the latest end of those containers that are terminated now: all of a
 *                                      terminal pod's, but also one of a pod that goes on
 *   kube_pod_container_status_running  without phases: a container that runs after a completion
 *   usage                              without either: it goes on after a completion
 *
 * Source: internal/store/pod.go of kube-state-metrics 2.10.
 */
import { Runs } from './runs.ts';

/** When something ended, how far off that can be, and what told it. */
export interface End<Source extends string> {
  readonly endMs: number;
  readonly uncertaintyMs: number;
  readonly source: Source;
}

export type StatusEnd = End<'completionTime' | 'phase'>;

/** The phases in which nothing of a pod runs any more. */
export type TerminalPhase = 'Failed' | 'Succeeded';

/** Times of completion are whole seconds, and so may be before what they tell. */
const SECOND_MS = 1000;
/** cAdvisor shows a container that ended for a scrape or two. */
const USAGE_LINGERS_MS = 120_000;

export class PodStatus {
  readonly completionSeconds: Runs = new Runs();
  /** First and last samples of series of a completion. */
  readonly completionsMs: (readonly [firstMs: number, lastMs: number])[] = [];
  /** Last samples of series of a container that runs then. */
  readonly runningLastsMs: number[] = [];
  /** Last samples of usage, read where neither phases nor running containers are told. */
  readonly usedLastsMs: number[] = [];
  /** Its phase is told. */
  #hasPhase: boolean = false;
  /** 1 while the pod is in the phase; most pods are in none. */
  #phases: Record<TerminalPhase, Runs> | undefined;

  /** @param pairs 1 while the pod is in the phase, else 0 */
  addPhase(phase: TerminalPhase, pairs: readonly number[]): void {
    this.#hasPhase = true;
    if (this.#phases === undefined && !pairs.some((value, i) => i % 2 === 1 && value === 1)) return;
    this.#phases ??= { Failed: new Runs(), Succeeded: new Runs() };
    this.#phases[phase].add(pairs);
  }

  /** What is told in [fromMs, untilMs). */
  in(fromMs: number, untilMs: number): PodStatus {
    const part = new PodStatus();
    part.completionSeconds.add(this.completionSeconds.begunIn(fromMs, untilMs));
    for (const [firstMs, lastMs] of this.completionsMs) {
      if (lastMs < fromMs || firstMs >= untilMs) continue;
      part.completionsMs.push([Math.max(firstMs, fromMs), Math.min(lastMs, untilMs)]);
    }
    const isInside = (atMs: number): boolean => atMs >= fromMs && atMs < untilMs;
    part.runningLastsMs.push(...this.runningLastsMs.filter(isInside));
    part.usedLastsMs.push(...this.usedLastsMs.filter(isInside));
    part.#hasPhase = this.#hasPhase;
    for (const phase of ['Failed', 'Succeeded'] as const) {
      const runs = this.#phases?.[phase];
      if (runs && !runs.isEmpty) part.addPhase(phase, runs.heldIn(fromMs, untilMs));
    }
    return part;
  }

  /** Takes over what this one lacks. */
  adopt(other: PodStatus): void {
    if (this.completionSeconds.isEmpty)
      this.completionSeconds.add(other.completionSeconds.merged());
    this.completionsMs.push(...other.completionsMs);
    this.runningLastsMs.push(...other.runningLastsMs);
    this.usedLastsMs.push(...other.usedLastsMs);
    if (this.#hasPhase) return;
    this.#hasPhase = other.#hasPhase;
    this.#phases = other.#phases;
  }

  /** It is Failed from its first sample on, and no container of it ever ended. */
  get isBornFailed(): boolean {
    return this.#phases?.Failed.merged()[1] === 1 && this.completionSeconds.isEmpty;
  }

  /**
   * @param lastMs the pod's last sample
   * @param intervalMs between its samples
   * @param startMs NaN unknown; a completion before it is by a clock that was set, and tells nothing
   * @returns undefined while nothing tells that it is terminal
   */
  end(lastMs: number, intervalMs: number, startMs: number): StatusEnd | undefined {
    const toldMs = this.completionSeconds.largest() * 1000;
    const endMs = toldMs < startMs ? NaN : toldMs;
    const completion: StatusEnd = { endMs, uncertaintyMs: 0, source: 'completionTime' };
    if (!this.#hasPhase) {
      const goesOn =
        Math.max(...this.runningLastsMs) > endMs + SECOND_MS ||
        this.#usedAfter(endMs, lastMs + intervalMs) ||
        Math.max(...this.completionsMs.map(([, atMs]) => atMs)) < lastMs - intervalMs;
      return endMs === endMs && !goesOn ? completion : undefined;
    }
    const seenMs = Math.min(sinceMs(this.#phases?.Failed), sinceMs(this.#phases?.Succeeded));
    if (seenMs === Infinity) return undefined;
    if (endMs <= seenMs + SECOND_MS) return completion;
    const uncertaintyMs = intervalMs / 2;
    return { endMs: seenMs - uncertaintyMs, uncertaintyMs, source: 'phase' };
  }

  /** @param untilMs the next pod of its name may use something from then on */
  #usedAfter(endMs: number, untilMs: number): boolean {
    return this.usedLastsMs.some((atMs) => atMs > endMs + USAGE_LINGERS_MS && atMs <= untilMs);
  }
}

/** The first sample of those at the end that are 1; Infinity where the last is not. */
function sinceMs(runs: Runs | undefined): number {
  const pairs = runs?.merged() ?? [];
  return pairs.at(-1) === 1 ? (pairs.at(-2) ?? Infinity) : Infinity;
}
