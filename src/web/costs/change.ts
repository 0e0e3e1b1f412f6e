/**
 * Why a cost changed, in parts that add up to the change:
 *
 *     cost = price × size × hours      of CPU, RAM and GPUs each
 *     Δ    = Δprice + Δsize + Δhours   each at the mean of the other factors
 *
 * A workload that was not there before is new whole, one that is not there now is gone whole. All else that it
 * costs (disks, network, …) changed by its difference.
 */
import { GIB, type DetailRow } from './made-of.ts';

export type Reason =
  | 'new'
  | 'gone'
  | 'price'
  | 'hours'
  | 'requests'
  | 'usage'
  | 'disk'
  | 'network'
  | 'balancer'
  | 'shared'
  | 'external'
  | 'idle'
  | 'bill';

export interface Change {
  readonly name: string;
  readonly before: number;
  readonly now: number;
  readonly usd: number;
  /** Not zero; they add up to `usd`, the largest first. */
  readonly parts: readonly { readonly reason: Reason; readonly usd: number }[];
  readonly rowBefore: DetailRow | undefined;
  readonly rowNow: DetailRow | undefined;
}

interface Meter {
  readonly cost: number;
  /** Hours of cores, GiB or GPUs. */
  readonly amount: number;
  /** What was asked for on the average, in the same unit. */
  readonly requested: number;
}

const METERS: readonly ((row: DetailRow) => Meter)[] = [
  (row) => ({
    cost: row.cpuCost - row.cpuCostIdle,
    amount: row.cpuCoreHours,
    requested: row.cpuCoreRequestAverage,
  }),
  (row) => ({
    cost: row.ramCost - row.ramCostIdle,
    amount: row.ramByteHours / GIB,
    requested: row.ramByteRequestAverage / GIB,
  }),
  (row) => ({
    cost: row.gpuCost - row.gpuCostIdle,
    amount: row.gpuHours,
    requested: row.minutes > 0 ? row.gpuHours / (row.minutes / 60) : 0,
  }),
];

const PLAIN: readonly (readonly [Reason, (row: DetailRow) => number])[] = [
  ['disk', (row) => row.pvCost],
  ['network', (row) => row.networkCost],
  ['balancer', (row) => row.loadBalancerCost],
  ['shared', (row) => row.sharedCost],
  ['external', (row) => row.externalCost],
  ['idle', (row) => row.cpuCostIdle + row.ramCostIdle + row.gpuCostIdle],
  [
    'bill',
    (row) =>
      row.cpuCostAdjustment +
      row.gpuCostAdjustment +
      row.ramCostAdjustment +
      row.pvCostAdjustment +
      row.networkCostAdjustment +
      row.loadBalancerCostAdjustment,
  ],
];

/** @param before the row of the time before; absent: it was not there */
export function changeOf(
  name: string,
  before: DetailRow | undefined,
  now: DetailRow | undefined,
): Change {
  const [costBefore, costNow] = [before?.totalCost ?? 0, now?.totalCost ?? 0];
  const usd = costNow - costBefore;
  const parts = reasons(before, now, usd)
    .filter((part) => part.usd !== 0)
    .toSorted((a, b) => Math.abs(b.usd) - Math.abs(a.usd));
  const rows = { rowBefore: before, rowNow: now };
  return { name, before: costBefore, now: costNow, usd, parts, ...rows };
}

function reasons(
  before: DetailRow | undefined,
  now: DetailRow | undefined,
  usd: number,
): { reason: Reason; usd: number }[] {
  if (before === undefined) return [{ reason: 'new', usd }];
  if (now === undefined) return [{ reason: 'gone', usd }];
  const sums = new Map<Reason, number>();
  const add = (reason: Reason, amount: number): void => {
    sums.set(reason, (sums.get(reason) ?? 0) + amount);
  };
  for (const meter of METERS) {
    const hours = [before.minutes / 60, now.minutes / 60] as const;
    for (const [reason, amount] of meterChange(meter(before), meter(now), hours)) {
      add(reason, amount);
    }
  }
  for (const [reason, costOf] of PLAIN) add(reason, costOf(now) - costOf(before));
  return [...sums].map(([reason, amount]) => ({ reason, usd: amount }));
}

type Part = readonly [Reason, number];

/** Each factor's change at the mean of the others, so that neither order counts more. */
function meterChange(
  before: Meter,
  now: Meter,
  [hoursBefore, hoursNow]: readonly [number, number],
): readonly Part[] {
  const usd = now.cost - before.cost;
  // What cost nothing had no price, and what has no hours no size.
  if (!(before.amount > 0 && now.amount > 0 && hoursBefore > 0 && hoursNow > 0)) {
    return [['requests', usd]];
  }
  const [priceBefore, priceNow] = [before.cost / before.amount, now.cost / now.amount];
  const [sizeBefore, sizeNow] = [before.amount / hoursBefore, now.amount / hoursNow];
  const price = (priceNow - priceBefore) * mean(before.amount, now.amount);
  const ofAmount = mean(priceBefore, priceNow);
  const hours = (hoursNow - hoursBefore) * mean(sizeBefore, sizeNow) * ofAmount;
  const size = usd - price - hours;
  // Beyond what is asked for it is what was used.
  const asked = now.requested - before.requested;
  const requests = asked * mean(hoursBefore, hoursNow) * ofAmount;
  return [
    ['price', price],
    ['hours', hours],
    ['requests', requests],
    ['usage', size - requests],
  ];
}

function mean(a: number, b: number): number {
  return (a + b) / 2;
}

/** Sums of reasons over all changes; they add up to the change of the whole. */
export function reasonsOf(changes: readonly Change[]): { reason: Reason; usd: number }[] {
  const sums = new Map<Reason, number>();
  for (const { parts } of changes) {
    for (const { reason, usd } of parts) sums.set(reason, (sums.get(reason) ?? 0) + usd);
  }
  return [...sums]
    .map(([reason, usd]) => ({ reason, usd }))
    .toSorted((a, b) => Math.abs(b.usd) - Math.abs(a.usd));
}
