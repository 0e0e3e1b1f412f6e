/** How endpoints show stored sets: whole rows, their summaries, or one summary of all. */
import type { Engine, Owner } from '../../columnar/index.ts';
import type { AggregateKey, Window } from '../../query/index.ts';
import { arrowBatch } from './arrow.ts';
import { csvHeader, type CsvFormat } from './csv.ts';
import { LIST, range, SINGLE, type Envelope } from './envelope.ts';
import type { GroupedAt, RowOptions } from '../params/format.ts';
import { allColumns, type Column } from './row-columns.ts';
import { programAt, type SetAt } from './set-at.ts';
import { summaryColumns, summaryHeader, summaryRows } from './summary.ts';
import { toplineRow } from './topline.ts';
import { writeSet } from './write-set.ts';
import type { View } from '../query/stored-columns.ts';

/** What writes the rows of a set, and what stands around sets. */
interface Shape {
  readonly isNewestFirst: boolean;
  readonly envelope: (sets: readonly Window[], whole: Window) => Envelope;
  readonly csvHeader: (format: CsvFormat, keys: readonly AggregateKey[], isRaw: boolean) => string;
  /** Of rows as Arrow. */
  readonly columns: (keys: readonly AggregateKey[], isRaw: boolean) => readonly Column[];
  /** @throws {ArenaFull} when there is no room */
  readonly write: (
    engine: Engine,
    owner: Owner,
    grouped: GroupedAt,
    keys: readonly AggregateKey[],
    options: RowOptions,
  ) => SetAt | Promise<SetAt>;
}

export const SHAPES: Readonly<Record<View, Shape>> = {
  allocations: {
    isNewestFirst: true,
    envelope: () => LIST,
    csvHeader: (format, keys, isRaw) => csvHeader(format, keys, { isRaw, resolutionMs: 0 }),
    columns: (keys, isRaw) => allColumns(keys, { isRaw, resolutionMs: 0 }),
    write: writeSet,
  },
  summary: {
    isNewestFirst: false,
    envelope: range,
    csvHeader: summaryHeader,
    columns: summaryColumns,
    write: (engine, owner, grouped, keys, options) =>
      options.format.kind === 'arrow'
        ? arrowBatch(engine, owner, grouped, summaryColumns(keys), options)
        : programAt(engine, summaryRows(engine, owner, grouped, keys, options), grouped.frame.rows),
  },
  topline: {
    isNewestFirst: false,
    envelope: () => SINGLE,
    csvHeader: () => '',
    columns: () => [],
    write: (engine, owner, grouped, _keys, { windowStartMs: startMs, windowEndMs: endMs }) =>
      programAt(engine, toplineRow(engine, owner, grouped, { startMs, endMs }), 1),
  },
};
