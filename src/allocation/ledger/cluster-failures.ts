/**
 * Clusters of which an invariant fails while the ledger is made: they are decided by fewer facts, so that
 * one cluster never breaks the answers about others.
 *
 *   all facts ─ fails ─▶ pods and nodes only ─ fails ─▶ nothing of the cluster
 */
import { ArenaFull, HeapFull, type SeriesRecord } from '../../columnar/index.ts';
import type { FactName } from '../../metrics/index.ts';
import type { ClusterOptions } from '../inventory/inventory.ts';

/** Facts of a cluster that are read: its pods and nodes without what is charged beside them, or nothing. */
type FactsRead = 'pods and nodes' | 'nothing';

export interface ClusterFailure {
  readonly cluster: string;
  /** What the cluster was decided by instead. */
  readonly read: FactsRead;
  /** The error, with its stack, for the log. */
  readonly error: string;
}

/** What is read of clusters of which not all facts are. */
export type ReadLess = ReadonlyMap<string, FactsRead>;

/** Facts about volumes, load balancers, and prices of traffic and control planes. */
const CHARGED_FACTS: ReadonlySet<FactName> = new Set([
  'claimInfo', 'claimRequest', 'volumeCapacity', 'volumePrice', 'volumeInfo', 'volumeKind', 'podVolumes', 'podClaims',
  'balancerPrice', 'serviceIngress', 'serviceSelector', 'endpointAddress', 'sliceLabels', 'sliceEndpoint',
  'zoneEgressPrice', 'regionEgressPrice', 'internetEgressPrice', 'nodeDisk', 'managementPrice',
]); // prettier-ignore

/** The cluster that a record names. */
export function clusterNamed(
  record: SeriesRecord,
  { clusterLabels, clusterId }: ClusterOptions,
): string {
  const label = clusterLabels.find((name) => record.label(name) !== '');
  return label === undefined ? clusterId : record.label(label);
}

/** Whether a record of the fact counts. @param fact undefined: usage */
export function isRead(less: ReadLess, cluster: string, fact: FactName | undefined): boolean {
  const read = less.get(cluster);
  if (read === undefined) return true;
  return read === 'pods and nodes' && (fact === undefined || !CHARGED_FACTS.has(fact));
}

/**
 * @param decide everything, but of some clusters less
 * @param clustersOf all clusters, once something failed
 * @throws {HeapFull} {ArenaFull} at once; the first error where no cluster is found that causes it
 */
export function decideSparing<Result extends object>(
  decide: (less: ReadLess) => Result,
  clustersOf: () => readonly string[],
): Result & { readonly failures: readonly ClusterFailure[] } {
  const first = attempt(() => decide(new Map()));
  if ('result' in first) return { ...first.result, failures: [] };
  const clusters = clustersOf();
  const failures = new Map<string, ClusterFailure>();
  for (const read of ['pods and nodes', 'nothing'] as const) {
    for (const { cluster, error } of failingOf(clusters, failures, decide))
      failures.set(cluster, { cluster, read, error });
    const again = attempt(() => decide(lessOf(failures)));
    if ('result' in again) return { ...again.result, failures: [...failures.values()] };
  }
  throw first.error;
}

type Failures = ReadonlyMap<string, ClusterFailure>;

function lessOf(failures: Failures, others: readonly string[] = []): ReadLess {
  return new Map([
    ...[...failures].map(([cluster, { read }]) => [cluster, read] as const),
    ...others.map((cluster) => [cluster, 'nothing'] as const),
  ]);
}

/** Clusters that fail by themselves; halves are tried, so that few failing ones of many are found soon. */
function failingOf(
  clusters: readonly string[],
  failures: Failures,
  decide: (less: ReadLess) => unknown,
): { readonly cluster: string; readonly error: string }[] {
  const failing = (some: readonly string[]): { cluster: string; error: string }[] => {
    const others = clusters.filter((cluster) => !some.includes(cluster));
    const tried = attempt(() => decide(lessOf(failures, others)));
    if ('result' in tried) return [];
    const [cluster] = some;
    if (some.length <= 1 || cluster === undefined)
      return cluster === undefined ? [] : [{ cluster, error: textOf(tried.error) }];
    const half = some.length >> 1;
    return [...failing(some.slice(0, half)), ...failing(some.slice(half))];
  };
  return failing(clusters);
}

function attempt<Result>(
  work: () => Result,
): { readonly result: Result } | { readonly error: unknown } {
  try {
    return { result: work() };
  } catch (error) {
    if (error instanceof HeapFull || error instanceof ArenaFull) throw error;
    return { error };
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
