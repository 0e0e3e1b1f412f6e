export { csvLine, csvNumber, csvNumbers, csvRow, csvText } from './csv.ts';
export { jsonKey, jsonNumbers, timestamp, windowOf } from './json.ts';
export { parquetChunks, type BatchColumn, type ParquetBatch } from './parquet.ts';
export type { ParquetColumn, ParquetTexts, ParquetValues } from './parquet/column-values.ts';
export { GROUP_ROWS, ParquetFile } from './parquet/parquet-file.ts';
export {
  byLabel,
  CONTENT_TYPE,
  counter,
  exposition,
  gauge,
  type Family,
  type Sample,
} from './exposition.ts';
