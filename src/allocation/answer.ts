/** The answer, set by set and chunk by chunk: memory does not grow with its length. */
import type { Arena, Owner, Owners } from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import type { Envelope } from './envelope.ts';
import type { Format } from './format.ts';
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

/** An answer: how it is written, and how each of its sets is made. */
export interface Answering {
  /** How many; each is one object of the answer's list. */
  readonly sets: number;
  readonly format: Format;
  /** What stands around the sets of a JSON answer. */
  readonly envelope: Envelope;
  /** First line of a CSV. */
  readonly csvHeader: string;
  /** What a set's rows are, ready to be written; held by `owner`. */
  readonly set: (place: number, owner: Owner) => Promise<SetAt>;
  /** Asked for when all sets are written. */
  readonly warnings: () => readonly string[];
  readonly isPartial: () => boolean;
}

/** Chunks of the answer in its format; each is valid until the next is asked for. */
export function writeAnswer(
  context: AnswerContext,
  answering: Answering,
): AsyncGenerator<Uint8Array> {
  return answering.format.kind === 'json'
    ? jsonAnswer(context, answering)
    : lineAnswer(context, answering);
}

/** The header, then the lines of each set. */
async function* lineAnswer(
  context: AnswerContext,
  answering: Answering,
): AsyncGenerator<Uint8Array> {
  for (let place = 0; place < answering.sets; place++) {
    yield* setChunks(context, answering, place, place === 0 ? answering.csvHeader : '');
  }
}

/** `{"code":200,"data":…,"warnings"?,"partial"?}` */
async function* jsonAnswer(
  context: AnswerContext,
  answering: Answering,
): AsyncGenerator<Uint8Array> {
  const { sets, envelope } = answering;
  const head = `{"code":200,"data":${envelope.head}`;
  if (sets === 0) yield Buffer.from(head);
  for (let place = 0; place < sets; place++) {
    const opening = `${place === 0 ? head : ','}${envelope.open}`;
    yield* setChunks(context, answering, place, opening);
    yield Buffer.from(envelope.close(place));
  }
  const warnings = answering.warnings();
  const told = warnings.length > 0 ? `,"warnings":${JSON.stringify(warnings)}` : '';
  yield Buffer.from(`${envelope.tail}${told}${answering.isPartial() ? ',"partial":true' : ''}}`);
}

/**
 * @param place the set's, in the order of the answer
 * @param opening comes once the set is grouped: what fails before is not an answer broken off
 */
async function* setChunks(
  context: AnswerContext,
  answering: Answering,
  place: number,
  opening: string,
): AsyncGenerator<Uint8Array> {
  const owner = context.owners.take();
  try {
    const set = await answering.set(place, owner);
    if (opening !== '') yield Buffer.from(opening);
    yield* rowChunks(context, set, owner);
    context.onSet?.(place + 1, answering.sets);
  } finally {
    context.arena.release(owner);
    context.owners.giveBack(owner);
  }
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
