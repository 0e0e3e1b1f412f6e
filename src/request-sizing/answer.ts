/** The answer with recommendations: computed in workers, written as it is taken. */
import type { Arena, Owner } from '../columnar/index.ts';
import type { QueriedSets } from '../storage/index.ts';
import { demandOver, withOwner, type DemandOptions } from './demand.ts';
import type { DemandAt } from './demand-columns.ts';
import type { SizingPlan } from './params.ts';
import type { Recommended } from './recommended.ts';
import { columnOf } from './sizing.ts';
import { hoursWithout, type UsedSets } from './used-sets.ts';
import { CSV_HEAD } from './csv-head.ts';
import type { RowForm, WrittenAt } from './write-rows.ts';

export interface SizingOptions extends DemandOptions {
  readonly sets: QueriedSets;
}

/** Rows written by one task: some 700 bytes each. */
const CHUNK_ROWS = 1000;

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
  const warnings = new Set(used.warnings);
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    const { owners, arena } = options;
    const keeper = owners.take();
    try {
      const { demand, recommended } = await recommendOver(options, plan, used, { warnings, keeper, signal }); // prettier-ignore
      if (recommended.withoutUsage > 0) warnings.add(withoutUsage(recommended.withoutUsage));
      const rows = (form: RowForm): AsyncGenerator<Uint8Array> =>
        rowChunks(options, { plan, demand, recommended, form }, signal);
      yield* plan.isCsv ? csvChunks(rows) : jsonChunks(plan, recommended, [...warnings], rows);
    } finally {
      arena.release(keeper);
      owners.giveBack(keeper);
    }
  };
  return { chunks: chunks(), isPartial: () => warnings.size > used.warnings.length + 1 };
}

function withoutUsage(count: number): string {
  const containers = count === 1 ? '1 container has' : `${count} containers have`;
  return `${containers} no usage in the window: nothing is recommended for what is not known`;
}

interface Found {
  readonly demand: DemandAt;
  readonly recommended: Recommended;
}

async function recommendOver(
  options: SizingOptions,
  { sizing, meant, isLabelled }: SizingPlan,
  { windows, missing }: UsedSets,
  context: { readonly warnings: Set<string>; readonly keeper: Owner; readonly signal: AbortSignal },
): Promise<Found> {
  const { warnings, keeper, signal } = context;
  const names = [columnOf(sizing.cpu, 'cpu'), columnOf(sizing.ram, 'ram')];
  const columns = [...new Set(names.filter((name) => name !== null))];
  const asked = { windows, columns, filter: meant.byRows, isLabelled };
  const { demand, damaged } = await demandOver(options, asked, keeper, signal);
  for (const { stored, message } of damaged) {
    warnings.add(message);
    await options.sets.setAside(stored);
  }
  const dataHours = demand.clusters.map(
    ({ cluster, ...span }) => [cluster, hoursWithout(span, missing)] as const,
  );
  const recommended = await withOwner(options, (owner) => {
    const input = { demand, sizing, filter: meant.byKeys, dataHours, owner, keeper };
    return options.pool.run('recommend', input, signal);
  });
  return { demand, recommended };
}

async function* csvChunks(
  rows: (form: RowForm) => AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(CSV_HEAD);
  yield* rows('csv');
}

async function* jsonChunks(
  { version, isArray, isTopline }: SizingPlan,
  { count, totalMonthlyUsd, withoutUsage: without }: Recommended,
  warnings: readonly string[],
  rows: (form: RowForm) => AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
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

interface RowsInput extends Found {
  readonly plan: SizingPlan;
  readonly form: RowForm;
}

/** While a chunk is taken the next are written, by as many workers as there are. */
async function* rowChunks(
  options: SizingOptions,
  { plan, demand, recommended, form }: RowsInput,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { arena, pool, owners } = options;
  const owner = owners.take();
  const { rows, frame } = recommended;
  const queue: Promise<WrittenAt>[] = [];
  let next = 0;
  const begin = (): void => {
    while (next < rows && queue.length <= pool.threads) {
      const to = Math.min(rows, next + CHUNK_ROWS);
      const input = { demand, recommended: frame, form, from: next, to, isLabelled: plan.isLabelled, owner }; // prettier-ignore
      const writing = pool.run('writeRecommendations', input, signal);
      // It is awaited in its turn; until then its failure is nobody's.
      writing.catch(() => undefined);
      queue.push(writing);
      next = to;
    }
  };
  try {
    for (begin(); queue.length > 0; begin()) {
      const { address, bytes } = (await queue.shift()) ?? { address: 0, bytes: 0 };
      yield viewOf(arena, address, bytes);
      arena.free(address, bytes);
    }
  } finally {
    await Promise.allSettled(queue);
    arena.release(owner);
    owners.giveBack(owner);
  }
}

function viewOf(arena: Arena, address: number, bytes: number): Uint8Array {
  return arena.u8(address, bytes);
}
