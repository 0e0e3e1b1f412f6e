/** Rows of one set as they are read, in columns that grow; then a table in the arena. */
import {
  columnSpecs,
  createFrame,
  DictionaryBuilder,
  frameTable,
  type Arena,
  type Owner,
  type Table,
} from '../../columnar/index.ts';
import { SavedRowFault, type SetRow } from './saved-row.ts';
import { IDENTITY_COLUMNS, MEASURES, PAID_COLUMNS, TEXT_COLUMNS } from '../row/schema.ts';

const TEXTS: readonly string[] = [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, ...PAID_COLUMNS, 'endSource']; // prettier-ignore
const TIMES: readonly string[] = ['startMs', 'endMs', 'endUncertaintyMs'];
const NUMBERS: readonly string[] = [...TIMES, ...MEASURES.map(({ column }) => column)];

/** Rows of one set at most. A file with more was made to fill the memory. */
export const ROWS_MAX = 2_000_000;

/** A set that was read. */
export interface SavedSet {
  /** The hull of its rows' windows. */
  readonly startMs: number;
  readonly endMs: number;
  readonly rows: number;
  /** Σ |totalCost as the file has it − the sum of the costs that are known here|, USD. */
  readonly unexplainedUsd: number;
  /** Notes about its numbers, a sentence each. */
  readonly notes: readonly string[];
  /** A copy in the arena. */
  table(arena: Arena, owner: Owner): Table;
}

export class SavedSetBuilder implements SavedSet {
  startMs: number = Infinity;
  endMs: number = -Infinity;
  rows = 0;
  unexplainedUsd = 0;
  readonly notes: string[] = [];
  readonly #texts: DictionaryBuilder = new DictionaryBuilder();
  readonly #codes: Uint32Array[] = TEXTS.map(() => new Uint32Array(256));
  readonly #numbers: Float64Array[] = NUMBERS.map(() => new Float64Array(256));

  /**
   * @param unexplainedUsd difference of its total from its parts
   * @throws {SavedRowFault} when there are too many rows
   */
  add(row: SetRow, unexplainedUsd: number): void {
    if (this.rows === ROWS_MAX) throw new SavedRowFault('', `a set has at most ${ROWS_MAX} rows`);
    this.#makeRoom();
    TEXTS.forEach((name, i) => {
      const codes = this.#codes[i];
      if (codes) codes[this.rows] = this.#texts.code(row.texts.get(name) ?? '');
    });
    NUMBERS.forEach((name, i) => {
      const values = this.#numbers[i];
      if (values) values[this.rows] = row.numbers.get(name) ?? 0;
    });
    this.startMs = Math.min(this.startMs, row.windowStartMs);
    this.endMs = Math.max(this.endMs, row.windowEndMs);
    this.unexplainedUsd += unexplainedUsd;
    this.rows++;
  }

  /** Measures that are zero in every row are left out. */
  table(arena: Arena, owner: Owner): Table {
    const used = NUMBERS.map((name, i) => ({ name, values: this.#used(i) })).filter(
      ({ name, values }) => TIMES.includes(name) || values.some((value) => value !== 0),
    );
    const columns = columnSpecs({ texts: TEXTS, numbers: used.map(({ name }) => name) });
    const frame = createFrame(arena, columns, this.rows, owner);
    TEXTS.forEach((name, i) => {
      frame.u32(name).set(this.#codes[i]?.subarray(0, this.rows) ?? []);
    });
    for (const { name, values } of used) frame.f64(name).set(values);
    return frameTable(frame, this.#texts);
  }

  #used(i: number): Float64Array {
    return this.#numbers[i]?.subarray(0, this.rows) ?? new Float64Array();
  }

  #makeRoom(): void {
    if (this.rows < (this.#codes[0]?.length ?? 0)) return;
    this.#codes.forEach((codes, i) => {
      this.#codes[i] = new Uint32Array(2 * codes.length);
      this.#codes[i].set(codes);
    });
    this.#numbers.forEach((values, i) => {
      this.#numbers[i] = new Float64Array(2 * values.length);
      this.#numbers[i].set(values);
    });
  }
}
