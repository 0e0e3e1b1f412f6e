/** The answer of an on-demand query: each set grouped from the sums of the query. */
import type { Owner } from '../../columnar/index.ts';
import { HOUR_MS, type Window } from '../../query/index.ts';
import { ownRows, writeAnswer, type AnswerChunks, type AnswerContext } from '../formats/answer.ts';
import { csvHeader } from '../formats/csv.ts';
import { LIST } from '../formats/envelope.ts';
import { framingOf } from '../formats/framing.ts';
import type { RowOptions } from '../params/format.ts';
import type { Computed } from './on-demand.ts';
import type { Overhead } from '../query/distribution.ts';
import { ledgerSet, type Plan } from '../params/plan.ts';
import type { Room, Waiting } from '../formats/room.ts';
import { allColumns } from '../formats/row-columns.ts';
import type { RowCompute, WrittenRows } from '../formats/row-chunks.ts';
import { SLOT_LEAST_BYTES } from '../formats/slots.ts';
import type { FormatTasks } from '../formats/tasks.ts';
import type { ComputeTasks, Shown } from './tasks.ts';

export interface ComputeContext extends AnswerContext {
  readonly compute: RowCompute<FormatTasks & ComputeTasks> & { readonly room: Room };
}

/** What peers call `shareCost` in a breakdown. */
const OVERHEAD = 'overheadCost';

/**
 * Chunks of the answer in the plan's format; each is valid until the next is asked for.
 * @param external rows of external costs, a text a set
 * @param self whom the sums belong to
 */
export function answer(
  context: ComputeContext,
  plan: Plan,
  computed: Computed,
  external: readonly string[],
  self: Owner,
): AnswerChunks {
  const { compute, signal } = context;
  const { format, keys } = plan;
  const { accounts, nodes } = computed;
  const make: Make = (place, phase) => {
    const set = ledgerSet(plan, place);
    const input = {
      accounts,
      nodes,
      set,
      query: { ...plan.query, overheads: overheadsOf(plan, place) },
      external: external[place] ?? '',
      shown: shownOf(plan, set),
      options: rowOptions(plan, set),
    };
    const waiting: Waiting = { phase, signal, self, refuse: (error) => error };
    return ownRows(compute, (owner) =>
      compute.room.use(owner, waiting, () => compute.pool.run('set', { ...input, owner }, signal)),
    );
  };
  return writeAnswer(context, {
    sets: plan.sets.length,
    format,
    envelope: LIST,
    framing: framingOf(
      format,
      (csv) => csvHeader(csv, keys, plan),
      () => allColumns(keys, plan),
    ),
    opensAhead: false,
    async open(place) {
      if (place > 0) return await make(place, 'after');
      await tryAll(context, plan, self, make);
      return await make(place, 'before');
    },
    warnings: () => computed.warnings,
    isPartial: () => computed.isPartial,
  });
}

/** Makes the rows of a set; before or after the answer's first byte. */
type Make = (place: number, phase: Waiting['phase']) => Promise<WrittenRows>;

/** Of the arena: sums that take more leave little for the sets that are made of them. */
const SUMS_SHARE = 1 / 6;

/**
 * A set that does not fit breaks no answer that has begun: where room is scarce each is made once before,
 * which takes little beside the reading.
 * @throws {ArenaFull}
 */
async function tryAll(
  { compute: { arena, slots }, signal }: AnswerContext,
  plan: Plan,
  self: Owner,
  make: Make,
): Promise<void> {
  if (arena.bytesOf(self) <= SUMS_SHARE * arena.capacityBytes) return;
  for (let place = 1; place < plan.sets.length; place++) {
    const rows = await make(place, 'before');
    try {
      slots.giveBack(await slots.take(SLOT_LEAST_BYTES, signal));
    } finally {
      rows.release();
    }
  }
}

function overheadsOf({ overheadsUsd }: Plan, place: number): Overhead[] {
  const usd = overheadsUsd[place] ?? 0;
  return usd > 0 ? [{ name: OVERHEAD, usd }] : [];
}

function shownOf({ costMetric, paging, nowMs }: Plan, { startMs, endMs }: Window): Shown {
  return { costMetric, paging, windowHours: (Math.min(endMs, nowMs) - startMs) / HOUR_MS };
}

function rowOptions({ resolutionMs, isRaw, format }: Plan, set: Window): RowOptions {
  const { startMs: windowStartMs, endMs: windowEndMs } = set;
  return { windowStartMs, windowEndMs, resolutionMs, isRaw, format };
}
