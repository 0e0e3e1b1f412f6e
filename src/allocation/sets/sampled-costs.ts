/**
 * Rows at a resolution. All samples are read, so what a row costs is known; the grid decides only for how
 * long it is billed: a resolution for each point that saw it, at the average of its life in the set.
 */
import {
  columnSpecs,
  createFrame,
  eachNumber,
  mapCodes,
  METER_ROW,
  type Frame,
  type Workspace,
} from '../../columnar/index.ts';
import { HOUR_MS } from '../../query/index.ts';
import type { Resource } from '../inventory/inventory.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Members } from '../ledger/members.ts';
import { INTEGRATED, MEASURED } from '../row/set-columns.ts';
import { SAMPLED_BOUNDS, SAMPLED_COSTS } from '../row/schema.ts';
import { fillMeasures } from './measures.ts';
import { runningMembers, type Running, type SetOfLedger } from './running.ts';

const RESOURCES: readonly Resource[] = ['cpu', 'ram', 'gpu'];
/** What is left of a difference of equal costs is rounding. */
const ROUNDING = 1e-9;

/** Fills the columns of sampled costs, and scales what was integrated to the billed time. */
export function fillSampled(
  space: Workspace,
  ledger: Ledger<Resource>,
  members: Members,
  frame: Frame,
  running: Running,
): void {
  fillBounds(space, ledger, members, frame, running);
  for (const name of INTEGRATED)
    space.engine.kernels.multiplyColumn(
      running.scale.byteOffset,
      frame.rows,
      frame.f64(name).byteOffset,
    );
}

/** What ran between two points: it is billed nowhere, but is not idle. */
export function unseenCosts(
  space: Workspace,
  ledger: Ledger<Resource>,
  members: Members,
  set: SetOfLedger,
): Frame {
  const running = runningMembers(space, members, set, () => false, 'unseen');
  const frame = createFrame(
    space.engine.arena,
    columnSpecs({ texts: NODE_NAMES, numbers: [...MEASURED, ...SAMPLED_BOUNDS] }),
    running.members.length,
    space.owner,
  );
  for (const name of NODE_NAMES)
    mapCodes(space, running.members, members.frame.u32(name), frame.u32(name));
  const allocated = mapCodes(space, running.members, members.frame.u32('allocated'));
  fillMeasures(space, ledger, frame, running.rows, allocated);
  fillBounds(space, ledger, members, frame, running);
  space.engine.arena.free(allocated.byteOffset, allocated.byteLength);
  running.free();
  return frame;
}

const NODE_NAMES = ['cluster', 'node'];

function fillBounds(
  space: Workspace,
  ledger: Ledger<Resource>,
  members: Members,
  frame: Frame,
  running: Running,
): void {
  const { rows, lessMs, moreMs } = running;
  const { kernels } = space.engine;
  const cost = frame.f64('sampledCost').fill(0);
  for (const name of SAMPLED_COSTS)
    kernels.addColumn(frame.f64(name).byteOffset, frame.rows, cost.byteOffset);
  const [least, most] = [frame.f64('sampledCostLeast'), frame.f64('sampledCostMost')];
  const rateOf = largestRate(space, ledger, members);
  rows.forEach((row, i) => {
    const [known, rate] = [cost[i] ?? 0, rateOf(running.members[i] ?? 0, row)];
    const atLeast = known - rate * (lessMs[i] ?? 0);
    least[i] = atLeast > ROUNDING * known ? atLeast : 0;
    most[i] = known + rate * (moreMs[i] ?? 0);
  });
}

/**
 * By member and row of the ledger: the most that a moment of it cost, in USD a ms. Usage that was never
 * seen counts as the largest that was.
 */
function largestRate(
  { engine: { arena } }: Workspace,
  ledger: Ledger<Resource>,
  { frame }: Members,
): (member: number, row: number) => number {
  const parts = RESOURCES.map((resource) => {
    // Usage of GPUs is not charged.
    const usage =
      resource === 'gpu'
        ? () => 0
        : eachNumber(
            arena,
            ledger.rows[resource],
            ledger.rowCount,
            METER_ROW,
            METER_ROW.f64.usageMax,
          );
    const [requests, prices] = [
      frame.f64(`${resource}RequestMax`),
      frame.f64(`${resource}PriceMax`),
    ];
    return (member: number, row: number) =>
      ((prices[member] ?? 0) * Math.max(requests[member] ?? 0, usage(row))) / HOUR_MS;
  });
  return (member, row) => parts.reduce((sum, rate) => sum + rate(member, row), 0);
}
