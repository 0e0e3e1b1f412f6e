/** The rows of a set by cluster, node and service. */
import {
  numberPairs,
  textColumn,
  textReader,
  type NumberColumn,
  type Table,
  type Times,
  type Workspace,
} from '../../columnar/index.ts';
import { joined } from '../row/joined.ts';
import { parseServices } from '../row/services-text.ts';
import { kindsIn, ROW_KINDS, rowsOfKind } from '../row/row-kinds.ts';
import type { Window } from '../../query/index.ts';
import type { Payers, Lives } from './share-by-hours.ts';

/** Kinds of rows in the order in which they pay: workloads, else unmounted volumes, else idle. */
const KINDS: readonly number[] = [ROW_KINDS.workload, ROW_KINDS.unmounted, ROW_KINDS.idle];

const NO_ROWS: readonly number[] = [];

type Lists = ReadonlyMap<string, readonly number[]>;

export class RowIndex {
  /** The rows, with the columns that charges depend on. */
  readonly table: Table;
  readonly #space: Workspace;
  readonly #kinds: Uint32Array;
  readonly #ofKind: Map<number, readonly number[]> = new Map();
  readonly #lists: Map<string, Lists> = new Map();

  constructor(space: Workspace, table: Table) {
    this.table = table;
    this.#space = space;
    this.#kinds = kindsIn(space, table);
  }

  get lives(): Lives {
    const [starts, ends] = this.#times;
    return { startsMs: starts.values, endsMs: ends.values };
  }

  timesWithin({ startMs, endMs }: Window): Times {
    const [starts, ends] = this.#times;
    return { starts, ends, from: startMs, until: endMs };
  }

  get #times(): [NumberColumn, NumberColumn] {
    const [starts, ends] = [this.table.numbers('startMs'), this.table.numbers('endMs')];
    if (!starts || !ends) throw new Error('BUG: rows without their times');
    return [starts, ends];
  }

  /** Rows of a kind, ascending. */
  ofKind(kind: number): readonly number[] {
    const known = this.#ofKind.get(kind) ?? rowsOfKind(this.#space, this.#kinds, kind);
    this.#ofKind.set(kind, known);
    return known;
  }

  /** Rows of a cluster that pay for costs not tied to some of them. */
  inCluster(cluster: string): Payers {
    return KINDS.map(
      (kind) => this.#rows('cluster', kind).get(joined(cluster, cluster)) ?? NO_ROWS,
    );
  }

  /** Rows of a node. */
  onNode(cluster: string, node: string): Payers {
    return KINDS.map((kind) => this.#rows('node', kind).get(joined(cluster, node)) ?? NO_ROWS);
  }

  /** Rows behind a service; then unmounted and idle rows of its cluster. */
  behindService(cluster: string, namespace: string, service: string): Payers {
    const [, ...others] = this.inCluster(cluster);
    const served = this.#served().get(joined(cluster, namespace, service)) ?? NO_ROWS;
    return [served, ...others];
  }

  /** By the texts of the cluster and of a column, joined. */
  #rows(name: string, kind: number): Lists {
    return this.#once(`${name}\0${kind}`, () => {
      const [clusters, others] = [textColumn(this.table, 'cluster'), textColumn(this.table, name)];
      const { rows, pairs } = numberPairs(this.#space, clusters.codes, others.codes);
      const lists = Array.from({ length: pairs.length / 2 }, (): number[] => []);
      for (const row of this.ofKind(kind)) lists[rows[row] ?? 0]?.push(row);
      const text = (i: number): string =>
        joined(clusters.texts.text(pairs[2 * i] ?? 0), others.texts.text(pairs[2 * i + 1] ?? 0));
      return new Map(lists.map((list, i) => [text(i), list]));
    });
  }

  /** By `cluster\0namespace\0service`. */
  #served(): Lists {
    return this.#once('services', () => {
      const [cluster, namespace, services] = [
        textReader(this.table, 'cluster'),
        textReader(this.table, 'namespace'),
        textReader(this.table, 'services'),
      ];
      const rowsOf = new Map<string, number[]>();
      for (const row of this.ofKind(ROW_KINDS.workload)) {
        for (const service of parseServices(services(row))) {
          const key = joined(cluster(row), namespace(row), service);
          const rows = rowsOf.get(key) ?? [];
          if (rows.push(row) === 1) rowsOf.set(key, rows);
        }
      }
      return rowsOf;
    });
  }

  #once(key: string, make: () => Lists): Lists {
    const known = this.#lists.get(key) ?? make();
    this.#lists.set(key, known);
    return known;
  }
}
