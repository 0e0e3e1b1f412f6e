export { csvLine, csvNumber, csvNumbers, csvRow, csvText } from './csv.ts';
export { jsonKey, jsonNumbers, timestamp, windowOf } from './json.ts';
export { parquetChunks, type ParquetBatch, type ParquetColumn } from './parquet.ts';
