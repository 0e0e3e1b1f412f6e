/** Sets of containers, one a day, each with a group and 16 measures: the rows of grouped sums. */
import {
  createFrame,
  type Arena,
  type ColumnSpec,
  type GroupInput,
} from '../src/columnar/index.ts';
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
  const measures = Array.from({ length: MEASURES }, (_, i) => `m${i}`);
  const columns: ColumnSpec[] = [
    { name: 'key', type: 'i32' },
    ...measures.map((name): ColumnSpec => ({ name, type: 'f64' })),
  ];
  const inputs = Array.from({ length: size.days }, () => {
    const frame = createFrame(arena, columns, size.rowsPerDay, OWNER);
    const keys = frame.i32('key');
    keys.forEach((_, row) => (keys[row] = random() * size.groups));
    const values = measures.map((name) => frame.f64(name));
    for (const column of values) column.forEach((_, row) => (column[row] = random() * 10));
    return {
      keys: keys.byteOffset,
      columns: values.map((column) => column.byteOffset),
      rows: size.rowsPerDay,
    };
  });
  return { ...size, inputs };
}

/** Adds up cells, each weighed by its group and measure, so that one in the wrong place shows. */
export function checksum(cells: Iterable<[group: number, measure: number, sum: number]>): number {
  let total = 0;
  for (const [group, measure, sum] of cells) total += sum * (1 + (group % 7)) * (1 + measure);
  return total;
}
