/** The answer, set by set and chunk by chunk: memory does not grow with its length. */
import type { Arena, Owner, Owners } from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import type { Window } from '../query/index.ts';
import { csvHeader } from './csv.ts';
import type { RowOptions } from './format.ts';
import type { Computed } from './on-demand.ts';
import { ledgerSet, type Plan } from './plan.ts';
import type { AllocationTasks, SetAt } from './tasks.ts';

const SLOT_BYTES = 1 << 20;

export interface AnswerContext {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<AllocationTasks>;
  readonly signal: AbortSignal;
  /** Told when another set is written. */
  readonly onSet?: (done: number, total: number) => void;
}

/** Chunks of the answer in the plan's format; each is valid until the next is asked for. */
export function answer(
  context: AnswerContext,
  plan: Plan,
  computed: Computed,
): AsyncGenerator<Uint8Array> {
  const { format } = plan;
  if (format.kind === 'json') return jsonAnswer(context, plan, computed);
  const header = format.kind === 'csv' ? csvHeader(format, plan.keys, plan) : '';
  return lineAnswer(context, plan, computed, header);
}

/** The header, then the lines of each set. */
async function* lineAnswer(
  context: AnswerContext,
  plan: Plan,
  computed: Computed,
  header: string,
): AsyncGenerator<Uint8Array> {
  for (const place of plan.sets.keys()) {
    yield* setChunks(context, plan, computed, place, place === 0 ? header : '');
  }
}

/** `{"code":200,"data":[set, …],"warnings"?,"partial"?}` */
async function* jsonAnswer(
  context: AnswerContext,
  plan: Plan,
  computed: Computed,
): AsyncGenerator<Uint8Array> {
  for (const place of plan.sets.keys()) {
    const opening = place === 0 ? '{"code":200,"data":[{' : ',{';
    yield* setChunks(context, plan, computed, place, opening);
    yield Buffer.from('}');
  }
  const warnings =
    computed.warnings.length > 0 ? `,"warnings":${JSON.stringify(computed.warnings)}` : '';
  yield Buffer.from(`]${warnings}${computed.isPartial ? ',"partial":true' : ''}}`);
}

/**
 * @param place the set's, newest first
 * @param opening comes once the set is grouped: what fails before is not an answer broken off
 */
async function* setChunks(
  context: AnswerContext,
  plan: Plan,
  computed: Computed,
  place: number,
  opening: string,
): AsyncGenerator<Uint8Array> {
  const set = ledgerSet(plan, place);
  const owner = context.owners.take();
  try {
    const { accounts, nodes } = computed;
    const { keys, idle } = plan;
    const options = rowOptions(plan, set);
    const input = { accounts, nodes, set, keys, idleNames: idle ?? 'one', options, owner };
    const grouped = await context.pool.run('set', input, context.signal);
    if (opening !== '') yield Buffer.from(opening);
    yield* rowChunks(context, grouped, owner);
    context.onSet?.(place + 1, plan.sets.length);
  } finally {
    context.arena.release(owner);
    context.owners.giveBack(owner);
  }
}

function rowOptions({ resolutionMs, isRaw, format }: Plan, set: Window): RowOptions {
  const { startMs: windowStartMs, endMs: windowEndMs } = set;
  return { windowStartMs, windowEndMs, resolutionMs, isRaw, format };
}

async function* rowChunks(
  context: AnswerContext,
  set: SetAt,
  owner: Owner,
): AsyncGenerator<Uint8Array> {
  const { arena, pool, signal } = context;
  let slot = { address: arena.allocate(SLOT_BYTES, owner), bytes: SLOT_BYTES };
  for (let row = 0; row < set.rows;) {
    const chunk = await pool.run('encode', { set, row, slot }, signal);
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
