/** The cheapest mix of node types: an integer program, refined by packing. */
import { gapOf, usdPerHour, type Choice, type NodePool } from './choice.ts';
import { crowdedRows } from './crowded-rows.ts';
import type { Demand } from './demand.ts';
import { fillUp } from './fill-up.ts';
import { improve } from './improve.ts';
import { solve, type IntegerProgram } from './integer-program.ts';
import type { Machine } from './machine.ts';
import { shapeRows } from './shape-rows.ts';
import { nodesNeeded, shortage, type Requirement } from './requirements.ts';

/**
 * The search ends by its work, so that the same question has the same answer on a busy machine too.
 * On a core of 2026 each of the two takes about a second at most: iterations of the simplex method in
 * all programs together, and pods × nodes compared when a choice is improved.
 */
const ITERATIONS_MAX = 10_000;
const COMPARISONS_MAX = 10_000_000;

/** The part of the iterations that is spent on the first bound at most. */
const FIRST_PART = 0.6;

/** More pools would be too much work for those who run them. */
export const POOLS_MAX = 4;

/** A solution that packing shows to be too small is solved again, at most this often. */
const ROUNDS_MAX = 4;

/** Larger than any cluster (https://kubernetes.io/docs/setup/best-practices/cluster-large/). */
const NODES_MAX = 100_000;

/**
 * All choices that hold the pods meet the rows, so a solution of the program bounds the cost from
 * below. If its nodes turn out too few when pods are packed, nodes are added, and the program is solved
 * again: with gains that packing can reach, and with the rows that explain the failure.
 * @param single the choice of one type, an upper bound on the cost; undefined: no single type will do
 * @returns undefined when no choice that holds the pods was found
 * @throws {Unavailable} when the machine is far too busy
 */
export async function chooseMulti(
  machines: readonly Machine[],
  demand: Demand,
  rows: readonly Requirement[],
  single: Choice | undefined,
): Promise<Choice | undefined> {
  let best = single?.pools;
  let iterationsLeft = ITERATIONS_MAX;
  const attempt = async (required: readonly Requirement[], most: number): Promise<Attempt> => {
    if (iterationsLeft <= 0) return FAILED;
    const program = programOf(machines, required, best);
    const { counts, costBound, iterations } = await solve(program, Math.min(most, iterationsLeft));
    iterationsLeft -= iterations;
    // The solver's tolerances are not ours.
    if (!counts || required.some((row) => shortage(row, machines, counts) > 0)) return FAILED;
    const pools = fillUp(poolsOf(machines, counts), machines, demand, POOLS_MAX);
    if (pools && (!best || usdPerHour(pools) < usdPerHour(best))) best = pools;
    const broken = crowdedRows(demand).filter((row) => shortage(row, machines, counts) > 0);
    return { costBound, broken };
  };
  let required = [...rows, ...shapeRows(demand)];
  let usdPerHourBound = boundOf(required, machines);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const part = round === 0 ? FIRST_PART : 1;
    const { costBound, broken } = await attempt(required, ITERATIONS_MAX * part);
    usdPerHourBound = Math.max(usdPerHourBound, costBound);
    const found = best && choiceOf(best, usdPerHourBound);
    if (costBound === 0 || (found && gapOf(found) === 0)) break;
    await attempt(reachable(required, machines), ITERATIONS_MAX);
    if (broken.length === 0) break;
    required = [...required, ...broken];
  }
  if (best === undefined) return undefined;
  const found = choiceOf(best, usdPerHourBound);
  if (gapOf(found) === 0) return found;
  const task = { machines, demand, rows, kindsMax: POOLS_MAX };
  return choiceOf(improve(best, task, COMPARISONS_MAX), usdPerHourBound);
}

/** A bound from each row by itself, with fractions of nodes: known without solving. */
function boundOf(rows: readonly Requirement[], machines: readonly Machine[]): number {
  const bounds = rows.map(({ least, gain }) => {
    const usdPerUnit = machines.map((machine) => {
      const gained = gain(machine);
      return gained > 0 ? machine.type.usdPerHour / gained : Infinity;
    });
    return least > 0 ? least * Math.min(...usdPerUnit) : 0;
  });
  return Math.max(0, ...bounds.filter((bound) => bound < Infinity));
}

interface Attempt {
  /** 0: nothing was found. */
  readonly costBound: number;
  /** Rows that the solution misses, and that any choice that holds the pods meets. */
  readonly broken: readonly Requirement[];
}

const FAILED: Attempt = { costBound: 0, broken: [] };

/**
 * Limits gains to 1.5 times what the machine contributes in a cluster of only such nodes. A machine
 * gains more of one resource only by lacking others, which few pods can do without. The result gives
 * solutions, but no bound.
 */
function reachable(rows: readonly Requirement[], machines: readonly Machine[]): Requirement[] {
  const ofPods = rows.filter(({ isOfPods }) => isOfPods);
  const alone = new Map(machines.map((machine) => [machine, nodesNeeded(ofPods, machine)]));
  return rows.map((row) => ({
    ...row,
    gain: (machine) =>
      row.isOfPods
        ? Math.min(row.gain(machine), (MIXING * row.least) / (alone.get(machine) ?? 1))
        : row.gain(machine),
  }));
}

const MIXING = 1.5;

function choiceOf(pools: readonly NodePool[], bound: number): Choice {
  const usd = usdPerHour(pools);
  return { pools, usdPerHour: usd, usdPerHourBound: Math.min(bound, usd) };
}

function programOf(
  machines: readonly Machine[],
  rows: readonly Requirement[],
  known: readonly NodePool[] | undefined,
): IntegerProgram {
  const usd = known ? usdPerHour(known) : Infinity;
  const start = machines.map((one) => known?.find(({ machine }) => machine === one)?.count ?? 0);
  return {
    costs: machines.map(({ type }) => type.usdPerHour),
    // Counts beyond those that meet all rows alone, or cost as much as the best known, are useless.
    most: machines.map((machine, i) => {
      const affordable = Math.floor(usd / machine.type.usdPerHour);
      const most = Math.min(nodesNeeded(rows, machine), affordable, NODES_MAX);
      return Math.max(most, start[i] ?? 0);
    }),
    rows: rows.map(({ least, gain }) => ({ least, gains: machines.map(gain) })),
    kindsMax: POOLS_MAX,
    start: known ? start : undefined,
  };
}

function poolsOf(machines: readonly Machine[], counts: readonly number[]): NodePool[] {
  return machines
    .map((machine, i) => ({ machine, count: counts[i] ?? 0 }))
    .filter(({ count }) => count > 0);
}
