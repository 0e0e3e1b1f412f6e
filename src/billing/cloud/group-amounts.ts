/** Amounts of groups of cloud charges. */
import { orderGroups, type ChargeGroups } from '../charges/index.ts';
import { partOf } from './kubernetes-part.ts';
import { COLUMN_OF, type CostMetric } from './schema.ts';

export interface CloudAmount {
  /** USD. */
  readonly cost: number;
  /** The part of the cost that Kubernetes has; 0 where the cost is not above 0. */
  readonly kubernetesPercent: number;
}

export function amountOf(groups: ChargeGroups, group: number, metric: CostMetric): CloudAmount {
  return amountOfAll(groups, [group], metric);
}

/** The amount of several groups together: the part of Kubernetes is weighted by cost. */
export function amountOfAll(
  groups: ChargeGroups,
  of: readonly number[],
  metric: CostMetric,
): CloudAmount {
  const column = COLUMN_OF[metric];
  const sum = (measure: string): number =>
    of.reduce((total, group) => total + groups.sum(measure, group), 0);
  const cost = sum(column);
  return { cost, kubernetesPercent: cost > 0 ? sum(partOf(column)) / cost : 0 };
}

/** All groups of a window, highest cost first. */
export function highestCostFirst(
  groups: ChargeGroups,
  window: number,
  metric: CostMetric,
): number[] {
  const whole = { limit: null, offset: 0, isAscending: false };
  return orderGroups(groups, window, whole, (group) => amountOf(groups, group, metric).cost);
}
