/** Numbers as the kernels write them, one a line. */
import {
  compileKernels,
  compileRow,
  createEngine,
  writeRows,
  type RowPart,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from './dirty-memory.ts';

const OWNER = 1;
const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(256 << 20), OWNER);
const { arena } = engine;

/** The texts of `values`; what is no finite number is `-`. */
export function written(values: Float64Array, decimals?: number): string[] {
  return lines(values, (column) => ({ kind: 'number', column, decimals, missing: '-' }));
}

/** The moments of `timesMs`. */
export function moments(timesMs: Float64Array): string[] {
  return lines(timesMs, (column) => ({ kind: 'moment', column }));
}

function lines(values: Float64Array, partOf: (column: number) => RowPart): string[] {
  const column = arena.allocate(8 * values.length, TASK);
  arena.f64(column, values.length).set(values);
  const program = compileRow(arena, TASK, values.length, [partOf(column), '\n']);
  const bytes = 64 * values.length + 128;
  const slot = { address: arena.allocate(bytes, TASK), bytes };
  const { bytes: used, nextRow } = writeRows(engine, program, { from: 0, to: values.length }, slot);
  if (nextRow !== values.length) throw new Error(`BUG: ${nextRow} of ${values.length} rows`);
  const text = arena.text(slot.address, used).toString('latin1');
  arena.release(TASK);
  return text.split('\n').slice(0, -1);
}
