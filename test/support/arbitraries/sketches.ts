/** Sketches of plain lists, and the bytes of sketches, in memory of OWNER. */
import {
  countValues,
  createSketches,
  encodeSketches,
  type BytesColumn,
  type Engine,
  type Sketches,
} from '../../../src/columnar/index.ts';

export const OWNER = 2;

/** A sketch of each list. */
export function sketchesOf(engine: Engine, lists: readonly (readonly number[])[]): Sketches {
  const { arena } = engine;
  const sketches = createSketches(arena, OWNER, lists.length);
  const values = lists.flat();
  const ids = arena.allocate(4 * values.length, OWNER);
  arena.u32(ids, values.length).set(lists.flatMap((list, i) => list.map(() => i)));
  const at = arena.allocate(8 * values.length, OWNER);
  arena.f64(at, values.length).set(values);
  countValues(engine, OWNER, sketches, { ids, values: at, rows: values.length });
  return sketches;
}

/** The bytes of each sketch. */
export function bytesOf(
  engine: Engine,
  sketches: Sketches,
  first: number = 0,
  stride: number = 1,
): Buffer[] {
  const column = encodeSketches(engine, OWNER, sketches, { first, stride });
  return rowsOfBytes(column);
}

/** A copy of each row. */
export function rowsOfBytes({ offsets, bytes }: BytesColumn): Buffer[] {
  return Array.from(offsets.subarray(1), (end, row) => Buffer.from(bytes.slice(offsets[row], end)));
}
