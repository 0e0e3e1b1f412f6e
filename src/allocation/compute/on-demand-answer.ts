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
import type { ComputeTasks } from './tasks.ts';

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
  const { format, keys, isRaw, resolutionMs, isOldestFirst, view } = plan;
  const { accounts, nodes } = computed;
  const { length } = plan.sets;
  const make: Make = (shown, phase) => {
    // Sets of the plan are newest first.
    const place = isOldestFirst ? length - 1 - shown : shown;
    const set = ledgerSet(plan, place);
    const window = { startMs: set.startMs, endMs: set.endMs };
    const input = {
      accounts,
      nodes,
      set,
      query: { ...plan.query, overheads: overheadsOf(plan.overheadsUsd[place] ?? 0) },
      external: external[place] ?? '',
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
    envelope: VIEWS[view].envelope(isOldestFirst ? plan.sets.toReversed() : plan.sets, plan.window),
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
  for (let place = 1; place < plan.sets.length; place++) {
    const rows = await make(place, 'before');
    try {
      slots.giveBack(await slots.take(SLOT_LEAST_BYTES, signal));
    } finally {
      rows.release();
    }
  }
}
