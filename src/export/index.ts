export { csvLine, csvNumber, csvNumbers, csvRow, csvText } from './csv.ts';
export { jsonKey, jsonNumbers, timestamp, windowOf } from './json.ts';
export { parquetChunks, type ParquetBatch, type ParquetColumn } from './parquet.ts';
export {
  byLabel,
  CONTENT_TYPE,
  counter,
  exposition,
  gauge,
  type Family,
  type Sample,
} from './exposition.ts';
