/** The cheapest mix of node types: an integer program, and what packing adds to it. */
import { usdPerHour, type Choice, type NodePool } from './choice.ts';
import { crowdedRows } from './crowded-rows.ts';
import type { Demand } from './demand.ts';
import { fillUp } from './fill-up.ts';
import { solve, type IntegerProgram } from './integer-program.ts';
import type { Machine } from './machine.ts';
import { nodesNeeded, shortage, type Requirement } from './requirements.ts';

/** Pools are work for those who run them. */
export const POOLS_MAX = 4;

/** What packing shows to be too small is solved again, so often. */
const ROUNDS_MAX = 4;

/** Beyond what any cluster has (https://kubernetes.io/docs/setup/best-practices/cluster-large/). */
const NODES_MAX = 100_000;

/**
 * Whatever holds the pods meets the rows, so that a solution of the program bounds the cost from
 * below. Where its nodes do not hold the pods when they are packed, nodes are added; and it is solved
 * again with the rows that tell why.
 * @param single nothing dearer is chosen; undefined: no type alone does
 * @param deadlineMs of `performance.now()`: then the best that is known is taken
 * @returns undefined when nothing that holds the pods was found
 */
export async function chooseMulti(
  machines: readonly Machine[],
  demand: Demand,
  rows: readonly Requirement[],
  single: Choice | undefined,
  deadlineMs: number,
): Promise<Choice | undefined> {
  let best = single?.pools;
  let usdPerHourBound = 0;
  let asked = rows;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const timeLimitMs = deadlineMs - performance.now();
    if (timeLimitMs <= 0) break;
    const solved = await solve(programOf(machines, asked, best), timeLimitMs);
    if (solved === undefined) break;
    usdPerHourBound = Math.max(usdPerHourBound, solved.costBound);
    const { counts } = solved;
    // The solver's tolerances are not ours.
    if (asked.some((row) => shortage(row, machines, counts) > 0)) break;
    const pools = fillUp(poolsOf(machines, counts), machines, demand, POOLS_MAX);
    if (pools && (!best || usdPerHour(pools) < usdPerHour(best))) best = pools;
    const broken = crowdedRows(demand).filter((row) => shortage(row, machines, counts) > 0);
    if (broken.length === 0) break;
    asked = [...asked, ...broken];
  }
  return best && choiceOf(best, usdPerHourBound);
}

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
    // More of one kind than meet all rows by themselves, or than cost what is known, are no use.
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
