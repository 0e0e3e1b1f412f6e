/** What an asset's number is made of: lines that add up to its total. */
import { GIB, type Line } from '../costs/made-of.ts';
import { own } from '../costs/own.ts';
import type { Asset } from './asset.ts';

const LINES: Readonly<Record<string, (asset: Asset) => Line[]>> = {
  Node: nodeLines,
  Disk: ({ byteHours = 0, totalCost, adjustment }) => [
    metered('Size', byteHours / GIB, 'GiB h', totalCost - adjustment),
  ],
  LoadBalancer: byHour,
  ClusterManagement: byHour,
};

/** Lines of an asset; they add up to what it costs. */
export function assetLines(asset: Asset): Line[] {
  const { type, totalCost, adjustment } = asset;
  const lines = own(LINES, type)?.(asset) ?? [{ what: 'At list price', cost: totalCost - adjustment }];
  const all = [...lines, { what: 'Adjusted to the bill', cost: adjustment }];
  const some = all.filter(({ cost, hours = 0 }) => cost !== 0 || hours > 0);
  return some.length > 0 ? some : lines;
} // prettier-ignore

/** CPU and RAM are told before discounts, which are what is missing to the total. */
function nodeLines(asset: Asset): Line[] {
  const { cpuCost = 0, ramCost = 0, gpuCost = 0, totalCost, adjustment } = asset;
  const { cpuCoreHours = 0, ramByteHours = 0, GPUHours = 0 } = asset;
  const rest = totalCost - adjustment - cpuCost - ramCost - gpuCost;
  const isNone = Math.abs(rest) <= 1e-9 * Math.max(1, Math.abs(totalCost));
  return [
    metered('CPU', cpuCoreHours, 'core h', cpuCost),
    metered('RAM', ramByteHours / GIB, 'GiB h', ramCost),
    metered('GPU', GPUHours, 'GPU h', gpuCost),
    { what: 'Discount', cost: isNone ? 0 : rest },
  ];
}

function byHour({ minutes, totalCost, adjustment }: Asset): Line[] {
  return [metered('Time', minutes / 60, 'h', totalCost - adjustment)];
}

function metered(what: string, hours: number, unit: string, cost: number): Line {
  return hours > 0 ? { what, hours, unit, price: cost / hours, cost } : { what, cost };
}
