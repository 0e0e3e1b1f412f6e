/** Samples that were accepted and are not on the disk yet, in the order they came. */
import { Samples } from './samples.ts';
import type { Series } from './series-table.ts';

export class Pending {
  readonly samples: Samples = new Samples();
  /** The series of each sample. */
  readonly series: Series[] = [];
  /** Places of samples that are older than another of their series. */
  readonly late: number[] = [];

  get count(): number {
    return this.samples.count;
  }

  push(series: Series, timeMs: number, low: number, high: number): void {
    this.samples.push(timeMs, low, high);
    this.series.push(series);
  }

  pushLate(series: Series, timeMs: number, low: number, high: number): void {
    this.late.push(this.samples.count);
    this.push(series, timeMs, low, high);
  }

  clear(): void {
    this.truncate(0);
  }

  /** Drops those from the place on. */
  truncate(count: number): void {
    this.samples.count = count;
    this.series.length = count;
    while ((this.late.at(-1) ?? -1) >= count) this.late.pop();
  }
}
