/** The JSON answer, set by set and chunk by chunk: memory does not grow with its length. */
import type { Arena, Owner, Owners } from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import type { Window } from '../query/index.ts';
import type { Computed, Plan } from './on-demand.ts';
import type { AllocationTasks, SetAt } from './tasks.ts';

const SLOT_BYTES = 1 << 20;

export interface AnswerContext {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<AllocationTasks>;
  readonly signal: AbortSignal;
}

/** Chunks of `{"code":200,"data":[set, …],"warnings"?}`; each is valid until the next is asked for. */
export async function* answer(
  context: AnswerContext,
  plan: Plan,
  computed: Computed,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"code":200,"data":[');
  for (const [place, set] of plan.sets.entries()) {
    yield Buffer.from(place === 0 ? '{' : ',{');
    yield* setChunks(context, plan, computed, set, plan.sets.length - 1 - place);
    yield Buffer.from('}');
  }
  const warnings =
    computed.warnings.length > 0 ? `,"warnings":${JSON.stringify(computed.warnings)}` : '';
  yield Buffer.from(`]${warnings}}`);
}

/** @param index the set's place in ascending order */
async function* setChunks(
  context: AnswerContext,
  plan: Plan,
  computed: Computed,
  set: Window,
  index: number,
): AsyncGenerator<Uint8Array> {
  const owner = context.owners.take();
  try {
    const input = {
      accounts: computed.accounts,
      set: { ...set, index, resolutionMs: plan.resolutionMs },
      keys: plan.keys,
      owner,
    };
    const grouped = await context.pool.run('set', input, context.signal);
    yield* rowChunks(context, plan, set, grouped, owner);
  } finally {
    context.arena.release(owner);
    context.owners.giveBack(owner);
  }
}

async function* rowChunks(
  context: AnswerContext,
  plan: Plan,
  set: Window,
  grouped: SetAt,
  owner: Owner,
): AsyncGenerator<Uint8Array> {
  const { arena, pool, signal } = context;
  let slot = { address: arena.allocate(SLOT_BYTES, owner), bytes: SLOT_BYTES };
  const options = { windowStartMs: set.startMs, windowEndMs: set.endMs, isRaw: plan.isRaw };
  for (let row = 0; row < grouped.rows;) {
    const chunk = await pool.run('encode', { set: grouped, row, slot, options }, signal);
    if (chunk.bytes === 0) {
      // A single row (its labels) is larger than the slot.
      const bytes = slot.bytes * 4;
      arena.free(slot.address, slot.bytes);
      slot = { address: arena.allocate(bytes, owner), bytes };
      continue;
    }
    row = chunk.nextRow;
    yield arena.u8(slot.address, chunk.bytes);
  }
}
