/** The current nodes of a cluster, from stored assets. */
import { NODE_COSTS, NODE_HOURS, withTypes } from '../assets/columns.ts';
import { numberReader, textReader, type Table } from '../columnar/index.ts';
import { BYTES_PER_GIB, type NodeSize } from '../pricing/index.ts';
import { HOUR_MS } from '../query/index.ts';

/** The columns of assets that are read. */
export const NODE_COLUMNS: readonly string[] = [
  'type',
  'cluster',
  'node',
  'name',
  'provider',
  'providerID',
  'nodeType',
  'pool',
  'region',
  'labels',
  'startMs',
  'endMs',
  ...NODE_HOURS,
  ...NODE_COSTS,
  'cost',
];

export interface CurrentNode {
  readonly cluster: string;
  /** Its pool, else its type. */
  readonly group: string;
  /** '' where it is not known, as the following. */
  readonly type: string;
  readonly provider: string;
  readonly region: string;
  /** In Kubernetes' spelling, such as `amd64`. */
  readonly arch: string;
  readonly size: NodeSize;
  readonly usdPerHour: number;
}

/** A node seen within this time of the end counts as there at the end. */
const SAME_MS = 10 * 60_000;

/**
 * The nodes of each cluster at the time it was last seen.
 * @param tables of sets of assets, newest first
 */
export function currentNodes(tables: readonly Table[]): CurrentNode[] {
  const known = new Set<string>();
  return tables.flatMap((table) => {
    const nodes = nodesOf(withTypes(table)).filter(({ cluster }) => !known.has(cluster));
    for (const { cluster } of nodes) known.add(cluster);
    return nodes;
  });
}

function nodesOf(table: Table): CurrentNode[] {
  const [type, cluster] = [textReader(table, 'type'), textReader(table, 'cluster')];
  const [startMs, endMs] = [numberReader(table, 'startMs'), numberReader(table, 'endMs')];
  const rows = Array.from({ length: table.rows }, (_, row) => row).filter(
    (row) => type(row) === 'Node',
  );
  const lastMs = new Map<string, number>();
  for (const row of rows) {
    lastMs.set(cluster(row), Math.max(lastMs.get(cluster(row)) ?? 0, endMs(row)));
  }
  const isThere = (row: number): boolean => endMs(row) > (lastMs.get(cluster(row)) ?? 0) - SAME_MS;
  return rows.filter(isThere).map((row) => {
    const hours = (endMs(row) - startMs(row)) / HOUR_MS;
    const text = (name: string): string => textReader(table, name)(row);
    const per = (name: string): number => (hours > 0 ? numberReader(table, name)(row) / hours : 0);
    return {
      cluster: cluster(row),
      group: text('pool') || text('nodeType'),
      type: text('nodeType'),
      provider: text('provider'),
      region: text('region'),
      arch: archOf(text('labels')),
      size: {
        cpuCores: per('cpuCoreHours'),
        ramGiB: per('ramByteHours') / BYTES_PER_GIB,
        gpus: per('gpuHours'),
      },
      usdPerHour: per('cost'),
    };
  });
}

/** Node labels of the architecture; the `beta` one is that of Kubernetes before 1.14. */
const ARCH_LABEL = /"(?:beta_)?kubernetes_io_arch":"(\w+)"/;

function archOf(labels: string): string {
  return ARCH_LABEL.exec(labels)?.[1] ?? '';
}
