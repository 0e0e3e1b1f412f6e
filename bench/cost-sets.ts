/** Sets of containers, one a day, each with a group and 16 measures: the rows of grouped sums. */
import type { Arena, GroupInput } from '../src/columnar/index.ts';
import { seededRandom } from './random.ts';

export const MEASURES = 16;
const OWNER = 1;

export interface CostSets {
  readonly days: number;
  readonly rowsPerDay: number;
  readonly groups: number;
  /** One a day. */
  readonly inputs: readonly GroupInput[];
}

export function createCostSets(
  arena: Arena,
  size: { days: number; rowsPerDay: number; groups: number },
): CostSets {
  const random = seededRandom(size.groups);
  const column = (): number => arena.allocate(size.rowsPerDay * 8, OWNER);
  const inputs = Array.from({ length: size.days }, () => {
    const keys = arena.allocate(size.rowsPerDay * 4, OWNER);
    const columns = Array.from({ length: MEASURES }, column);
    const keysOfRows = arena.i32(keys, size.rowsPerDay);
    keysOfRows.forEach((_, row) => (keysOfRows[row] = random() * size.groups));
    for (const at of columns) {
      const values = arena.f64(at, size.rowsPerDay);
      values.forEach((_, row) => (values[row] = random() * 10));
    }
    return { keys, columns, rows: size.rowsPerDay };
  });
  return { ...size, inputs };
}

/** Adds up cells so that one in the wrong place shows: groups count from 0 within the whole table. */
export function checksum(cells: Iterable<[group: number, measure: number, sum: number]>): number {
  let total = 0;
  for (const [group, measure, sum] of cells) total += sum * (1 + (group % 7)) * (1 + measure);
  return total;
}
