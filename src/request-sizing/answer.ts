/** The answer with recommendations: computed in workers, written as it is taken. */
import { Pace, rowChunks, type AllocationTasks, type Slots } from '../allocation/index.ts';
import type { Owner } from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import type { QueriedSets } from '../storage/index.ts';
import { demandOver, withOwner, type DemandOptions } from './demand.ts';
import type { SizingPlan } from './params.ts';
import type { Recommended } from './recommend.ts';
import { columnOf } from './sizing.ts';
import { hoursWithout, type UsedSets } from './used-sets.ts';
import { CSV_HEAD } from './csv-head.ts';
import type { RowForm } from './row-forms.ts';
import type { SizingTasks } from './tasks.ts';

export interface SizingOptions extends DemandOptions {
  readonly sets: QueriedSets;
  readonly pool: Pool<SizingTasks & AllocationTasks>;
  readonly slots: Slots;
}

/** Each is valid until the next is asked for, as rows of allocations are. */
type Chunks = AsyncGenerator<Uint8Array, void, boolean | undefined>;

export interface SizingAnswer {
  /** Each is valid until the next is asked for. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** A set was found damaged on the way. */
  readonly isPartial: () => boolean;
}

export function sizingAnswer(
  options: SizingOptions,
  plan: SizingPlan,
  used: UsedSets,
  signal: AbortSignal,
): SizingAnswer {
  const damages = new Set<string>();
  const chunks = async function* (): Chunks {
    const { owners, arena } = options;
    const keeper = owners.take();
    try {
      const recommended = await recommendOver(options, plan, used, { damages, keeper, signal });
      const warnings = [...used.warnings, ...damages, ...toldOf(recommended)];
      const rows = (form: RowForm): Chunks => rowsIn(options, recommended, form, signal);
      yield* plan.isCsv ? csvChunks(rows) : jsonChunks(plan, recommended, warnings, rows);
    } finally {
      arena.release(keeper);
      owners.giveBack(keeper);
    }
  };
  return { chunks: chunks(), isPartial: () => damages.size > 0 };
}

function toldOf({ withoutUsage: count }: Recommended): string[] {
  if (count === 0) return [];
  const containers = count === 1 ? '1 container has' : `${count} containers have`;
  return [`${containers} no usage in the window: nothing is recommended for what is not known`];
}

async function recommendOver(
  options: SizingOptions,
  plan: SizingPlan,
  { windows, missing }: UsedSets,
  context: { readonly damages: Set<string>; readonly keeper: Owner; readonly signal: AbortSignal },
): Promise<Recommended> {
  const { damages, keeper, signal } = context;
  const { sizing, meant, isLabelled } = plan;
  const names = [columnOf(sizing.cpu, 'cpu'), columnOf(sizing.ram, 'ram')];
  const columns = [...new Set(names.filter((name) => name !== null))];
  const asked = { windows, columns, filter: meant.byRows, isLabelled };
  const { demand, damaged } = await demandOver(options, asked, keeper, signal);
  for (const { stored, message } of damaged) {
    damages.add(message);
    await options.sets.setAside(stored);
  }
  const dataHours = demand.clusters.map(
    ({ cluster, ...span }) => [cluster, hoursWithout(span, missing)] as const,
  );
  return await withOwner(options, (owner) => {
    const input = {
      demand,
      sizing,
      filter: meant.byKeys,
      isFiltered: meant.byRows !== null,
      dataHours,
      forms: formsOf(plan),
      isLabelled,
      owner,
      keeper,
    };
    return options.pool.run('recommend', input, signal);
  });
}

function formsOf({ version, isArray, isCsv, isTopline }: SizingPlan): RowForm[] {
  if (isCsv) return ['csv'];
  if (isTopline) return [];
  return version === 'v1' && !isArray ? ['recommendations', 'controllers'] : ['recommendations'];
}

async function* csvChunks(rows: (form: RowForm) => Chunks): Chunks {
  yield Buffer.from(CSV_HEAD);
  yield* rows('csv');
}

async function* jsonChunks(
  { version, isArray, isTopline }: SizingPlan,
  { count, totalMonthlyUsd, withoutUsage: without }: Recommended,
  warnings: readonly string[],
  rows: (form: RowForm) => Chunks,
): Chunks {
  if (isArray) {
    yield Buffer.from('[');
    yield* rows('recommendations');
    yield Buffer.from(']');
    return;
  }
  const told = warnings.length > 0 ? `,"warnings":${JSON.stringify(warnings)}` : '';
  const end = `,"WithoutUsage":${without}${told}}`;
  const head = `{"TotalMonthlySavings":${totalMonthlyUsd},"Count":${count},"Recommendations":`;
  if (isTopline) {
    yield Buffer.from(`${head}null${end}`);
    return;
  }
  yield Buffer.from(`${head}[`);
  yield* rows('recommendations');
  if (version === 'v1') {
    yield Buffer.from('],"controllers":[');
    yield* rows('controllers');
  }
  yield Buffer.from(`]${end}`);
}

/** The rows of a page in one form, as fast as they are taken. */
function rowsIn(
  options: SizingOptions,
  { forms, rows }: Recommended,
  form: RowForm,
  signal: AbortSignal,
): Chunks {
  const address = forms[form];
  if (address === undefined) throw new Error(`BUG: no rows as ${form}`);
  const set = { kind: 'program', address, rows } as const;
  const written = { rows, use: <T>(work: (at: typeof set) => Promise<T>) => work(set), release: () => undefined }; // prettier-ignore
  return rowChunks({ ...options, pace: new Pace(), signal, onFast: () => undefined }, written);
}
