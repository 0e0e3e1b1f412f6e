/** Sums of allocations by the node they ran on. */
import { numberReader, type Table } from '../../columnar/index.ts';
import type { Window } from '../../query/index.ts';
import { joined } from '../row/joined.ts';
import { nearestInTime } from '../row/nearest-in-time.ts';

const NOWHERE = -1;
const NO_ROWS: readonly number[] = [];

/** A weight for each row of each table. */
export type Weights = readonly Float64Array[];

export class AllocationsByNode {
  readonly #nodes: number;
  readonly #allocations: readonly Table[];
  /** The row of each allocation's node, or NOWHERE. */
  readonly #places: readonly Int32Array[];

  /** @param nodes a row a machine, told apart by cluster, node and time */
  constructor(nodes: Table, allocations: readonly Table[]) {
    const rows = new NodeRows(nodes);
    this.#nodes = nodes.rows;
    this.#allocations = allocations;
    this.#places = allocations.map((table) => {
      const places = new Int32Array(table.rows);
      const known = new Map<number, readonly number[]>();
      const spanOf = spansOf(table);
      eachNode(table, (row, key, pair) => {
        const own = known.get(pair) ?? rows.of(key());
        known.set(pair, own);
        places[row] = rows.nearest(own, () => spanOf(row)) ?? NOWHERE;
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

/** Rows of nodes by cluster and node; machines that had one name, one after another, have a row each. */
export class NodeRows {
  readonly #rows: Map<string, number[]> = new Map();
  readonly #spanOf: (row: number) => Window;

  constructor(nodes: Table) {
    this.#spanOf = spansOf(nodes);
    eachNode(nodes, (row, key) => {
      const rows = this.#rows.get(key()) ?? [];
      if (rows.push(row) === 1) this.#rows.set(key(), rows);
    });
  }

  of(key: string): readonly number[] {
    return this.#rows.get(key) ?? NO_ROWS;
  }

  /** The one of `rows` that was there at that time. */
  nearest(rows: readonly number[], spanOf: () => Window): number | undefined {
    if (rows.length < 2) return rows[0];
    return rows[nearestInTime(rows.map(this.#spanOf), spanOf())];
  }
}

/** When each row was there. */
export function spansOf(table: Table): (row: number) => Window {
  const [startMs, endMs] = [numberReader(table, 'startMs'), numberReader(table, 'endMs')];
  return (row) => ({ startMs: startMs(row), endMs: endMs(row) });
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
