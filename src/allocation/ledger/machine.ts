/** What a node is made of and where it stands, as its labels and provider id tell. */
import { placeOfNode } from '../../pricing/index.ts';
import type { NodeFacts } from '../inventory/inventory.ts';

/** '' where it is not known. */
export interface Machine {
  readonly instanceType: string;
  readonly region: string;
  readonly zone: string;
  readonly nodePool: string;
}

export const NO_MACHINE: Machine = { instanceType: '', region: '', zone: '', nodePool: '' };

export function machineOf(facts: NodeFacts | undefined): Machine {
  if (facts === undefined) return NO_MACHINE;
  const { region, zone } = placeOfNode(facts);
  return { instanceType: facts.type, region, zone, nodePool: facts.pool };
}
