/** How the sets of each view are written: their rows in each format, and the text around sets. */
import type { CodedFrame } from '../row/coded-frame.ts';
import type { Engine, Owner } from '../../columnar/index.ts';
import type { AggregateKey, Window } from '../../query/index.ts';
import { ARROW_END } from '../../storage/index.ts';
import { arrowBatch, arrowHead } from './arrow.ts';
import { csvColumns, csvHeader, csvRows, type CsvFormat } from './csv.ts';
import { LIST, range, SINGLE, type Envelope } from './envelope.ts';
import type { Format, RowOptions } from '../params/format.ts';
import { jsonRows } from './json.ts';
import { allColumns, type Column, type RowDetail } from './row-columns.ts';
import { programAt, type SetAt } from './set-at.ts';
import { summaryColumns, summaryCsvColumns, summaryRows } from './summary.ts';
import { toplineRow } from './topline.ts';
import type { View } from '../query/stored-columns.ts';

interface ViewFormat {
  readonly isNewestFirst: boolean;
  readonly envelope: (sets: readonly Window[], whole: Window) => Envelope;
  /** All rows of a set are written as one. */
  readonly isOneRow: boolean;
  /** Compiles the rows of a set as JSON or NDJSON. @throws {ArenaFull} when there is no room */
  readonly json: (engine: Engine, owner: Owner, set: CodedFrame, options: RowOptions) => number;
  readonly csv: (
    format: CsvFormat,
    keys: readonly AggregateKey[],
    detail: RowDetail,
  ) => readonly Column[];
  readonly arrow: (keys: readonly AggregateKey[], detail: RowDetail) => readonly Column[];
}

export const VIEWS: Readonly<Record<View, ViewFormat>> = {
  allocations: {
    isNewestFirst: true,
    envelope: () => LIST,
    isOneRow: false,
    json: jsonRows,
    csv: csvColumns,
    arrow: allColumns,
  },
  summary: {
    isNewestFirst: false,
    envelope: range,
    isOneRow: false,
    json: summaryRows,
    csv: summaryCsvColumns,
    arrow: summaryColumns,
  },
  topline: {
    isNewestFirst: false,
    envelope: () => SINGLE,
    isOneRow: true,
    json: toplineRow,
    csv: () => [],
    arrow: () => [],
  },
};

/** Prepares a grouped set to be written. @throws {ArenaFull} when there is no room */
export async function writeSet(
  engine: Engine,
  owner: Owner,
  grouped: CodedFrame,
  view: View,
  keys: readonly AggregateKey[],
  options: RowOptions,
): Promise<SetAt> {
  const { format } = options;
  const { json, csv, arrow, isOneRow } = VIEWS[view];
  const { rows } = grouped.frame;
  switch (format.kind) {
    case 'arrow':
      return await arrowBatch(engine, owner, grouped, arrow(keys, options), options);
    case 'csv': {
      const columns = csv(format, keys, options);
      const program = csvRows(engine, owner, grouped, columns, { ...options, format });
      return programAt(engine, program, rows);
    }
    case 'json':
    case 'ndjson':
      return programAt(engine, json(engine, owner, grouped, options), isOneRow ? 1 : rows);
  }
}

/** Bytes before and after the sets of an answer whose format is not JSON. */
export interface StreamEnds {
  /** Called when the first set is made. */
  readonly head: () => Promise<Uint8Array>;
  readonly tail: Uint8Array;
}

const NOTHING = new Uint8Array();

export function streamEnds(
  format: Format,
  view: View,
  keys: readonly AggregateKey[],
  detail: RowDetail,
): StreamEnds {
  const { csv, arrow } = VIEWS[view];
  switch (format.kind) {
    case 'arrow':
      return { head: () => arrowHead(arrow(keys, detail)), tail: ARROW_END };
    case 'csv': {
      const header = Buffer.from(csvHeader(csv(format, keys, detail)));
      return { head: () => Promise.resolve(header), tail: NOTHING };
    }
    case 'json':
    case 'ndjson':
      return { head: () => Promise.resolve(NOTHING), tail: NOTHING };
  }
}
