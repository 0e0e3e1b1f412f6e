/**
 * Facts that stand in for others are read only where a cluster lacks those: what OpenCost allocates
 * changes with usage, and endpoints are as many as pods, while most stores have requests and
 * selectors, which say more.
 */
import { RecordReader, type Arena, type Block } from '../../columnar/index.ts';
import { FACTS, type FactName } from '../../metrics/catalogue.ts';
import type { TimeRange } from '../../metrics/index.ts';
import { FACT_NAMES } from './fact-names.ts';
import { first, type ClusterOptions } from '../inventory/inventory.ts';

export interface SubstitutesInput extends ClusterOptions {
  /** Where samples count. */
  readonly counted: TimeRange;
  readonly gapMs: number;
  readonly facts: readonly { readonly fact: FactName; readonly blocks: readonly Block[] }[];
}

/** Facts that tell which clusters there are, of few series. */
const OF_CLUSTERS: readonly FactName[] = ['nodeInfo', 'nodeCpuPrice'];

/** Whether it is read only once it is known that others lack something. */
export function isSubstitute(fact: FactName): boolean {
  const { insteadOf, isForGaps } = FACTS[fact];
  return insteadOf !== undefined || isForGaps === true;
}

/** The substitutes to read, now that all else is. */
export function neededSubstitutes(arena: Arena, input: SubstitutesInput): FactName[] {
  const blocksOf = new Map(input.facts.map(({ fact, blocks }) => [fact, blocks]));
  const reader = new RecordReader(arena);
  const clustersIn = function* (fact: FactName): Generator<string, void> {
    for (const record of reader.read(blocksOf.get(fact) ?? [])) {
      yield first(record, input.clusterLabels) || input.clusterId;
    }
  };
  const clusters = new Set(OF_CLUSTERS.flatMap((fact) => [...clustersIn(fact)]));
  const lacking = new Map<FactName, boolean>();
  return FACT_NAMES.filter((fact) => {
    const { insteadOf } = FACTS[fact];
    if (insteadOf === undefined) return false;
    const isLacking = lacking.get(insteadOf) ?? lacks(clustersIn(insteadOf), clusters);
    lacking.set(insteadOf, isLacking);
    return isLacking;
  });
}

/** Whether a cluster is not among those that are told; or none is told at all. */
function lacks(told: Iterable<string>, clusters: ReadonlySet<string>): boolean {
  const untold = new Set(clusters);
  for (const cluster of told) {
    untold.delete(cluster);
    if (untold.size === 0) return false;
  }
  return true;
}
