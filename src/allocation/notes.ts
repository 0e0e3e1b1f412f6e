/** What is noted while a query runs, to be told with its answer. */
import { USAGE, type Selection, type UsageName } from '../metrics/index.ts';
import type { Decided } from './decide.ts';
import type { ClusterOptions } from './inventory.ts';
import type { Plan } from './plan.ts';
import { warningsOf, type Told } from './warnings.ts';

export class Notes {
  droppedSamples = 0;
  overageUsd = 0;
  /** What the store said of its own answers, such as that one is partial. */
  readonly ofStore: Set<string> = new Set();
  readonly #used: Set<UsageName> = new Set();
  readonly #oldNames: Set<string> = new Set();

  /** A batch of usage came. */
  usage(name: UsageName, selection: Selection): void {
    this.#used.add(name);
    if (selection !== USAGE[name]) this.#oldNames.add(selection.metric);
  }

  /** @param strays what was decided of containers that only usage names */
  told(
    decided: Decided,
    strays: Decided | undefined,
    { window }: Plan,
    { clusterLabels, clusterId }: ClusterOptions,
  ): Told {
    return warningsOf({
      decided,
      strays,
      windowStartMs: window.startMs,
      clusterLabels,
      clusterId,
      used: this.#used,
      oldNames: this.#oldNames,
      droppedSamples: this.droppedSamples,
      overageUsd: this.overageUsd,
      ofStore: this.ofStore,
    });
  }
}
