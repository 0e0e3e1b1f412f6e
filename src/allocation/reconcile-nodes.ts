/**
 * What a billed node costs is divided like its list price over CPU, RAM and GPU; of each resource, a
 * row costs as much more or less as the node does:
 *
 *   billed of r = billed · list of r / Σ list          list of r: what the set's prices make of it
 *   row         = row's list · billed of r / max(list of r, Σ rows' list)
 *   idle        = billed of r − Σ rows
 *
 * So rows and idle add up to what was billed. Where rows exceed the node they share what was billed,
 * and the overage is part of their adjustment. A node without list prices is divided by hours.
 */
import type { Table } from '../columnar/index.ts';
import type { ByResource, ChargedAsset } from './charged-asset.ts';
import type { Rewrite } from './overlay.ts';
import type { RowsBy } from './rows-by.ts';

const RESOURCES = [
  { cost: 'cpuCost', hours: 'cpuCoreHours', adjustment: 'cpuCostAdjustment' },
  { cost: 'ramCost', hours: 'ramByteHours', adjustment: 'ramCostAdjustment' },
  { cost: 'gpuCost', hours: 'gpuHours', adjustment: 'gpuCostAdjustment' },
] as const;

/** What is left of a difference of equal sums is rounding. */
const ROUNDING = 1e-12;

/** @param table the rows, with costs and hours; `rewrite` gets the adjustments */
export function reconcileNodes(
  table: Table,
  rewrite: Rewrite,
  rows: RowsBy,
  nodes: readonly ChargedAsset[],
): void {
  const columns = RESOURCES.map(({ cost, hours }) => ({
    cost: table.numbers(cost)?.values,
    hours: table.numbers(hours)?.values,
  }));
  for (const node of nodes) {
    const [workloads = [], unmounted = [], idle = []] = rows.onNode(node.cluster, node.node);
    const tenants = [...workloads, ...unmounted];
    const isPriced = node.costs.some((usd) => usd > 0);
    const amounts = isPriced ? node.costs : node.hours;
    RESOURCES.forEach(({ adjustment }, resource) => {
      const cost = columns[resource]?.cost;
      const basis = isPriced ? cost : columns[resource]?.hours;
      const adjustments = rewrite.column(adjustment);
      const adjust = (row: number, usd: number): void => {
        adjustments[row] = (adjustments[row] ?? 0) + usd - (cost?.[row] ?? 0);
      };
      const billed = billedOf(node, isPriced)[resource] ?? 0;
      const used = tenants.reduce((sum, row) => sum + (basis?.[row] ?? 0), 0);
      const whole = Math.max(amounts[resource] ?? 0, used);
      const rate = whole > 0 ? billed / whole : 0;
      for (const row of tenants) adjust(row, (basis?.[row] ?? 0) * rate);
      const left = billed - used * rate;
      let rest = Math.abs(left) < ROUNDING * Math.abs(billed) ? 0 : left;
      for (const row of idle) {
        adjust(row, rest);
        rest = 0;
      }
    });
  }
}

/** USD by resource. */
function billedOf({ billed, costs, hours }: ChargedAsset, isPriced: boolean): ByResource {
  const parts: ByResource = isPriced ? costs : [Math.sign(hours[0]), Math.sign(hours[1]), Math.sign(hours[2])]; // prettier-ignore
  const whole = parts[0] + parts[1] + parts[2];
  const usd = billed ?? 0;
  if (whole === 0) return [usd, 0, 0];
  return [(usd * parts[0]) / whole, (usd * parts[1]) / whole, (usd * parts[2]) / whole];
}
