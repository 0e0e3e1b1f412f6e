/** Numbers of a row as formulas over its measures, computed column by column. */
import {
  columnSpecs,
  createFrame,
  type Engine,
  type Frame,
  type Workspace,
} from '../../columnar/index.ts';

/** Columns of a resource's usage, its requests and its cost before adjustments. */
export interface Efficiency {
  readonly usage: string;
  readonly request: string;
  readonly cost: string;
}

/** Columns are measures; one that a frame leaves out is zero in every row. */
export type Formula =
  | { readonly kind: 'measure'; readonly column: string }
  | { readonly kind: 'sum'; readonly columns: readonly string[] }
  /** The average of a column of unit × hours while running; 0 for rows that did not run. */
  | { readonly kind: 'average'; readonly column: string }
  /** The running time in minutes. */
  | { readonly kind: 'minutes' }
  /** The sum of columns over a column or a number. */
  | { readonly kind: 'quotient'; readonly columns: readonly string[]; readonly by: string | number }
  /** Usage over request; without a request 1 for rows with usage and cost, else 0. */
  | { readonly kind: 'efficiency'; readonly of: Efficiency }
  /** The mean of efficiencies weighted by cost, as clients find it from a row's fields; 0 without cost. */
  | { readonly kind: 'meanEfficiency'; readonly of: readonly Efficiency[] };

/** Formulas that need a column of their own. */
type Computed = Exclude<Formula, { kind: 'measure' }>;

/** Scratch columns: running time, zeros, and intermediate results. */
const SCRATCH = ['hours', 'zeros', 'ratios', 'weights'] as const;
type Scratch = (typeof SCRATCH)[number];

/** Addresses of a frame's measures and of scratch columns, for kernels. */
class Columns {
  readonly kernels: Engine['kernels'];
  readonly rows: number;
  readonly #frame: Frame;
  readonly #scratch: number;

  /** @param scratch the address of room for SCRATCH */
  constructor({ kernels }: Engine, frame: Frame, scratch: number) {
    this.kernels = kernels;
    this.rows = frame.rows;
    this.#frame = frame;
    this.#scratch = scratch;
    this.clear(this.scratch('zeros'));
    const [starts, ends] = [this.of('startMs'), this.of('endMs')];
    kernels.hoursBetween(starts, ends, frame.rows, this.scratch('hours'));
  }

  has(name: string): boolean {
    return this.#frame.has(name);
  }

  /** The column itself, or zeros. */
  of(name: string): number {
    return this.#frame.column(name)?.address ?? this.scratch('zeros');
  }

  scratch(name: Scratch): number {
    return this.#scratch + 8 * this.rows * SCRATCH.indexOf(name);
  }

  clear(out: number): void {
    this.#frame.arena.f64(out, this.rows).fill(0);
  }

  /** @returns `out` */
  sum(names: readonly string[], out: number): number {
    this.clear(out);
    for (const name of names.filter((each) => this.has(each))) {
      this.kernels.addColumn(this.of(name), this.rows, out);
    }
    return out;
  }

  /** A column, or a number for every row. */
  divisors(by: string | number): number {
    if (typeof by === 'string') return this.of(by);
    const out = this.scratch('ratios');
    this.#frame.arena.f64(out, this.rows).fill(by);
    return out;
  }

  /** @returns `out` */
  efficiencies({ usage, request, cost }: Efficiency, out: number): number {
    const { kernels, rows } = this;
    kernels.efficiencyColumn(this.of(usage), this.of(request), this.of(cost), rows, out);
    return out;
  }
}

type Evaluators = {
  readonly [Kind in Computed['kind']]: (
    columns: Columns,
    formula: Extract<Computed, { kind: Kind }>,
    out: number,
  ) => void;
};

const EVALUATORS: Evaluators = {
  sum: (columns, formula, out) => void columns.sum(formula.columns, out),

  average(columns, { column }, out) {
    const hours = columns.scratch('hours');
    columns.kernels.averageColumn(columns.of(column), hours, columns.rows, out);
  },

  minutes(columns, _, out) {
    columns.kernels.scaleColumn(columns.scratch('hours'), 60, columns.rows, out);
  },

  quotient(columns, { columns: names, by }, out) {
    columns.sum(names, out);
    columns.kernels.divideColumn(columns.divisors(by), columns.rows, out);
  },

  efficiency: (columns, { of }, out) => void columns.efficiencies(of, out),

  meanEfficiency(columns, { of }, out) {
    const [ratios, weights] = [columns.scratch('ratios'), columns.scratch('weights')];
    columns.clear(out);
    columns.clear(weights);
    for (const each of of) {
      columns.efficiencies(each, ratios);
      columns.kernels.addWeighted(ratios, columns.of(each.cost), columns.rows, out, weights);
    }
    columns.kernels.meanColumn(weights, columns.rows, out);
  },
};

/** Addresses of columns by formula; none where the formula gives 0 in every row. */
export type FormulaColumns = ReadonlyMap<Formula, number | undefined>;

/**
 * A column for each formula: the frame's own for a measure, else a new one of `owner`.
 * @throws {ArenaFull} when there is no room
 */
export function evaluate(
  { engine, owner }: Workspace,
  frame: Frame,
  formulas: Iterable<Formula>,
): FormulaColumns {
  const { arena } = engine;
  const scratchBytes = 8 * frame.rows * SCRATCH.length;
  const scratch = arena.allocate(scratchBytes, owner);
  const columns = new Columns(engine, frame, scratch);
  const all = [...new Set(formulas)];
  const computed = all.filter(
    (each): each is Computed => each.kind !== 'measure' && !isZero(columns, each),
  );
  const names = new Map<Formula, string>(computed.map((formula, i) => [formula, String(i)]));
  const specs = columnSpecs({ numbers: [...names.values()] });
  const results = createFrame(arena, specs, frame.rows, owner);
  computed.forEach((formula, i) => {
    compute(columns, formula, results.f64(String(i)).byteOffset);
  });
  arena.free(scratch, scratchBytes);
  return new Map(
    all.map((formula) => {
      const name = names.get(formula);
      if (name !== undefined) return [formula, results.column(name)?.address];
      const own = formula.kind === 'measure' ? frame.column(formula.column) : undefined;
      return [formula, own?.address];
    }),
  );
}

function compute<Kind extends Computed['kind']>(
  columns: Columns,
  formula: Extract<Computed, { kind: Kind }>,
  out: number,
): void {
  EVALUATORS[formula.kind as Kind](columns, formula, out);
}

/** Whether a formula is 0 in every row because the frame leaves out its columns. */
function isZero(columns: Columns, formula: Computed): boolean {
  if (formula.kind === 'sum') return !formula.columns.some((name) => columns.has(name));
  if (formula.kind === 'average') return !columns.has(formula.column);
  return formula.kind === 'efficiency' && !columns.has(formula.of.usage);
}
