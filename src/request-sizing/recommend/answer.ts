/** The answer with recommendations: computed in workers, written as it is taken. */
import { caveatMembers } from '../../http/index.ts';
import { lasting } from '../../pool/index.ts';
import { FoundCaveats, withNotes, type Caveats } from '../../query/index.ts';
import {
  NOTHING_AFTER,
  Pace,
  rowChunks,
  type AllocationTasks,
  type RowCompute,
} from '../../allocation/index.ts';
import { withOwner, withOwnerWhile, type Owner } from '../../columnar/index.ts';
import type { QueriedSets } from '../../storage/index.ts';
import { demandOver } from '../demand/window-demand.ts';
import type { DemandAt } from '../demand/demand-at.ts';
import type { HeldDemand, CachedDemand } from '../demand/cached-demand.ts';
import type { SizingPlan } from './params.ts';
import type { ControllerSavings, RecommendedPage } from './recommend-task.ts';
import { columnOf } from './sizing-rules.ts';
import { hoursWithout, type UsedSets } from '../demand/used-sets.ts';
import { CSV_HEAD } from './csv-head.ts';
import type { RowForm } from './row-forms.ts';
import type { SizingTasks } from '../tasks.ts';

export interface SizingOptions {
  readonly sets: QueriedSets;
  readonly compute: RowCompute<SizingTasks & AllocationTasks>;
  readonly cache: CachedDemand;
}

/** Chunks, each valid until the next is requested, as rows of allocations are. */
type Chunks = AsyncGenerator<Uint8Array, void, boolean | undefined>;

export interface SizingFound extends UsedSets {
  /** A set was found damaged while it was read. */
  readonly isDamaged: boolean;
  /** Warnings of parameters. */
  readonly ignored: readonly string[];
}

export interface SizingAnswer {
  /** Each is valid until the next is requested. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The sets with all caveats so far; complete once there is a chunk. */
  readonly found: () => SizingFound;
}

export function sizingAnswer(
  options: SizingOptions,
  plan: SizingPlan,
  used: SizingFound,
  signal: AbortSignal,
): SizingAnswer {
  const damages = new FoundCaveats();
  const caveatsOf = (): Caveats => {
    const found = new FoundCaveats();
    found.add(used.caveats);
    found.add(damages);
    return found;
  };
  const chunks = async function* (): Chunks {
    const held = await demandOf(options, plan, used, signal);
    try {
      await setAside(options, held.damaged, damages);
      yield* withOwnerWhile(options.compute, async function* (keeper): Chunks {
        const wanted = { plan, used, demand: held.demand, keeper };
        const recommended = await recommendedIn(options.compute, wanted, signal);
        const { warnings, isPartial } = withNotes(used.ignored, caveatsOf());
        const notes = { warnings: [...warnings, ...warningsOf(recommended)], isPartial };
        const rows = (form: RowForm): Chunks => rowsIn(options.compute, recommended, form, signal);
        yield* plan.isCsv ? csvChunks(rows) : jsonChunks(plan, recommended, notes, rows);
      });
    } finally {
      held.release();
    }
  };
  return {
    chunks: chunks(),
    found: () => ({ ...used, caveats: caveatsOf(), isDamaged: damages.isPartial }),
  };
}

function warningsOf({ withoutUsage, withoutGpuUsage }: RecommendedPage): string[] {
  const unknown: readonly (readonly [count: number, what: string])[] = [
    [withoutUsage, 'no usage in the window: nothing is recommended for what is not known'],
    [
      withoutGpuUsage,
      "GPUs of which no usage is known: nothing is recommended of them; DCGM's exporter tells it, with the labels of pods",
    ],
  ];
  return unknown
    .filter(([count]) => count > 0)
    .map(
      ([count, what]) => `${count === 1 ? '1 container has' : `${count} containers have`} ${what}`,
    );
}

