/** A grouped row as formats write it. */
import type { Frame } from '../columnar/index.ts';
import type { Format } from './format.ts';
import { MEASURES, type RowValues } from './schema.ts';

const HOUR_MS = 3_600_000;

export interface RowOptions {
  readonly windowStartMs: number;
  readonly windowEndMs: number;
  /** 0 exact, else the grid's distance. */
  readonly resolutionMs: number;
  /** Neither aggregated nor accumulated: raw maxima are shown. */
  readonly isRaw: boolean;
  readonly format: Format;
}

/** One row of a frame at a time; columns that it leaves out are 0. */
export class FrameRow implements RowValues {
  row = 0;
  readonly #columns: Map<string, Float64Array> = new Map();
  readonly #startsMs: Float64Array;
  readonly #endsMs: Float64Array;

  constructor(frame: Frame) {
    this.#startsMs = frame.f64('startMs');
    this.#endsMs = frame.f64('endMs');
    for (const { column } of MEASURES) {
      if (frame.columns.has(column)) this.#columns.set(column, frame.f64(column));
    }
  }

  get(column: string): number {
    return this.#columns.get(column)?.[this.row] ?? 0;
  }

  get startMs(): number {
    return this.#startsMs[this.row] ?? NaN;
  }

  get endMs(): number {
    return this.#endsMs[this.row] ?? NaN;
  }

  get hours(): number {
    return (this.endMs - this.startMs) / HOUR_MS;
  }
}
