/** How endpoints show stored sets: whole rows, their summaries, or one summary of all. */
import type { Engine, Owner } from '../columnar/index.ts';
import type { AggregateKey, Window } from '../query/index.ts';
import { csvHeader, csvRows, type CsvFormat } from './csv.ts';
import { LIST, range, SINGLE, type Envelope } from './envelope.ts';
import type { GroupedAt, RowOptions } from './format.ts';
import { jsonRows } from './json.ts';
import { summaryHeader, summaryRows } from './summary.ts';
import { toplineRow } from './topline.ts';

export type View = 'allocations' | 'summary' | 'topline';

/** What writes the rows of a set, how many of them, and what stands around sets. */
interface Shape {
  readonly isNewestFirst: boolean;
  readonly envelope: (sets: readonly Window[], whole: Window) => Envelope;
  readonly csvHeader: (format: CsvFormat, keys: readonly AggregateKey[], isRaw: boolean) => string;
  /** @returns the program's address */
  readonly program: (
    engine: Engine,
    owner: Owner,
    grouped: GroupedAt,
    keys: readonly AggregateKey[],
    options: RowOptions,
  ) => number;
  /** Rows that are written of a set of so many. */
  readonly rows: (grouped: number) => number;
}

export const SHAPES: Readonly<Record<View, Shape>> = {
  allocations: {
    isNewestFirst: true,
    envelope: () => LIST,
    csvHeader: (format, keys, isRaw) => csvHeader(format, keys, { isRaw, resolutionMs: 0 }),
    program(engine, owner, grouped, keys, options) {
      const { format } = options;
      return format.kind === 'csv'
        ? csvRows(engine, owner, grouped, keys, { ...options, format })
        : jsonRows(engine, owner, grouped, options);
    },
    rows: (grouped) => grouped,
  },
  summary: {
    isNewestFirst: false,
    envelope: range,
    csvHeader: summaryHeader,
    program: summaryRows,
    rows: (grouped) => grouped,
  },
  topline: {
    isNewestFirst: false,
    envelope: () => SINGLE,
    csvHeader: () => '',
    program: (engine, owner, grouped, _keys, { windowStartMs: startMs, windowEndMs: endMs }) =>
      toplineRow(engine, owner, grouped, { startMs, endMs }),
    rows: () => 1,
  },
};
