// The receiver's entry among the sources; the bundle has one of its own (scripts/build-bundle.ts).
import { load } from './load.js';

await load('receiver');
