/** Progress of a query, on one line of a terminal. */
import type { QueryEvents } from '../allocation/index.ts';
import { FACTS, USAGE, type ReadEvent } from '../metrics/index.ts';
import { createLine, type Shown, type Terminal } from './progress-line.ts';

export interface Progress {
  readonly onRead: (event: ReadEvent) => void;
  readonly onSet: NonNullable<QueryEvents['onSet']>;
  /** Removes the line. */
  end(): void;
}

const METRICS: readonly string[] = [
  // Substitutes for other metrics are rarely read.
  ...Object.values(FACTS)
    .filter(({ insteadOf }) => insteadOf === undefined)
    .map(({ selection }) => selection.metric),
  ...Object.values(USAGE).map(({ metric }) => metric),
];

/** The share of a read in the work: metrics of pods and containers have many series. */
function weightOf(metric: string): number {
  if (metric.startsWith('container_')) return 6;
  return metric.startsWith('kube_pod_') ? 4 : 0.5;
}

const SETS_WEIGHT = 4;
const TOTAL_WEIGHT: number =
  METRICS.reduce((sum, metric) => sum + weightOf(metric), 0) + SETS_WEIGHT;

/** @param env as for `createLine` */
export function createProgress(
  terminal: Terminal | undefined,
  env: Readonly<Record<string, string | undefined>>,
  nowMs?: () => number,
): Progress {
  const line = createLine(terminal, env, nowMs);
  const state = new State();
  return {
    onRead: (event) => {
      state.read(event);
      line.draw(() => state.shown());
    },
    onSet: (done, total) => {
      state.sets = { done, total };
      line.draw(() => state.shown());
    },
    end: () => line.end(),
  };
}

class State {
  sets: { done: number; total: number } | undefined;
  readonly #reads: Map<string, { bytes: number; series: number; isDone: boolean }> = new Map();
  #metric = '';

  read({ metric, bytes, series, isDone }: ReadEvent): void {
    const before = this.#reads.get(metric) ?? { bytes: 0, series: 0 };
    const after = { bytes: before.bytes + bytes, series: before.series + series, isDone };
    this.#reads.set(metric, after);
    if (!isDone) this.#metric = metric;
  }

  shown(): Shown {
    return { fraction: this.#fraction(), doing: this.#doing() };
  }

  #doing(): string {
    if (this.sets) return `sets ${this.sets.done}/${this.sets.total}`;
    const { bytes, series } = this.#reads.get(this.#metric) ?? { bytes: 0, series: 0 };
    const amount = `${(bytes / 2 ** 20).toFixed(1)} MiB, ${series} series`;
    return `${this.#done()}/${METRICS.length} reads  ${this.#metric}  ${amount}`;
  }

  #done(): number {
    return METRICS.filter((metric) => this.#reads.get(metric)?.isDone).length;
  }

  #fraction(): number {
    if (this.sets) {
      const { done, total } = this.sets;
      return 1 - (SETS_WEIGHT * (1 - done / total)) / TOTAL_WEIGHT;
    }
    let weight = 0;
    for (const metric of METRICS) {
      const read = this.#reads.get(metric);
      if (read) weight += weightOf(metric) * (read.isDone ? 1 : this.#partOf(read.series));
    }
    return weight / TOTAL_WEIGHT;
  }

  /** The part that has been read, with about one series for each container, once their number is known. */
  #partOf(series: number): number {
    const facts = [FACTS.containerInfo, FACTS.podInfo];
    const known = facts.map(({ selection }) => this.#reads.get(selection.metric));
    const counts = known.map((read) => (read?.isDone ? read.series : 0));
    const expected = Math.max(...counts);
    return expected === 0 ? 0 : Math.min(0.95, series / expected);
  }
}
