/**
 * Costs as series that OpenCost's exporter has too. No scrape waits for them: each is answered with the newest that
 * were computed, and has newer ones computed once those are older than the interval. So nothing is computed where
 * nobody scrapes.
 */
import { computeRates, type Rates, type RatesOptions } from '../../allocation/index.ts';
import { byLabel, counter, gauge, type Family } from '../../export/index.ts';
import type { Admission } from '../../pool/index.ts';

export interface CostSeriesOptions extends RatesOptions {
  readonly admission: Admission;
  readonly clusterLabel: string;
  readonly intervalMs: number;
  readonly rowsMax: number;
  readonly version: string;
  readonly nowMs: () => number;
  readonly onFailed: (error: unknown) => void;
}

/** Older costs are told of no more, whatever keeps newer ones away. */
const STALE_INTERVALS = 5;
const STALE_LEAST_MS = 10 * 60_000;

export class CostSeries {
  readonly #options: CostSeriesOptions;
  readonly #stop: AbortController = new AbortController();
  #newest: Rates = { text: new Uint8Array(), leftOut: {} };
  /** By a clock that never goes back. */
  #beganMs = -Infinity;
  #newestMs = -Infinity;
  #seconds = 0;
  #failures = 0;
  #running: Promise<void> | undefined;

  constructor(options: CostSeriesOptions) {
    this.#options = options;
  }

  /** The newest that are known. */
  text(): Uint8Array {
    const nowMs = performance.now();
    const { intervalMs } = this.#options;
    if (this.#running === undefined && nowMs - this.#beganMs >= intervalMs) {
      this.#beganMs = nowMs;
      this.#running = this.#compute().finally(() => (this.#running = undefined));
    }
    const staleMs = Math.max(STALE_LEAST_MS, STALE_INTERVALS * intervalMs);
    return nowMs - this.#newestMs > staleMs ? new Uint8Array() : this.#newest.text;
  }

  families(): Family[] {
    const kinds = Object.entries(this.#newest.leftOut);
    const build = { labels: { version: this.#options.version, revision: 'prorata' }, value: 1 };
    return [
      { name: 'opencost_build_info', help: 'Whose series of costs these are.', type: 'gauge', samples: [build] },
      byLabel(
        { name: 'prorata_cost_series_left_out', help: 'Of a kind so many are not told of, as there are too many: those that cost the least.', type: 'gauge' },
        'kind',
        kinds,
      ),
      gauge('prorata_cost_series_bytes', 'Bytes of the series of costs.', this.#newest.text.length),
      gauge('prorata_cost_series_seconds', 'How long the newest series of costs took to compute.', this.#seconds),
      counter('prorata_cost_series_failures_total', 'Series of costs that could not be computed.', this.#failures),
    ]; // prettier-ignore
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #compute(): Promise<void> {
    const { admission, rowsMax, clusterLabel, nowMs, onFailed } = this.#options;
    const { signal } = this.#stop;
    try {
      const leave = await admission.enterLast(signal);
      try {
        const beganMs = performance.now();
        const limits = { rowsMax, clusterLabel };
        this.#newest = await computeRates(this.#options, nowMs(), limits, signal);
        this.#newestMs = performance.now();
        this.#seconds = (this.#newestMs - beganMs) / 1000;
      } finally {
        leave();
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#failures++;
      onFailed(error);
    }
  }
}
