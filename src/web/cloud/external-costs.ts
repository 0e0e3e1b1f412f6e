/** Charges of others than the cloud, as the API tells them. */
import { spanOf, type WindowText } from '../costs/periods.ts';
import { sumOf, type Series } from '../costs/series.ts';

export interface ExternalCost {
  /** What it is grouped by. */
  readonly aggregate: string;
  readonly cost: number;
  readonly billedCost: number;
  readonly listCost: number;
  /** 0 where units differ. */
  readonly usage_quantity: number;
  readonly usage_unit: string;
  /** Texts in which its charges differ are ''. */
  readonly account_name: string;
  readonly charge_category: string;
  readonly cost_source: string;
  readonly domain: string;
  readonly description: string;
  readonly resource_name: string;
  readonly resource_type: string;
}

export interface ExternalEntry {
  readonly window: WindowText;
  readonly totalCost: number;
  readonly totalBilledCost: number;
  readonly totalListCost: number;
  readonly customCosts: readonly ExternalCost[];
}

export interface ExternalSeries {
  readonly timeseries: readonly ExternalEntry[];
}

/** Costs of groups, entry by entry; totals are of all groups, also of those that were not asked for. */
export function externalSeries({ timeseries }: ExternalSeries): Series {
  const byName = new Map<string, Float64Array>();
  for (const [at, { customCosts }] of timeseries.entries()) {
    for (const { aggregate, cost } of customCosts) {
      let costs = byName.get(aggregate);
      if (costs === undefined) {
        byName.set(aggregate, (costs = new Float64Array(timeseries.length)));
      }
      costs[at] = (costs[at] ?? 0) + cost;
    }
  }
  return {
    spans: timeseries.map(({ window }) => spanOf(window)),
    byName,
    idle: new Float64Array(timeseries.length),
    totals: Float64Array.from(timeseries, ({ totalCost }) => totalCost),
  };
}

export function hasCharges(series: Series): boolean {
  return series.byName.size > 0 || sumOf(series.totals) !== 0;
}
