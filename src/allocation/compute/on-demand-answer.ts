/** The answer of an on-demand query: each set grouped from the sums of the query. */
import type { Owner } from '../../columnar/index.ts';
import { ownRows, writeAnswer, type AnswerChunks, type AnswerContext } from '../formats/answer.ts';
import { streamEnds, VIEWS } from '../formats/view.ts';
import type { Computed } from './computed.ts';
import { overheadsOf } from '../query/shared-overhead.ts';
import { pageOptions } from '../query/page.ts';
import { ledgerSet, type Plan } from '../params/plan.ts';
import type { Room, Waiting } from '../formats/room.ts';
import type { RowCompute, WrittenRows } from '../formats/row-chunks.ts';
import { SLOT_LEAST_BYTES } from '../formats/slots.ts';
import type { FormatTasks } from '../formats/tasks.ts';
import type { ComputeTasks, SetInput } from './tasks.ts';

export interface ComputeContext extends AnswerContext {
  readonly compute: RowCompute<FormatTasks & ComputeTasks> & { readonly room: Room };
}

/**
 * Chunks of the answer in the plan's format; each is valid until the next is taken.
 * @param external rows of external costs, a text a set
 * @param self the owner of the sums
 */
export function answer(
  context: ComputeContext,
  plan: Plan,
  computed: Computed,
  external: readonly string[],
  self: Owner,
): AnswerChunks {
  const { compute, signal } = context;
  const { format, keys, isRaw, resolutionMs, isOldestFirst, view, isSummed } = plan;
  const { accounts, nodes } = computed;
  const shownSets = isSummed ? [plan.window] : plan.sets;
  const { length } = shownSets;
  const make: Make = (shown, phase) => {
    // Sets of the plan are newest first.
    const place = isOldestFirst ? length - 1 - shown : shown;
    const sets = isSummed ? setsOf(plan, external).toReversed() : setsOf(plan, external, place);
    const [first, last] = [sets[0]?.set, sets.at(-1)?.set];
    const window = { startMs: first?.startMs ?? NaN, endMs: last?.endMs ?? NaN };
    const input = {
      accounts,
      nodes,
      sets,
      page: pageOptions(plan, window, plan.nowMs),
      options: { window, resolutionMs, isRaw, format },
      view,
    };
    const waiting: Waiting = { phase, signal, self, refuse: (error) => error };
    return ownRows(compute, (owner) =>
      compute.room.use(owner, waiting, () => compute.pool.run('set', { ...input, owner }, signal)),
    );
  };
  return writeAnswer(context, {
    sets: length,
    format,
    isOpenCost: plan.dialect === 'opencost',
    envelope: VIEWS[view].envelope(isOldestFirst ? shownSets.toReversed() : shownSets, plan.window),
    ends: streamEnds(format, view, keys, plan),
    opensAhead: false,
    async open(place) {
      if (place > 0) return await make(place, 'after');
      await tryAll(context, plan, self, make);
      return await make(place, 'before');
    },
    caveats: () => computed,
    nodeCosts: computed.nodeCosts,
  });
}

/** The set at a place of the plan, or all sets if none is given. */
function setsOf(plan: Plan, external: readonly string[], only?: number): SetInput['sets'] {
  const usd = plan.isSummed ? Math.max(...plan.overheadsUsd) : 0;
  return plan.sets.flatMap((_, place) => {
    if (only !== undefined && place !== only) return [];
    const own = plan.overheadsUsd[place] ?? 0;
    // Sets that are summed have the same sources of shared cost, of which some may be 0.
    const overheads = overheadsOf(usd > 0 ? usd : own).map((each) => ({ ...each, usd: own }));
    const query = { ...plan.query, overheads };
    return [{ set: ledgerSet(plan, place), query, external: external[place] ?? '' }];
  });
}

/** Makes the rows of a set; before or after the answer's first byte. */
type Make = (place: number, phase: Waiting['phase']) => Promise<WrittenRows>;

/** Part of the arena: sums that take more leave little for the sets made from them. */
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
  const { length } = plan.isSummed ? [plan.window] : plan.sets;
  for (let place = 1; place < length; place++) {
    const rows = await make(place, 'before');
    try {
      slots.giveBack(await slots.take(SLOT_LEAST_BYTES, signal));
    } finally {
      rows.release();
    }
  }
}
