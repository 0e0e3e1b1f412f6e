/** What is noted while a query runs, to be told with its answer. */
import { USAGE, type Selection, type UsageName } from '../../metrics/index.ts';
import type { Decided } from '../ledger/decide.ts';
import type { ClusterOptions } from '../inventory/inventory.ts';
import { MARGIN_MS, type SumsPlan } from '../params/plan.ts';
import { warningsOf, type Caveats } from './warnings.ts';

export class Notes {
  droppedSamples = 0;
  overageUsd = 0;
  /** What the store said of its own answers, such as that one is partial. */
  readonly ofStore: Set<string> = new Set();
  readonly #used: Set<UsageName> = new Set();
  readonly #oldNames: Set<string> = new Set();
  readonly #beganMs: number = performance.now();
  #latestMs = -Infinity;

  /** A batch of usage came. */
  usage(name: UsageName, selection: Selection): void {
    this.#used.add(name);
    if (selection !== USAGE[name]) this.#oldNames.add(selection.metric);
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

  /** @param unmatched what was decided of containers that only usage names */
  caveats(
    decided: Decided,
    unmatched: Decided | undefined,
    { window, nowMs }: SumsPlan,
    { clusterLabels, clusterId }: ClusterOptions,
  ): Caveats {
    return warningsOf({
      decided,
      unmatched,
      windowStartMs: window.startMs,
      clusterLabels,
      clusterId,
      used: this.#used,
      oldNames: this.#oldNames,
      // Of a window that is long over nothing in the future was asked for.
      latestMs: Math.min(this.#latestMs, window.endMs + MARGIN_MS),
      nowMs: nowMs + performance.now() - this.#beganMs,
      droppedSamples: this.droppedSamples,
      overageUsd: this.overageUsd,
      ofStore: this.ofStore,
    });
  }
}
