/** Integer programs, solved by HiGHS (https://highs.dev): the only file that knows it. */
import { createRequire } from 'node:module';
import type { Highs, ModelData } from 'highs';

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

export interface Solution {
  /** The best counts found in time. */
  readonly counts: readonly number[];
  /** A lower bound on the cost of counts that meet all rows. */
  readonly costBound: number;
}

/** The solver is loaded at the first call: 3.5 MB of WebAssembly. */
let loading: Promise<Highs> | undefined;

/**
 * @param untilMs the best counts known at this time of `performance.now()` are taken
 * @returns undefined when no counts meet all rows, or none were found in time
 */
export async function solve(
  program: IntegerProgram,
  untilMs: number,
): Promise<Solution | undefined> {
  loading ??= (createRequire(import.meta.url)('highs') as () => Promise<Highs>)();
  const highs = await loading;
  const data = modelOf(program);
  // On a busy machine the time may be over already, and the solver refuses a negative limit.
  const timeLimitMs = untilMs - performance.now();
  if (timeLimitMs <= 0) return undefined;
  return highs.withModel(data, (model) => {
    model.options.set({
      output_flag: false,
      time_limit: timeLimitMs / 1000,
      mip_rel_gap: 0,
      mip_abs_gap: 0,
      mip_feasibility_tolerance: TOLERANCE,
      primal_feasibility_tolerance: TOLERANCE,
    });
    const { start } = program;
    if (start) model.setSolution({ colValue: [...start, ...start.map((n) => Math.min(n, 1))] });
    model.run();
    if (model.info.get('primal_solution_status') !== highs.constants.solutionStatus.feasible) {
      return undefined;
    }
    const values = [...model.getSolution().colValue];
    return {
      counts: values.slice(0, program.costs.length).map(Math.round),
      costBound: Number(model.info.get('mip_dual_bound')),
    };
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
