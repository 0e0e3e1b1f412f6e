/**
 * Idle: what nodes cost beyond the allocations on them, for each node and resource, never negative.
 * Where allocations exceed a node (usage bursts beyond what it has), the excess is the overage:
 *
 *   Σ allocations + Σ idle = Σ node assets + overage + Σ allocations on no known node
 */
import { frameTable, type Frame, type Table, type Texts } from '../../columnar/index.ts';
import { OnNodes } from './on-nodes.ts';

const COSTS = ['cpuCost', 'ramCost', 'gpuCost'] as const;
const HOURS = ['cpuCoreHours', 'ramByteHours', 'gpuHours'] as const;
/** An idle row asks for nothing. */
const REQUESTS = ['cpuCoreRequestHours', 'ramByteRequestHours'] as const;

/** What is left of a difference of equal sums is rounding. */
const ROUNDING = 1e-12;
const ADDS_UP = 1e-9;

/**
 * Makes idle rows of node assets, in place: of hours and costs remains what no allocation on the
 * node has. On a grid the bounds of the cost are the node's without those of the allocations.
 *
 * @param assets rows of one set, one a node, as set-rows.ts gives them
 * @param allocations rows of the same set
 * @returns the overage, USD
 * @throws {Error} starting with BUG when the identity does not hold to 1e-9
 */
export function leaveIdle(assets: Frame, texts: Texts, allocations: readonly Table[]): number {
  const nodes = frameTable(assets, texts);
  const used = new OnNodes(nodes, allocations);
  const assetUsd = costOf(assets);
  if (assets.has('sampledCostLeast')) leaveBounds(assets, nodes, used, allocations);
  let overageUsd = 0;
  for (const name of COSTS) overageUsd += leave(assets.f64(name), used.sums(name));
  for (const name of HOURS) leave(assets.f64(name), used.sums(name));
  for (const name of REQUESTS) assets.f64(name).fill(0);
  const [allUsd, elsewhereUsd] = [false, true].map((elsewhereOnly) =>
    COSTS.reduce((sum, name) => sum + used.total(name, elsewhereOnly), 0),
  );
  assertEqual(
    (allUsd ?? NaN) + costOf(assets),
    assetUsd + overageUsd + (elsewhereUsd ?? NaN),
    'allocations + idle, and node assets + overage + allocations elsewhere,',
  );
  return overageUsd;
}

/** Takes what is used from what there is. @returns how much more was used, in all */
function leave(there: Float64Array, used: Float64Array): number {
  let over = 0;
  there.forEach((amount, row) => {
    const left = amount - (used[row] ?? 0);
    const isNothing = Math.abs(left) < ROUNDING * amount;
    there[row] = isNothing ? 0 : Math.max(0, left);
    if (!isNothing && left < 0) over -= left;
  });
  return over;
}

/** At least what the node cost at least without the most that was used on it, and the reverse. */
function leaveBounds(
  assets: Frame,
  nodes: Table,
  used: OnNodes,
  allocations: readonly Table[],
): void {
  const columns = ['sampledCostLeast', 'sampledCostMost'] as const;
  const own = columns.map((name) => weightsOf(nodes, name));
  const others = columns.map((name) => allocations.map((table) => weightsOf(table, name)));
  columns.forEach((column, bound) => {
    const target = assets.f64(column).fill(0);
    for (const cost of COSTS) {
      const taken = used.sums(cost, others[1 - bound]);
      assets.f64(cost).forEach((amount, row) => {
        const left = amount * (own[bound]?.[row] ?? 0) - (taken[row] ?? 0);
        target[row] = (target[row] ?? 0) + Math.max(0, left);
      });
    }
  });
}

/** A bound of each row's cost over the cost: it holds for each resource alike. */
function weightsOf(table: Table, bound: string): Float64Array {
  const bounds = table.numbers(bound)?.values;
  const costs = COSTS.map((name) => table.numbers(name)?.values);
  return new Float64Array(table.rows).map((_, row) => {
    const cost = costs.reduce((sum, column) => sum + (column?.[row] ?? 0), 0);
    return cost > 0 ? (bounds?.[row] ?? 0) / cost : 0;
  });
}

function costOf(frame: Frame): number {
  return COSTS.reduce((sum, name) => frame.f64(name).reduce((total, cost) => total + cost, sum), 0);
}

/** Prices without end make sums that cannot be compared; they are shown as null. */
function assertEqual(left: number, right: number, what: string): void {
  if (!Number.isFinite(right) || Math.abs(left - right) <= ADDS_UP * Math.abs(right)) return;
  throw new Error(`BUG: ${what} are ${left} and ${right} USD`);
}
