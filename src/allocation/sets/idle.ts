/**
 * Idle: what nodes cost beyond the allocations on them, for each node and resource, never negative.
 * Where allocations exceed a node (usage bursts beyond what it has), the excess is the overage:
 *
 *   Σ allocations + Σ idle = Σ node assets + overage + Σ allocations on no known node
 */
import {
  frameTable,
  textReader,
  type Frame,
  type Table,
  type Texts,
} from '../../columnar/index.ts';
import { NODE_COSTS, NODE_HOURS } from '../../assets/columns.ts';
import { SAMPLED_BOUNDS } from '../row/schema.ts';
import { AllocationsByNode } from './allocations-by-node.ts';
import type { Excess } from './excess.ts';

/** An idle row has no requests. */
const REQUESTS = ['cpuCoreRequestHours', 'ramByteRequestHours', 'gpuRequestHours'] as const;

/** A smaller part of a sum is rounding. */
const ROUNDING = 1e-12;
const ADDS_UP = 1e-9;

/**
 * Turns node assets into idle rows, in place: hours and costs less those of the allocations on the
 * node. On a grid the bounds of the cost are the node's less those of the allocations.
 *
 * @param assets rows of one set, one a node, as set-rows.ts gives them
 * @param allocations rows of the same set
 * @param unseen what ran between the points of a grid, as `unseenCosts` gives it
 * @returns what allocations cost beyond the assets
 * @throws {Error} starting with BUG when the identity does not hold to 1e-9
 */
export function leaveIdle(
  assets: Frame,
  texts: Texts,
  allocations: readonly Table[],
  unseen: readonly Table[] = [],
): Excess {
  const nodes = frameTable(assets, texts);
  const used = new AllocationsByNode(nodes, allocations);
  const assetUsd = costOf(assets);
  if (assets.has('sampledCostLeast')) leaveBounds(assets, nodes, [...allocations, ...unseen]);
  const over = new Float64Array(assets.rows);
  let overageUsd = 0;
  for (const name of NODE_COSTS) overageUsd += leave(assets.f64(name), used.sums(name), over);
  for (const name of NODE_HOURS) leave(assets.f64(name), used.sums(name));
  for (const name of REQUESTS) assets.f64(name).fill(0);
  const [allUsd = NaN, elsewhereUsd = NaN] = [false, true].map((elsewhereOnly) =>
    NODE_COSTS.reduce((sum, name) => sum + used.total(name, elsewhereOnly), 0),
  );
  assertEqual(
    allUsd + costOf(assets),
    assetUsd + overageUsd + elsewhereUsd,
    'allocations + idle, and node assets + overage + allocations elsewhere,',
  );
  return { overageUsd, elsewhereUsd, exceeded: namesOf(nodes, over) };
}

/** Nodes with an amount, as `cluster/node`. */
function namesOf(nodes: Table, amounts: Float64Array): string[] {
  const [clusters, names] = [textReader(nodes, 'cluster'), textReader(nodes, 'node')];
  const found: string[] = [];
  amounts.forEach((amount, row) => {
    if (amount > 0) found.push(`${clusters(row)}/${names(row)}`);
  });
  return found;
}

/** Subtracts what is used. @param byRow gets the same by row @returns by how much usage exceeds what there is */
function leave(there: Float64Array, used: Float64Array, byRow?: Float64Array): number {
  let over = 0;
  there.forEach((amount, row) => {
    const left = amount - (used[row] ?? 0);
    const isNothing = Math.abs(left) < ROUNDING * amount;
    there[row] = isNothing ? 0 : Math.max(0, left);
    if (isNothing || left >= 0) return;
    over -= left;
    if (byRow) byRow[row] = (byRow[row] ?? 0) - left;
  });
  return over;
}

/**
 * Idle by all samples, and how far it can be off: by as much as its node, and as all that ran on it
 * together, as each can be off in any of its resources.
 */
function leaveBounds(assets: Frame, nodes: Table, allocations: readonly Table[]): void {
  const used = new AllocationsByNode(nodes, allocations);
  const [cost, least, most] = SAMPLED_BOUNDS.map((name) => assets.f64(name)) as [
    Known,
    Known,
    Known,
  ];
  const sumOfUsed = (name: string): Float64Array => used.sums(name);
  const [usedCost, usedLeast, usedMost] = SAMPLED_BOUNDS.map(sumOfUsed) as [Known, Known, Known];
  const less = cost.map(
    (known, row) => known - at(least, row) + at(usedMost, row) - at(usedCost, row),
  );
  const more = cost.map(
    (known, row) => at(most, row) - known + at(usedCost, row) - at(usedLeast, row),
  );
  const own = weightsOf(nodes);
  const others = allocations.map(weightsOf);
  cost.fill(0);
  for (const name of NODE_COSTS) {
    const taken = used.sums(name, others);
    assets.f64(name).forEach((amount, row) => {
      cost[row] = at(cost, row) + Math.max(0, amount * at(own, row) - at(taken, row));
    });
  }
  cost.forEach((known, row) => {
    least[row] = Math.max(0, known - at(less, row));
    most[row] = known + at(more, row);
  });
}

type Known = Float64Array<ArrayBufferLike>;

function at(column: Float64Array, row: number): number {
  return column[row] ?? 0;
}

/** What each row's costs are by all samples over what is billed: alike for each resource. */
function weightsOf(table: Table): Float64Array {
  const sampled = table.numbers('sampledCost')?.values;
  const costs = NODE_COSTS.map((name) => table.numbers(name)?.values);
  return new Float64Array(table.rows).map((_, row) => {
    const cost = costs.reduce((sum, column) => sum + (column?.[row] ?? 0), 0);
    return cost > 0 ? (sampled?.[row] ?? 0) / cost : 0;
  });
}

function costOf(frame: Frame): number {
  return NODE_COSTS.reduce(
    (sum, name) => frame.f64(name).reduce((total, cost) => total + cost, sum),
    0,
  );
}

/** Infinite prices make sums that cannot be compared; they are shown as null. */
function assertEqual(left: number, right: number, what: string): void {
  if (!Number.isFinite(right) || Math.abs(left - right) <= ADDS_UP * Math.abs(right)) return;
  throw new Error(`BUG: ${what} are ${left} and ${right} USD`);
}
