/** What stands around the sets of an answer whose format is no JSON. */
import { ARROW_END } from '../../storage/index.ts';
import { arrowHead } from './arrow.ts';
import type { CsvFormat } from './csv.ts';
import type { Format } from '../params/format.ts';
import type { Column } from './row-columns.ts';

export interface Framing {
  /** Asked for when the first set is made. */
  readonly head: () => Promise<Uint8Array>;
  readonly tail: Uint8Array;
}

const NOTHING = new Uint8Array();

/** @param columns of rows as Arrow */
export function framingOf(
  format: Format,
  csvHeader: (format: CsvFormat) => string,
  columns: () => readonly Column[],
): Framing {
  switch (format.kind) {
    case 'arrow':
      return { head: () => arrowHead(columns()), tail: ARROW_END };
    case 'csv':
      return { head: () => Promise.resolve(Buffer.from(csvHeader(format))), tail: NOTHING };
    case 'json':
    case 'ndjson':
      return { head: () => Promise.resolve(NOTHING), tail: NOTHING };
  }
}