/** The demand of the sets, from the cache if it is there. */
function demandOf(
  options: SizingOptions,
  { sizing, meant, isLabelled }: SizingPlan,
  { windows }: UsedSets,
  signal: AbortSignal,
): Promise<HeldDemand> {
  const names = [columnOf(sizing.cpu, 'cpu'), columnOf(sizing.ram, 'ram')];
  const columns = [...new Set(names.filter((name) => name !== null))];
  const query = { columns, filter: meant.byRows, isLabelled };
  return options.cache.open(JSON.stringify([windows, query]), (keeper) =>
    demandOver(options.compute, { windows, ...query }, keeper, lasting(signal)),
  );
}

async function setAside(
  { sets }: SizingOptions,
  damaged: HeldDemand['damaged'],
  damages: FoundCaveats,
): Promise<void> {
  for (const { stored, message } of damaged) {
    damages.lack([message]);
    await sets.setAside(stored);
  }
}

interface PageQuery {
  readonly plan: SizingPlan;
  readonly used: UsedSets;
  readonly demand: DemandAt;
  readonly keeper: Owner;
}

function recommendedIn(
  compute: SizingOptions['compute'],
  { plan, used: { missing }, demand, keeper }: PageQuery,
  signal: AbortSignal,
): Promise<RecommendedPage> {
  const { sizing, meant, isLabelled } = plan;
  const dataHours = dataHoursOf(demand, missing);
  return withOwner(compute, (owner) => {
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
    return compute.pool.run('recommend', input, signal);
  });
}

/** Hours with data of each cluster. */
function dataHoursOf(
  { clusters }: DemandAt,
  missing: UsedSets['missing'],
): readonly (readonly [cluster: string, hours: number])[] {
  return clusters.map(({ cluster, ...span }) => [cluster, hoursWithout(span, missing)] as const);
}

/** Savings of a window by controller, with what its sets lack. */
export async function savingsOfControllers(
  options: SizingOptions,
  plan: SizingPlan,
  used: UsedSets,
  signal: AbortSignal,
): Promise<{ readonly savings: readonly ControllerSavings[]; readonly caveats: Caveats }> {
  const found = new FoundCaveats();
  found.add(used.caveats);
  const { demand, damaged, release } = await demandOf(options, plan, used, signal);
  try {
    await setAside(options, damaged, found);
    const { sizing, meant } = plan;
    const dataHours = dataHoursOf(demand, used.missing);
    const savings = await withOwner(options.compute, (owner) => {
      const [filter, isFiltered] = [meant.byKeys, meant.byRows !== null];
      const input = { demand, sizing, filter, isFiltered, dataHours, owner };
      return options.compute.pool.run('controllerSavings', input, signal);
    });
    return { savings, caveats: found };
  } finally {
    release();
  }
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
  { count, totalMonthlyUsd, gpuMonthlyUsd, withoutUsage: without }: RecommendedPage,
  caveats: Caveats,
  rows: (form: RowForm) => Chunks,
): Chunks {
  if (isArray) {
    yield Buffer.from('[');
    yield* rows('recommendations');
    yield Buffer.from(']');
    return;
  }
  const end = `,"WithoutUsage":${without},"GPUMonthlySavings":${JSON.stringify(gpuMonthlyUsd)}${caveatMembers(caveats)}}`;
  const total = JSON.stringify(totalMonthlyUsd);
  const head = `{"TotalMonthlySavings":${total},"Count":${count},"Recommendations":`;
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

/** The rows of a page in one form, made as they are read. */
function rowsIn(
  compute: SizingOptions['compute'],
  { forms, rows }: RecommendedPage,
  form: RowForm,
  signal: AbortSignal,
): Chunks {
  const address = forms[form];
  if (address === undefined) throw new Error(`BUG: no rows as ${form}`);
  const set = { kind: 'program', address, rows } as const;
  const written = {
    rows,
    use: <T>(work: (at: typeof set) => Promise<T>) => work(set),
    release: () => undefined,
  };
  return rowChunks({ compute, pace: new Pace(), signal, after: NOTHING_AFTER }, written);
}
