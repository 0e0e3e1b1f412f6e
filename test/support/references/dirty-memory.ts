/** Memory as it is after hours of use: what is handed out holds what others left there. */
import { createMemory, type ArenaMemory } from '../../../src/columnar/index.ts';

/** Where runs begin (src/columnar/memory/arena.ts). */
const RUNS_AT = 2 ** 20;
/** As a count it is too many, as an address it is beyond the memory, as a number it shows. */
const LEFT = Buffer.from(Uint32Array.of(0xfedcba98).buffer);
/** Runs are handed out from the low end: what lies beyond is seldom touched. */
const IS_CHECKED = process.env['CHECK_MEMORY'] === 'true';
const DIRTY_BYTES_MAX = 16 * 2 ** 20;

/** @param isChecked as `createMemory` has it; false where every write of a test is looked at */
export function dirtyMemory(bytes: number, isChecked?: boolean): ArenaMemory {
  // Canaries take as much as the smallest runs.
  const memory = createMemory((isChecked ?? IS_CHECKED) ? 2 * bytes : bytes, isChecked);
  const dirtyBytes = Math.min(memory.buffer.byteLength - RUNS_AT, DIRTY_BYTES_MAX);
  Buffer.from(memory.buffer, RUNS_AT, dirtyBytes).fill(LEFT);
  return memory;
}
