/** One line on a terminal that tells how far a query is, drawn over itself. */
import type { QueryEvents } from '../allocation/index.ts';
import { FACTS, USAGE, type ReadEvent } from '../metrics/index.ts';

/** As much of a terminal as is needed: standard error. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface Progress {
  readonly onRead: (event: ReadEvent) => void;
  readonly onSet: NonNullable<QueryEvents['onSet']>;
  /** Takes the line away. */
  end(): void;
}

const SILENT: Progress = { onRead: () => undefined, onSet: () => undefined, end: () => undefined };
const EVERY_MS = 100;
const BAR_CELLS = 12;
const ERASE = '\r\u001b[2K';
/** Before it, an estimate of the rest is a guess. */
const ETA_FROM = 0.05;

const METRICS: readonly string[] = [
  // What is read only instead of others is seldom read.
  ...Object.values(FACTS)
    .filter(({ insteadOf }) => insteadOf === undefined)
    .map(({ selection }) => selection.metric),
  ...Object.values(USAGE).map(({ metric }) => metric),
];

/** How much of the work a read is: of pods and containers there are many. */
function weightOf(metric: string): number {
  if (metric.startsWith('container_')) return 6;
  return metric.startsWith('kube_pod_') ? 4 : 0.5;
}

const SETS_WEIGHT = 4;
const TOTAL_WEIGHT: number =
  METRICS.reduce((sum, metric) => sum + weightOf(metric), 0) + SETS_WEIGHT;

/** @param env NO_COLOR (https://no-color.org) leaves out colours; a dumb terminal shows nothing */
export function createProgress(
  terminal: Terminal | undefined,
  env: Readonly<Record<string, string | undefined>>,
  nowMs: () => number = () => performance.now(),
): Progress {
  if (terminal?.isTTY !== true || env['TERM'] === 'dumb') return SILENT;
  const isColoured = !env['NO_COLOR'];
  const state = new State();
  const beganMs = nowMs();
  let drawnMs = -Infinity;
  const draw = (): void => {
    if (nowMs() - drawnMs < EVERY_MS) return;
    drawnMs = nowMs();
    const text = state.line((nowMs() - beganMs) / 1000).slice(0, (terminal.columns ?? 80) - 1);
    terminal.write(ERASE + (isColoured ? text.replace(/█+/, '\u001b[32m$&\u001b[39m') : text));
  };
  return {
    onRead: (event) => {
      state.read(event);
      draw();
    },
    onSet: (done, total) => {
      state.sets = { done, total };
      draw();
    },
    end: () => {
      if (drawnMs > -Infinity) terminal.write(ERASE);
      drawnMs = -Infinity;
    },
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

  line(seconds: number): string {
    const fraction = this.#fraction();
    const full = Math.round(fraction * BAR_CELLS);
    const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
    const eta = fraction < ETA_FROM ? '' : ` ETA ${clock((seconds / fraction) * (1 - fraction))}`;
    return `${bar} ${Math.floor(fraction * 100)}%${eta}  ${this.#doing()}`;
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

  /** About one series a container comes, once it is known how many there are. */
  #partOf(series: number): number {
    const facts = [FACTS.containerInfo, FACTS.podInfo];
    const known = facts.map(({ selection }) => this.#reads.get(selection.metric));
    const counts = known.map((read) => (read?.isDone ? read.series : 0));
    const expected = Math.max(...counts);
    return expected === 0 ? 0 : Math.min(0.95, series / expected);
  }
}

function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
