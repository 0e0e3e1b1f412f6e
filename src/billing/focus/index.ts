export {
  BILL_NUMBERS,
  BILL_TEXTS,
  NUMBERS_MAX,
  type BillNumber,
  type BillText,
  type SourceNumber,
} from './columns.ts';
export { opened, openBillFile, streamedBill, withoutCopies, type BillFile } from './bill-file.ts';
export {
  readBillRows,
  type BillPart,
  type BillRows,
  type BillRules,
  type Substitute,
} from './bill-rows.ts';
export type { ReadBytes } from './bytes.ts';
export { cutBlocks } from './csv-blocks.ts';
export { CellTexts, type Spelling } from './cell-texts.ts';
export { CSV_SPELLING, csvColumns } from './csv-columns.ts';
export { namedBy, readHeader, type Header } from './header.ts';
export type {
  NumberColumn,
  ParquetAnswer,
  ParquetCall,
  ParquetFile,
  RowRange,
  TextColumn,
} from './parquet.ts';
export {
  PARQUET_SPELLING,
  parquetColumns,
  type ParquetHeader,
  type ParquetRows,
  type Run,
  type TextsAt,
} from './parquet-columns.ts';
export { shown, type BadCell, type SourceColumns } from './source-columns.ts';
