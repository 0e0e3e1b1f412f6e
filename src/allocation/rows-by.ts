/** The rows of a set by what an asset tells of them: their cluster, their node, their services. */
import { textColumn, type Table } from '../columnar/index.ts';
import { joined } from './joined.ts';
import { parseServices } from './members.ts';
import { kindsOf, ROW_KINDS } from './row-kinds.ts';
import type { Bearers, Lives } from './usage-hours.ts';

/** Who bears costs: workloads, else what no pod uses, else what is idle. */
const KINDS: readonly number[] = [ROW_KINDS.workload, ROW_KINDS.unmounted, ROW_KINDS.idle];

const NOBODY: readonly number[] = [];

export class RowsBy {
  readonly lives: Lives;
  readonly #table: Table;
  readonly #kinds: Uint32Array;
  readonly #made: Map<string, ReadonlyMap<string, readonly number[]>> = new Map();

  /** @param table with the columns of whatever is asked for */
  constructor(table: Table) {
    this.#table = table;
    this.#kinds = kindsOf(table);
    const times = (name: string): Float64Array =>
      table.numbers(name)?.values ?? new Float64Array(table.rows);
    this.lives = { startsMs: times('startMs'), endsMs: times('endMs') };
  }

  /** Rows of the cluster that bear what is not tied to some of them. */
  inCluster(cluster: string): Bearers {
    return KINDS.map((kind) => this.#rows(['cluster'], kind).get(cluster) ?? NOBODY);
  }

  /** Rows of a node, likewise. */
  onNode(cluster: string, node: string): Bearers {
    const place = joined(cluster, node);
    return KINDS.map((kind) => this.#rows(['cluster', 'node'], kind).get(place) ?? NOBODY);
  }

  /** Rows behind a service; then those of its cluster that nobody mounts, or that are idle. */
  behindService(cluster: string, namespace: string, service: string): Bearers {
    const [, ...others] = this.inCluster(cluster);
    const served = this.#served().get(joined(cluster, namespace, service)) ?? NOBODY;
    return [served, ...others];
  }

  /** By the texts of the columns, joined. */
  #rows(names: readonly string[], kind: number): ReadonlyMap<string, readonly number[]> {
    return this.#once(joined(...names, String(kind)), () => {
      const columns = names.map((name) => textColumn(this.#table, name));
      const byCodes = new Map<number, number[]>();
      for (let row = 0; row < this.#table.rows; row++) {
        if (this.#kinds[row] !== kind) continue;
        const codes = columns.reduce(
          (pair, column) => pair * 2 ** 26 + (column.codes[row] ?? 0),
          0,
        );
        const list = byCodes.get(codes);
        if (list) list.push(row);
        else byCodes.set(codes, [row]);
      }
      const named = [...byCodes.values()].map((rows): [string, number[]] => {
        const first = rows[0] ?? 0;
        return [joined(...columns.map(({ codes, texts }) => texts.text(codes[first] ?? 0))), rows];
      });
      return new Map(named);
    });
  }

  /** By `cluster\0namespace\0service`. */
  #served(): ReadonlyMap<string, readonly number[]> {
    return this.#once('services', () => {
      const [clusters, namespaces, services] = ['cluster', 'namespace', 'services'].map((name) =>
        textColumn(this.#table, name),
      );
      const rowsOf = new Map<string, number[]>();
      for (let row = 0; row < this.#table.rows; row++) {
        if (this.#kinds[row] !== ROW_KINDS.workload) continue;
        const [cluster, namespace, list] = [clusters, namespaces, services].map(
          (column) => column?.texts.text(column.codes[row] ?? 0) ?? '',
        );
        for (const service of parseServices(list ?? '')) {
          const key = joined(cluster ?? '', namespace ?? '', service);
          const rows = rowsOf.get(key) ?? [];
          if (rows.push(row) === 1) rowsOf.set(key, rows);
        }
      }
      return rowsOf;
    });
  }

  #once(
    key: string,
    make: () => ReadonlyMap<string, readonly number[]>,
  ): ReadonlyMap<string, readonly number[]> {
    const known = this.#made.get(key) ?? make();
    this.#made.set(key, known);
    return known;
  }
}
