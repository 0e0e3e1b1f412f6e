// The entry of the thread that decodes Parquet, among the sources; the bundle has one of its own (scripts/build-bundle.ts).
import { load } from './load.js';

await load('parquet');
