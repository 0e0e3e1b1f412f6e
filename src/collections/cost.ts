/** The costs of collections, added up over days and domains. */
import { sumOf, type Entry } from './entries.ts';
import { Matches, type Domains } from './matches.ts';

/** USD; idle is part of Kubernetes cost. */
export interface Cost {
  readonly kubernetesUsd: number;
  readonly idleUsd: number;
  readonly cloudUsd: number;
}

/** Costs as JSON; domains without cost are left out. */
export interface CostObject {
  readonly totalCost: number;
  readonly idleCost?: number;
  readonly domainCosts: {
    readonly kubernetesCost?: { readonly totalCost: number; readonly idleCost: number };
    readonly cloudCost?: { readonly totalCost: number };
  };
}

const NOTHING: Cost = { kubernetesUsd: 0, idleUsd: 0, cloudUsd: 0 };

/** The cost of a selection on one day. */
export function costOf(matches: Matches, selected: Domains): Cost {
  const { kubernetes, cloud } = selected;
  const taken = [...matches.cloudOfRows(selected).values()];
  return {
    ...costOfRows(kubernetes.entries),
    cloudUsd: taken.reduce((sum, usd) => sum + usd, sumOf(matches.cloudAlone(cloud))),
  };
}

export function costOfRows(entries: readonly Entry[]): Cost {
  const idle = entries.filter(({ isIdle }) => isIdle);
  return { kubernetesUsd: sumOf(entries), idleUsd: sumOf(idle), cloudUsd: 0 };
}

export function addUp(costs: Iterable<Cost>): Cost {
  let sum = NOTHING;
  for (const { kubernetesUsd, idleUsd, cloudUsd } of costs) {
    sum = {
      kubernetesUsd: sum.kubernetesUsd + kubernetesUsd,
      idleUsd: sum.idleUsd + idleUsd,
      cloudUsd: sum.cloudUsd + cloudUsd,
    };
  }
  return sum;
}

export function totalOf({ kubernetesUsd, cloudUsd }: Cost): number {
  return kubernetesUsd + cloudUsd;
}

/** The overlap of the parts, 0 or less: it and their totals add up to the total of the whole. */
export function overlapOf(whole: Cost, parts: readonly Cost[]): number {
  return totalOf(whole) - parts.reduce((sum, part) => sum + totalOf(part), 0);
}

export function costObject(cost: Cost): CostObject {
  const { kubernetesUsd: totalCost, idleUsd: idleCost, cloudUsd } = cost;
  const hasRows = totalCost !== 0 || idleCost !== 0;
  return {
    totalCost: totalOf(cost),
    ...(hasRows ? { idleCost } : {}),
    domainCosts: {
      ...(hasRows ? { kubernetesCost: { totalCost, idleCost } } : {}),
      ...(cloudUsd === 0 ? {} : { cloudCost: { totalCost: cloudUsd } }),
    },
  };
}
