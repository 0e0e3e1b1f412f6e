/** What is paid of list prices: steps from the list price to a cost, which add up to it. */
import type { Line } from '../costs/made-of.ts';
import type { Metric, Sums } from './cloud-costs.ts';

type Costs = Readonly<Record<Metric, number>>;

/** From the list price to what a metric counts; lines add up to it. */
export function stepsTo(metric: Metric, costs: Costs): Line[] {
  const { listCost, netCost, amortizedNetCost } = costs;
  const steps: Line[] = [{ what: 'At list price', cost: listCost }];
  if (metric === 'listCost') return steps;
  steps.push(step(netCost - listCost, 'Discounts', 'Billed beyond list price'));
  if (metric === 'amortizedNetCost') {
    const says = 'Paid in advance at another time';
    steps.push(step(amortizedNetCost - netCost, says, says));
  }
  return steps.filter(({ cost }, at) => at === 0 || cost !== 0);
}

function step(usd: number, less: string, more: string): Line {
  return { what: usd > 0 ? more : less, cost: usd };
}

export interface Reconciled {
  readonly what: string;
  readonly list: number;
  readonly paid: number;
  /** List price less what is paid. */
  readonly below: number;
}

/** Assets of clusters: at list price, and as the bill has them. */
export interface AssetTotals {
  readonly totalCost: number;
  readonly adjustment: number;
}

/** All of the bill, what of it is in Kubernetes, the rest; and what this server says of its clusters' assets. */
export function reconciled(
  sums: Sums,
  metric: Metric,
  assets: AssetTotals | undefined,
): readonly Reconciled[] {
  const [list, paid] = [sums.listCost, sums[metric]];
  const rows = [
    row('the whole bill', list.usd, paid.usd),
    row('in Kubernetes', list.inKubernetes, paid.inKubernetes),
    row('outside of Kubernetes', list.usd - list.inKubernetes, paid.usd - paid.inKubernetes),
  ];
  if (assets === undefined) return rows;
  const { totalCost, adjustment } = assets;
  return [...rows, row('assets of clusters, as this server counts them', totalCost - adjustment, totalCost)];
} // prettier-ignore

function row(what: string, list: number, paid: number): Reconciled {
  return { what, list, paid, below: list - paid };
}

/** `12 % less than list price`; '' where there is no list price. */
export function belowWords(below: number, list: number, percent: (part: number) => string): string {
  if (!(list > 0)) return '';
  const part = below / list;
  if (Math.abs(part) < 0.0005) return 'list price';
  return `${percent(Math.abs(part))} ${part > 0 ? 'less' : 'more'} than list price`;
}
