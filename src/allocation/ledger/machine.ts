/** What a node is made of and where it stands, as its labels and provider id tell, and when it was there. */
import { placeOfNode } from '../../pricing/index.ts';
import type { NodeFacts } from '../inventory/inventory.ts';
import type { Life, LifeLimits } from '../inventory/presence.ts';

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

/** It is gone when another machine has its name. */
export function machineLife(facts: NodeFacts, limits: LifeLimits): Life | undefined {
  const { presence, untilMs } = facts;
  const goneBy = { endMs: untilMs, uncertaintyMs: 0, source: 'nodeEnd' } as const;
  return presence.life(untilMs === Infinity ? limits : { ...limits, goneBy });
}
