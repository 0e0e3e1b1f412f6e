/** Records of a block as columns. */
import {
  cellText,
  readCsv,
  type CsvBytes,
  type KernelExports,
  type Scratch,
} from '../../columnar/index.ts';
import type { CellTexts, Spelling } from './cell-texts.ts';
import type { SourceNumber, SourceText } from './columns.ts';
import type { Header } from './header.ts';
import { parseNumber } from './numbers.ts';
import { isNull, shown, type BadCell, type SourceColumns } from './source-columns.ts';

/** The fewest bytes of a record: four times and four costs alone take more. */
const ROW_BYTES_MIN = 64;

export const CSV_SPELLING: Spelling = { read: cellText, escape: 0x22 };

/** Records of one file. */
export interface CsvBlockOptions {
  /** Whole records. */
  readonly block: CsvBytes;
  readonly header: Header;
  readonly isUtf8: boolean;
  /** Texts in CSV_SPELLING. */
  readonly texts: CellTexts;
}

/** @throws {ArenaFull} when there is no room; the columns last as long as the scratch */
export function csvColumns(
  kernels: KernelExports,
  scratch: Scratch,
  { block, header, isUtf8, texts: cells }: CsvBlockOptions,
): SourceColumns {
  const [texts, numbers] = [placesOf(header.texts), placesOf(header.numbers)];
  const plan = {
    columns: header.columns,
    texts: texts.map(([, place]) => place),
    numbers: numbers.map(([, place]) => place),
    index: cells.cells,
  };
  cells.begin();
  const rowsMax = Math.ceil(block.bytes / ROW_BYTES_MIN) + 1;
  const read = readCsv(kernels, scratch, block, plan, rowsMax);
  if (read === undefined) {
    return refused(cells, 'it and those after it are too short for charges');
  }
  const bad: BadCell[] = read.uneven.map(({ row, cells }) => {
    for (const codes of read.texts) codes[row] = 0;
    return { row, column: '', reason: `it has ${cells} cells, the header has ${header.columns}` };
  });
  for (const { row, number, text } of read.odd) {
    const value = parseNumber(text);
    const column = numbers[number]?.[0] ?? '';
    if (value !== undefined) read.numbers[number]?.fill(value, row, row + 1);
    else if (!isNull(text)) bad.push({ row, column, reason: `${shown(text)} is not a number` });
  }
  const placeOf = (of: readonly Place[], name: string): number =>
    of.findIndex(([each]) => each === name);
  return {
    rows: read.rows,
    bad,
    isUtf8,
    ...(read.isMisquoted ? { end: 'a quote stands within a cell, or is not closed' } : {}),
    texts: cells,
    codes: (name: SourceText) => read.texts[placeOf(texts, name)],
    numbers: (name: SourceNumber) => read.numbers[placeOf(numbers, name)],
  };
}

type Place = readonly [name: string, place: number];

function placesOf(places: Readonly<Record<string, number>>): Place[] {
  return Object.entries(places);
}

function refused(texts: CellTexts, end: string): SourceColumns {
  return { rows: 0, bad: [], end, texts, codes: () => undefined, numbers: () => undefined };
}
