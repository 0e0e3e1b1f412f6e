/**
 * Rows at a resolution. All samples are read, so what a row costs is known; the grid decides only for how
 * long it is billed: a resolution for each point that saw it, at the average of its life in the set.
 */
import {
  columnSpecs,
  createFrame,
  eachNumber,
  HIDDEN_ROW,
  mapCodes,
  METER_ROW,
  type Frame,
  type Workspace,
} from '../../columnar/index.ts';
import { HOUR_MS } from '../../query/index.ts';
import type { Resource } from '../inventory/inventory.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Account } from '../ledger/decide.ts';
import { bitOf, openMembers, SIZED_BIT, type Members } from '../ledger/members.ts';
import type { CodedFrame } from '../row/coded-frame.ts';
import { INTEGRATED, MEASURED } from '../row/set-columns.ts';
import {
  IDENTITY_COLUMNS,
  NAME_PARTS,
  SAMPLED_BOUNDS,
  SAMPLED_COSTS,
  TEXT_COLUMNS,
} from '../row/schema.ts';
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

/**
 * What ran between two points, or may have run in the set before its first or after its last sample: it is
 * billed nowhere, but is not idle, and its group may have cost as much.
 */
export function unseenRows(
  space: Workspace,
  ledger: Ledger<Resource>,
  members: Members,
  set: SetOfLedger,
): Frame {
  const { arena, kernels } = space.engine;
  const running = runningMembers(space, members, set, () => false, 'unseen');
  const frame = createFrame(arena, UNSEEN_COLUMNS, running.members.length, space.owner);
  for (const name of UNSEEN_TEXTS)
    mapCodes(space, running.members, members.frame.u32(name), frame.u32(name));
  frame.f64('startMs').set(running.startsMs);
  frame.f64('endMs').set(running.endsMs);
  const allocated = mapCodes(space, running.members, members.frame.u32('allocated'));
  fillMeasures(space, ledger, frame, running.rows, allocated);
  for (const name of INTEGRATED)
    kernels.multiplyColumn(running.scale.byteOffset, frame.rows, frame.f64(name).byteOffset);
  fillBounds(space, ledger, members, frame, running);
  arena.free(allocated.byteOffset, allocated.byteLength);
  running.free();
  return frame;
}

const UNSEEN_TEXTS = [...IDENTITY_COLUMNS, ...TEXT_COLUMNS];
const UNSEEN_COLUMNS = columnSpecs({
  texts: UNSEEN_TEXTS,
  numbers: ['startMs', 'endMs', ...MEASURED, ...SAMPLED_BOUNDS],
});

/** What no point of a grid saw, in any of its sets. */
export interface Unseen {
  readonly containers: number;
  /** Some of them only may have run. */
  readonly mayHaveRun: boolean;
  /** What they cost by all samples. */
  readonly usd: number;
  readonly clusters: readonly string[];
}

export const NOTHING_UNSEEN: Unseen = { containers: 0, mayHaveRun: false, usd: 0, clusters: [] };

/** @param sets of one grid */
export function unseenIn(
  space: Workspace,
  accounts: readonly Pick<Account, 'ledger' | 'members'>[],
  sets: readonly SetOfLedger[],
): Unseen {
  const { arena } = space.engine;
  const clusters = new Set<string>();
  let [containers, usd] = [0, 0];
  let mayHaveRun = false;
  for (const { ledger, members: at } of accounts) {
    const members = openMembers(arena, at);
    const isSeen = new Uint8Array(members.frame.rows);
    const unseen = new Set<number>();
    for (const set of sets) {
      const running = runningMembers(space, members, set, () => false);
      for (const member of running.members) isSeen[member] = 1;
      running.free();
    }
    const costOf = costOfRow(space, ledger, members);
    const clustersOf = members.frame.u32('cluster');
    const isInDoubt = members.frame.u32('mayHaveRun');
    for (const set of sets) {
      const running = runningMembers(space, members, set, () => false, 'unseen');
      running.members.forEach((member, i) => {
        if (isSeen[member] === 1) return;
        if (running.scale[i] !== 0) usd += costOf(member, running.rows[i] ?? 0);
        mayHaveRun ||= isInDoubt[member] === 1;
        clusters.add(members.dictionary.text(clustersOf[member] ?? 0));
        unseen.add(member);
      });
      running.free();
    }
    containers += unseen.size;
  }
  return { containers, mayHaveRun, usd, clusters: [...clusters].sort() };
}

/** Adds the bounds of unseen rows to rows of the same name, such as another life of a pod. */
export function addNamesakes(seen: CodedFrame | undefined, unseen: CodedFrame): void {
  if (seen === undefined || unseen.frame.rows === 0) return;
  const columns = NAME_PARTS.map((name) => [seen.frame.u32(name), unseen.frame.u32(name)] as const);
  const [pods] = columns[NAME_PARTS.indexOf('pod')] ?? [];
  const places = new Map<string, number>();
  const keyOf = (side: 0 | 1, row: number): string =>
    columns.map((column) => column[side][row]).join();
  const named = new Uint8Array(unseen.texts.size);
  for (let row = 0; row < unseen.frame.rows; row++) {
    places.set(keyOf(1, row), NaN);
    named[unseen.frame.u32('pod')[row] ?? 0] = 1;
  }
  pods?.forEach((code, row) => {
    if (named[code] !== 1) return;
    const key = keyOf(0, row);
    if (places.has(key)) places.set(key, row);
  });
  for (const name of SAMPLED_BOUNDS) {
    const [from, to] = [unseen.frame.f64(name), seen.frame.f64(name)];
    from.forEach((usd, row) => {
      const place = places.get(keyOf(1, row)) ?? NaN;
      if (place === place) to[place] = (to[place] ?? 0) + usd;
    });
  }
}

