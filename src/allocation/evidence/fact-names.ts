/** Which facts are read. */
import { FACTS, LABEL_NAMES, type FactName } from '../../metrics/catalogue.ts';

/** Facts in the order they are read: what comes first decides where sources disagree. */
export const FACT_NAMES: readonly FactName[] = Object.keys(FACTS) as FactName[];

/** Facts that are read only where idle is asked for. */
const OF_BILLED_NODES: readonly FactName[] = ['nodeCreated'];
/** Facts that are read only where sets are built. */
const OF_ASSETS: readonly FactName[] = ['nodeDisk', 'managementPrice'];

/** What sums are made for. */
interface Purpose {
  readonly billsNodes: boolean;
  readonly buildsSets: boolean;
}

export function factsFor({ billsNodes, buildsSets }: Purpose): FactName[] {
  return FACT_NAMES.filter(
    (name) =>
      (billsNodes || !OF_BILLED_NODES.includes(name)) && (buildsSets || !OF_ASSETS.includes(name)),
  );
}

/** Labels of a fact's series that are kept. */
export function labelsKept(name: FactName, { buildsSets }: Purpose): readonly string[] {
  const { keep, keepForSets = [] } = FACTS[name];
  return buildsSets ? [...keep, ...keepForSets] : keep;
}

/** The stored labels that tell which pod a series is of. */
export function identityLabels(clusterLabels: readonly string[]): string[] {
  return [...clusterLabels, ...LABEL_NAMES.namespace, ...LABEL_NAMES.pod, 'uid'];
}
