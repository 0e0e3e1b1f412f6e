/** Sums of allocations by the node they ran on. */
import type { Table } from '../../columnar/index.ts';
import { joined } from '../row/joined.ts';

const NOWHERE = -1;

/** A weight for each row of each table. */
export type Weights = readonly Float64Array[];

export class AllocationsByNode {
  readonly #nodes: number;
  readonly #allocations: readonly Table[];
  /** The row of each allocation's node, or NOWHERE. */
  readonly #places: readonly Int32Array[];

  /** @param nodes a row a node, told apart by cluster and node */
  constructor(nodes: Table, allocations: readonly Table[]) {
    const rowOf = new Map<string, number>();
    eachNode(nodes, (row, key) => void rowOf.set(key(), row));
    this.#nodes = nodes.rows;
    this.#allocations = allocations;
    this.#places = allocations.map((table) => {
      const places = new Int32Array(table.rows);
      const known = new Map<number, number>();
      eachNode(table, (row, key, pair) => {
        const place = known.get(pair) ?? rowOf.get(key()) ?? NOWHERE;
        known.set(pair, place);
        places[row] = place;
      });
      return places;
    });
  }

  /** The sum of a measure for each node; rows count by their weight, 1 unless given. */
  sums(column: string, weights?: Weights): Float64Array {
    const sums = new Float64Array(this.#nodes);
    this.#each(column, (place, value, i, row) => {
      if (place === NOWHERE) return;
      sums[place] = (sums[place] ?? 0) + value * (weights?.[i]?.[row] ?? 1);
    });
    return sums;
  }

  /** The sum of a measure over all rows, or over those on none of the nodes. */
  total(column: string, elsewhereOnly: boolean): number {
    let total = 0;
    this.#each(column, (place, value) => {
      if (place === NOWHERE || !elsewhereOnly) total += value;
    });
    return total;
  }

  #each(column: string, add: (place: number, value: number, i: number, row: number) => void): void {
    this.#allocations.forEach((table, i) => {
      const values = table.numbers(column)?.values;
      if (values) this.#places[i]?.forEach((place, row) => add(place, values[row] ?? 0, i, row));
    });
  }
}

/** The node of each row: `key` joins cluster and node, `pair` is a number for them in the table. */
export function eachNode(
  table: Table,
  use: (row: number, key: () => string, pair: number) => void,
): void {
  const [clusters, nodes] = [table.text('cluster'), table.text('node')];
  for (let row = 0; row < table.rows; row++) {
    const [cluster, node] = [clusters?.codes[row] ?? 0, nodes?.codes[row] ?? 0];
    const key = (): string =>
      joined(clusters?.texts.text(cluster) ?? '', nodes?.texts.text(node) ?? '');
    use(row, key, cluster * 2 ** 26 + node);
  }
}
