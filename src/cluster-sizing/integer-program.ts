/** Integer programs, solved by HiGHS (https://highs.dev): the only file that knows it. */
import { createRequire } from 'node:module';
import type { Highs, ModelData } from 'highs';
import { Unavailable } from '../query/index.ts';

/** The lowest cost of integer counts that meet all rows. */
export interface IntegerProgram {
  /** The cost of one of each kind, 0 or more. */
  readonly costs: readonly number[];
  /** The maximum count of each kind that is worth considering. */
  readonly most: readonly number[];
  /** Σ count × gain ≥ least. */
  readonly rows: readonly { readonly least: number; readonly gains: readonly number[] }[];
  /** How many kinds may have a count above 0. */
  readonly kindsMax: number;
  /** Counts that meet all rows, if any are known. */
  readonly start: readonly number[] | undefined;
}

export interface Solved {
  /** The best counts found; undefined when none were found, or none meet all rows. */
  readonly counts: readonly number[] | undefined;
  /** A lower bound on the cost of counts that meet all rows. */
  readonly costBound: number;
  /** The iterations of the simplex method that were spent. */
  readonly iterations: number;
}

/** The solver is loaded at the first call: 3.5 MB of WebAssembly. */
let loading: Promise<Highs> | undefined;

/**
 * The same program and limit have the same result, however busy the machine is: the search stops on its
 * iterations, and no answer is made of a search that the clock stopped.
 * @param iterationsMax the search stops soon after so many iterations, 1 or more
 * @param guardMs far longer than so many iterations take
 * @throws {Unavailable} when the search has not ended after `guardMs`
 */
export async function solve(
  program: IntegerProgram,
  iterationsMax: number,
  guardMs: number = GUARD_MS,
): Promise<Solved> {
  loading ??= (createRequire(import.meta.url)('highs') as () => Promise<Highs>)();
  const highs = await loading;
  const { callbackType, modelStatus, solutionStatus } = highs.constants;
  return highs.withModel(modelOf(program), (model) => {
    model.options.set({
      output_flag: false,
      // It looks for a first solution; with a start it takes a tenth of the time and finds no better one.
      mip_heuristic_run_feasibility_jump: false,
      time_limit: guardMs / 1000,
      mip_rel_gap: 0,
      mip_abs_gap: 0,
      mip_feasibility_tolerance: TOLERANCE,
      primal_feasibility_tolerance: TOLERANCE,
    });
    const { start } = program;
    if (start) model.setSolution({ colValue: [...start, ...start.map((n) => Math.min(n, 1))] });
    model.run({
      [callbackType.mipInterrupt](event) {
        if ((event.data.mip_total_lp_iterations ?? 0) >= iterationsMax) event.interrupt();
      },
    });
    if (model.getModelStatus() === modelStatus.timeLimit) throw tooSlow(guardMs);
    const isFound = model.info.get('primal_solution_status') === solutionStatus.feasible;
    return {
      counts: isFound
        ? [...model.getSolution().colValue].slice(0, program.costs.length).map(Math.round)
        : undefined,
      costBound: isFound ? Number(model.info.get('mip_dual_bound')) : 0,
      iterations: Number(model.info.get('simplex_iteration_count')),
    };
  });
}

/** Searches take one or two seconds on an idle core. */
const GUARD_MS = 60_000;

function tooSlow(guardMs: number): Unavailable {
  return new Unavailable(`the search for nodes did not end within ${guardMs / 1000} s`, {
    hint: 'the machine is too busy: ask again when less is running',
    retryAfterSeconds: 60,
  });
}

/** The solver's tolerance, for rows that are scaled to 1. */
const TOLERANCE = 1e-9;

/**
 * Columns: the counts, then for each kind whether it is used. Rows: the given ones, scaled to 1; for
 * each kind count ≤ most × used; and Σ used ≤ kindsMax.
 */
function modelOf({ costs, most, rows, kindsMax }: IntegerProgram): ModelData {
  const kinds = costs.length;
  const matrix = new Rows();
  for (const { least, gains } of rows) {
    const scale = 1 / Math.max(1, Math.abs(least));
    matrix.add(
      least * scale,
      Infinity,
      gains.map((gain, i) => [i, gain * scale] as const),
    );
  }
  most.forEach((count, i) =>
    matrix.add(-Infinity, 0, [
      [i, 1],
      [kinds + i, -count],
    ]),
  );
  matrix.add(
    -Infinity,
    kindsMax,
    costs.map((_, i) => [kinds + i, 1] as const),
  );
  const columns = 2 * kinds;
  return {
    numCols: columns,
    numRows: matrix.lower.length,
    colCost: [...costs, ...costs.map(() => 0)],
    colLower: new Float64Array(columns),
    colUpper: [...most, ...most.map(() => 1)],
    rowLower: matrix.lower,
    rowUpper: matrix.upper,
    matrix: {
      format: 'csr',
      numRows: matrix.lower.length,
      numCols: columns,
      starts: matrix.starts,
      indices: matrix.indices,
      values: matrix.values,
    },
    integrality: new Int32Array(columns).fill(1),
  };
}

/** A sparse matrix, row by row. */
class Rows {
  readonly lower: number[] = [];
  readonly upper: number[] = [];
  readonly starts: number[] = [0];
  readonly indices: number[] = [];
  readonly values: number[] = [];

  add(lower: number, upper: number, entries: readonly (readonly [number, number])[]): void {
    this.lower.push(lower);
    this.upper.push(upper);
    for (const [index, value] of entries) {
      if (value === 0) continue;
      this.indices.push(index);
      this.values.push(value);
    }
    this.starts.push(this.indices.length);
  }
}
