/** The cheapest mix of node types: an integer program, and what packing adds to it. */
import { gapOf, usdPerHour, type Choice, type NodePool } from './choice.ts';
import { crowdedRows } from './crowded-rows.ts';
import type { Demand } from './demand.ts';
import { fillUp } from './fill-up.ts';
import { improve } from './improve.ts';
import { solve, type IntegerProgram } from './integer-program.ts';
import type { Machine } from './machine.ts';
import { shapeRows } from './shape-rows.ts';
import { nodesNeeded, shortage, type Requirement } from './requirements.ts';

/** Of the time that there is, until when the first bound, and all solutions, are to be found. */
const FIRST_PART = 0.6;
const SOLVED_PART = 0.8;

/** Pools are work for those who run them. */
export const POOLS_MAX = 4;

/** What packing shows to be too small is solved again, so often. */
const ROUNDS_MAX = 4;

/** Beyond what any cluster has (https://kubernetes.io/docs/setup/best-practices/cluster-large/). */
const NODES_MAX = 100_000;

/**
 * Whatever holds the pods meets the rows, so that a solution of the program bounds the cost from
 * below. Where its nodes do not hold the pods when they are packed, nodes are added; and it is solved
 * again: with gains that packing may reach, and with the rows that tell why it failed.
 * @param single nothing dearer is chosen; undefined: no type alone does
 * @param timeLimitMs after which the best that is known is taken
 * @returns undefined when nothing that holds the pods was found
 */
export async function chooseMulti(
  machines: readonly Machine[],
  demand: Demand,
  rows: readonly Requirement[],
  single: Choice | undefined,
  timeLimitMs: number,
): Promise<Choice | undefined> {
  const startMs = performance.now();
  const leftMs = (part: number): number => startMs + timeLimitMs * part - performance.now();
  let best = single?.pools;
  const attempt = async (asked: readonly Requirement[], part: number): Promise<Attempt> => {
    const solved = leftMs(part) > 0 && await solve(programOf(machines, asked, best), leftMs(part)); // prettier-ignore
    // The solver's tolerances are not ours.
    if (!solved || asked.some((row) => shortage(row, machines, solved.counts) > 0)) return FAILED;
    const { counts, costBound } = solved;
    const pools = fillUp(poolsOf(machines, counts), machines, demand, POOLS_MAX);
    if (pools && (!best || usdPerHour(pools) < usdPerHour(best))) best = pools;
    const broken = crowdedRows(demand).filter((row) => shortage(row, machines, counts) > 0);
    return { costBound, broken };
  };
  let asked = [...rows, ...shapeRows(demand)];
  let usdPerHourBound = boundOf(asked, machines);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { costBound, broken } = await attempt(asked, round === 0 ? FIRST_PART : SOLVED_PART);
    usdPerHourBound = Math.max(usdPerHourBound, costBound);
    const found = best && choiceOf(best, usdPerHourBound);
    if (costBound === 0 || (found && gapOf(found) === 0)) break;
    await attempt(reachable(asked, machines), SOLVED_PART);
    if (broken.length === 0) break;
    asked = [...asked, ...broken];
  }
  if (best === undefined) return undefined;
  const found = choiceOf(best, usdPerHourBound);
  if (gapOf(found) === 0) return found;
  const task = { machines, demand, rows, kindsMax: POOLS_MAX, deadlineMs: startMs + timeLimitMs };
  return choiceOf(improve(best, task), usdPerHourBound);
}

/** Each row by itself, with parts of nodes: known before anything is solved. */
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
  /** What the solution does not meet, and whatever holds the pods does. */
  readonly broken: readonly Requirement[];
}

const FAILED: Attempt = { costBound: 0, broken: [] };

/**
 * Gains that are at most half as much again as what the machine gives where all nodes are of it: more
 * of one thing it has only for want of others, which few pods can do without. No bound follows.
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
