// The entry of the thread that reads blocks, among the sources; the bundle has one of its own (scripts/build-bundle.ts).
import { load } from './load.js';

await load('blocks');
