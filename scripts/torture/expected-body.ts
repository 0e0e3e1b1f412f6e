/** Whole bodies as they must be, a piece at a time. */
import type { Day } from './days.ts';
import { expectedRows, type Aggregate, type Shown } from './expected-rows.ts';
import {
  fullHeader,
  fullLineOf,
  jsonOf,
  SUMMARY_HEADER,
  summaryLineOf,
  type Showing,
} from './expected-text.ts';

/** `csv` has the columns clients know, `csv-full` every column. */
export const WRITTEN_FORMATS = ['json', 'ndjson', 'csv', 'csv-full'] as const;
export type WrittenFormat = (typeof WRITTEN_FORMATS)[number];

export interface Asked {
  readonly aggregate: Aggregate;
  readonly format: WrittenFormat;
  /** One set of all days, else one a day. */
  readonly isAccumulated: boolean;
}

/** What the server says where it knows no bill. */
const MESSAGE =
  'no cloud bill tells of the assets of the window: costs are list prices, and adjustments are 0 but for those that were imported';

const NONE_PARTS = ['cluster', 'node', 'namespace', 'pod', 'container'];

/** Bodies of answers about some days; rows are worked out once. */
export class ExpectedBodies {
  readonly #days: readonly Day[];
  readonly #rows: Map<string, Shown[]> = new Map();

  /** @param days oldest first */
  constructor(days: readonly Day[]) {
    this.#days = days;
  }

  /** About `count` days from `first` on; sets come newest first. */
  *body(asked: Asked, first: number, count: number): Generator<string> {
    const { aggregate, format } = asked;
    const isOne = asked.isAccumulated || format === 'csv';
    const sets = isOne
      ? [[first, count] as const]
      : Array.from({ length: count }, (_, i) => [first + count - 1 - i, 1] as const);
    const isRaw = aggregate === 'none' && !isOne;
    const parts = aggregate === 'none' ? NONE_PARTS : [aggregate];
    if (format === 'csv') yield SUMMARY_HEADER;
    if (format === 'csv-full') yield fullHeader(parts, isRaw);
    if (format === 'json') yield '{"code":200,"data":[';
    for (const [place, [from, days]] of sets.entries()) {
      const startMs = this.#days[from]?.startMs ?? NaN;
      const endMs = this.#days[from + days - 1]?.endMs ?? NaN;
      const rows = this.#rowsOf(aggregate, from, days);
      if (format === 'json') yield place === 0 ? '{' : ',{';
      for (const [i, row] of rows.entries()) {
        const text = lineOf(row, format, { startMs, endMs, isRaw });
        yield format === 'json' && i > 0 ? `,${text}` : text;
      }
      if (format === 'json') yield '}';
    }
    if (format === 'json') yield `],"message":${JSON.stringify(MESSAGE)}}`;
  }

  #rowsOf(aggregate: Aggregate, first: number, count: number): readonly Shown[] {
    const key = `${aggregate} ${first} ${count}`;
    const rows =
      this.#rows.get(key) ?? expectedRows(this.#days.slice(first, first + count), aggregate);
    this.#rows.set(key, rows);
    return rows;
  }
}

function lineOf(row: Shown, format: WrittenFormat, showing: Showing): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(row.name)}:${jsonOf(row, showing)}`;
    case 'ndjson':
      return `${jsonOf(row, showing)}\n`;
    case 'csv':
      return summaryLineOf(row);
    case 'csv-full':
      return fullLineOf(row, showing);
  }
}
