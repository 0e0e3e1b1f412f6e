/** Numbers shown of a row, as formulas over its measures, computed a column at a time. */
import { createFrame, type ColumnSpec, type Frame, type Owner } from '../columnar/index.ts';

const HOUR_MS = 3_600_000;

/** What is used of a resource, what is asked for of it, and the columns whose sum it costs. */
export interface Efficiency {
  readonly usage: string;
  readonly request: string;
  readonly costs: readonly string[];
}

/** Columns are measures; one that a frame leaves out is zero in every row. */
export type Formula =
  | { readonly kind: 'measure'; readonly column: string }
  | { readonly kind: 'sum'; readonly columns: readonly string[] }
  /** What a column of unit × hours comes to while running; 0 for what did not run. */
  | { readonly kind: 'average'; readonly column: string }
  /** The running time in minutes. */
  | { readonly kind: 'minutes' }
  /** The sum of columns over a column or a number. */
  | { readonly kind: 'quotient'; readonly columns: readonly string[]; readonly by: string | number }
  /** Usage over request; without a request 1 for what is used and costs, else 0. */
  | { readonly kind: 'efficiency'; readonly of: Efficiency }
  /** The mean of efficiencies by what each costs; 0 for what costs nothing. */
  | { readonly kind: 'meanEfficiency'; readonly of: readonly Efficiency[] };

/** What is not a column already. */
type Computed = Exclude<Formula, { kind: 'measure' }>;

/** The measures of a frame, and how long its rows ran. */
class Columns {
  /** How long each row ran. */
  readonly hours: Float64Array;
  readonly #frame: Frame;

  constructor(frame: Frame) {
    const ends = frame.f64('endMs');
    this.hours = frame.f64('startMs').map((startMs, row) => ((ends[row] ?? 0) - startMs) / HOUR_MS);
    this.#frame = frame;
  }

  has(name: string): boolean {
    return this.#frame.has(name);
  }

  /** The column itself, or zeros. */
  values(name: string): Float64Array {
    return this.has(name) ? this.#frame.f64(name) : new Float64Array(this.#frame.rows);
  }

  sum(
    names: readonly string[],
    out: Float64Array = new Float64Array(this.#frame.rows),
  ): Float64Array {
    out.fill(0);
    for (const name of names.filter((each) => this.has(each))) {
      const column = this.#frame.f64(name);
      for (let row = 0; row < out.length; row++) out[row] = (out[row] ?? 0) + (column[row] ?? 0);
    }
    return out;
  }
}

type Evaluators = {
  readonly [Kind in Computed['kind']]: (
    columns: Columns,
    formula: Extract<Computed, { kind: Kind }>,
    out: Float64Array,
  ) => void;
};

const EVALUATORS: Evaluators = {
  sum: (columns, formula, out) => void columns.sum(formula.columns, out),

  average(columns, { column }, out) {
    const values = columns.values(column);
    for (let row = 0; row < out.length; row++) {
      const ran = columns.hours[row] ?? 0;
      out[row] = ran > 0 ? (values[row] ?? 0) / ran : 0;
    }
  },

  minutes(columns, _, out) {
    columns.hours.forEach((hours, row) => (out[row] = hours * 60));
  },

  quotient(columns, { columns: names, by }, out) {
    columns.sum(names, out);
    const divisors = typeof by === 'string' ? columns.values(by) : undefined;
    for (let row = 0; row < out.length; row++) {
      out[row] = (out[row] ?? 0) / Number(divisors ? divisors[row] : by);
    }
  },

  efficiency: (columns, { of }, out) => out.set(efficiencies(columns, of)),

  meanEfficiency(columns, { of }, out) {
    const all = of.map((each) => ({
      values: efficiencies(columns, each),
      costs: columns.sum(each.costs),
    }));
    for (let row = 0; row < out.length; row++) {
      let costs = 0;
      let weighted = 0;
      for (const each of all) {
        const cost = each.costs[row] ?? 0;
        costs += cost;
        weighted += (each.values[row] ?? 0) * cost;
      }
      out[row] = costs <= 0 ? 0 : weighted / costs;
    }
  },
};

function efficiencies(columns: Columns, { usage, request, costs }: Efficiency): Float64Array {
  const requests = columns.values(request);
  const cost = columns.sum(costs);
  return columns.values(usage).map((used, row) => {
    const requested = requests[row] ?? 0;
    if (requested > 0) return used / requested;
    return used > 0 && (cost[row] ?? 0) > 0 ? 1 : 0;
  });
}

/** Addresses of columns by formula; none where the formula gives 0 in every row. */
export type FormulaColumns = ReadonlyMap<Formula, number | undefined>;

/**
 * A column for each formula: the frame's own for a measure, a new one of `owner` for what is
 * computed.
 * @throws {ArenaFull} when there is no room
 */
export function evaluate(frame: Frame, owner: Owner, formulas: Iterable<Formula>): FormulaColumns {
  const columns = new Columns(frame);
  const all = [...new Set(formulas)];
  const computed = all.filter(
    (each): each is Computed => each.kind !== 'measure' && !isZero(columns, each),
  );
  const names = new Map<Formula, string>(computed.map((formula, i) => [formula, String(i)]));
  const specs = [...names.values()].map((name): ColumnSpec => ({ name, type: 'f64' }));
  const results = createFrame(frame.arena, specs, frame.rows, owner);
  computed.forEach((formula, i) => compute(columns, formula, results.f64(String(i))));
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
  out: Float64Array,
): void {
  EVALUATORS[formula.kind as Kind](columns, formula, out);
}

/** Whether it is 0 in every row because the frame leaves out what it is of. */
function isZero(columns: Columns, formula: Computed): boolean {
  if (formula.kind === 'sum') return !formula.columns.some((name) => columns.has(name));
  if (formula.kind === 'average') return !columns.has(formula.column);
  return formula.kind === 'efficiency' && !columns.has(formula.of.usage);
}
