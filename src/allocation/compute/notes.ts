/** Observations while a query runs, for the warnings of its answer. */
import { USAGE, type Selection, type UsageName } from '../../metrics/index.ts';
import type { Decided } from '../ledger/decide.ts';
import type { Metrics } from './priced-store.ts';
import { MARGIN_MS, type SumsPlan } from '../params/plan.ts';
import type { Caveats } from '../../query/index.ts';
import { NOTHING_UNSEEN, type Unseen } from '../sets/sampled-costs.ts';
import { warningsOf, type Observations } from './warnings.ts';

type MoneyOf = Pick<Observations, 'set' | 'excess' | 'concerned' | 'unseen'>;

export class Notes {
  droppedSamples = 0;
  /** Containers that no point of the grid saw in any set. */
  betweenPoints: Unseen = NOTHING_UNSEEN;
  /** Warnings of the store about its own answers, such as that one is partial. */
  readonly ofStore: Set<string> = new Set();
  readonly #used: Set<UsageName> = new Set();
  readonly #oldNames: Set<string> = new Set();
  readonly #beganMs: number = performance.now();
  #latestMs = -Infinity;

  /** A batch of usage came. */
  usage(name: UsageName, selection: Selection): void {
    this.#used.add(name);
    const { [name]: usual } = USAGE;
    const isOld = selection !== usual && selection.metric === usual.metric;
    if (isOld) this.#oldNames.add(selection.metric);
  }

  /** A sample of that time came. */
  sample(atMs: number): void {
    this.#latestMs = Math.max(this.#latestMs, atMs);
  }

  /** Samples of facts came. */
  condensed({ dropped, latestMs }: { readonly dropped: number; readonly latestMs: number }): void {
    this.droppedSamples += dropped;
    this.sample(latestMs);
  }

  /** @param unmatched decisions about containers that only usage names */
  caveats(
    decided: Decided,
    unmatched: Decided | undefined,
    { window, nowMs }: SumsPlan,
    { clusterLabels, clusterId, foundLabel, source }: Metrics,
    money: MoneyOf,
  ): Caveats {
    return warningsOf({
      decided,
      unmatched,
      windowStartMs: window.startMs,
      clusterLabels,
      clusterId,
      foundLabel,
      used: this.#used,
      oldNames: this.#oldNames,
      // Samples beyond the read range were not requested.
      latestMs: Math.min(this.#latestMs, window.endMs + MARGIN_MS),
      nowMs: nowMs + performance.now() - this.#beganMs,
      droppedSamples: this.droppedSamples,
      betweenPoints: this.betweenPoints,
      ...money,
      ofStore: this.ofStore,
      hasReplicas: source.hasReplicas === true,
    });
  }
}