function fillBounds(
  space: Workspace,
  ledger: Ledger<Resource>,
  members: Members,
  frame: Frame,
  running: Running,
): void {
  const { rows, lessMs, moreMs, scale } = running;
  const { kernels } = space.engine;
  const cost = frame.f64('sampledCost').fill(0);
  for (const name of SAMPLED_COSTS)
    kernels.addColumn(frame.f64(name).byteOffset, frame.rows, cost.byteOffset);
  const [least, most] = [frame.f64('sampledCostLeast'), frame.f64('sampledCostMost')];
  const rates = RESOURCES.map((resource) => largestRate(space, ledger, members, resource));
  const restarts = restartCosts(space, ledger, members);
  const early = hiddenField(space, ledger, 'cpu', 'earlyCost');
  rows.forEach((row, i) => {
    const [known, member] = [cost[i] ?? 0, running.members[i] ?? 0];
    const rate = rates.reduce((sum, of) => sum + of(member, row), 0);
    const isThere = scale[i] !== 0;
    const atLeast = known - rate * (lessMs[i] ?? 0) - (isThere ? early(row) / HOUR_MS : 0);
    const missed = isThere ? restarts(member, row) : 0;
    least[i] = atLeast > ROUNDING * known ? atLeast : 0;
    most[i] = known + missed + rate * (moreMs[i] ?? 0);
  });
}

/** By member and row of the ledger. */
type OfRow = (member: number, row: number) => number;

/** What CPU, RAM and GPU cost by all samples, in USD, as `fillMeasures` has it. */
function costOfRow(space: Workspace, ledger: Ledger<Resource>, { frame }: Members): OfRow {
  const allocated = frame.u32('allocated');
  const fieldOf = (resource: Resource, field: 'requestCost' | 'excessCost') =>
    meterField(space, ledger, resource, field);
  const costs = RESOURCES.map((resource): OfRow => {
    const [request, excess] = [fieldOf(resource, 'requestCost'), fieldOf(resource, 'excessCost')];
    const uncharged = bitOf(resource) | SIZED_BIT;
    return (member, row) => {
      const isCharged = resource !== 'gpu' && ((allocated[member] ?? 0) & uncharged) === 0;
      return (request(row) + (isCharged ? excess(row) : 0)) / HOUR_MS;
    };
  });
  return (member, row) => costs.reduce((sum, of) => sum + of(member, row), 0);
}

function meterField(
  { engine: { arena } }: Workspace,
  { rows, rowCount }: Ledger<Resource>,
  resource: Resource,
  field: keyof typeof METER_ROW.f64,
): (row: number) => number {
  return eachNumber(arena, rows[resource], rowCount, METER_ROW, METER_ROW.f64[field]);
}

/** A field of what no sample shows of the ledger's rows: 0 where it is not kept. */
function hiddenField(
  { engine: { arena } }: Workspace,
  { hidden, rowCount }: Ledger<Resource>,
  resource: Resource,
  field: keyof typeof HIDDEN_ROW.f64,
): (row: number) => number {
  const address = hidden[resource];
  if (address === undefined) return () => 0;
  return eachNumber(arena, address, rowCount, HIDDEN_ROW, HIDDEN_ROW.f64[field]);
}

/**
 * The most that a moment of it cost, in USD a ms. Usage that was never seen counts as the largest that
 * was, in the set or in those beside it.
 */
function largestRate(
  space: Workspace,
  ledger: Ledger<Resource>,
  { frame }: Members,
  resource: Resource,
): OfRow {
  const [firsts, counts] = [frame.u32('row'), frame.u32('sets')];
  const requests = frame.f64(`${resource}RequestMax`);
  const prices = frame.f64(`${resource}PriceMax`);
  // Usage of GPUs is not charged.
  const usageMax = resource === 'gpu' ? () => 0 : meterField(space, ledger, resource, 'usageMax');
  const earlyUsage = hiddenField(space, ledger, resource, 'earlyUsage');
  return (member, row) => {
    const first = firsts[member] ?? 0;
    const end = first + (counts[member] ?? 0);
    let most = requests[member] ?? 0;
    for (let at = Math.max(first, row - 1); at < Math.min(end, row + 2); at++)
      most = Math.max(most, usageMax(at), earlyUsage(at));
    return ((prices[member] ?? 0) * most) / HOUR_MS;
  };
}

/** What a counter that restarts may have lost, in USD: the CPU used since the sample before each restart. */
function restartCosts(space: Workspace, ledger: Ledger<Resource>, members: Members): OfRow {
  const allocated = members.frame.u32('allocated');
  const [ms, charged] = [
    hiddenField(space, ledger, 'cpu', 'restartMs'),
    hiddenField(space, ledger, 'cpu', 'restartCost'),
  ];
  const rate = largestRate(space, ledger, members, 'cpu');
  return (member, row) => {
    const restartMs = ms(row);
    const isCharged = ((allocated[member] ?? 0) & (bitOf('cpu') | SIZED_BIT)) === 0;
    if (restartMs === 0 || !isCharged) return 0;
    return Math.max(0, rate(member, row) * restartMs - charged(row) / HOUR_MS);
  };
}
