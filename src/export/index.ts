export { jsonNumber, timestamp, writeJsonRows, type Chunk } from './json.ts';
