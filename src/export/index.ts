export { csvLine, csvNumber, csvText, writeCsvRows } from './csv.ts';
export { jsonNumber, timestamp, writeJsonRows } from './json.ts';
export type { Chunk } from './rows.ts';
