/** Puts batches into the arena, and watches that a kernel writes nowhere but where it may. */
import {
  BATCH_SLACK_BYTES,
  DamagedBatch,
  type ArenaBatch,
  type Engine,
  type Owner,
} from '../../../src/columnar/index.ts';

/** Copies `bytes` into the arena; the slack behind them is filled with ones, which no one may use. */
export function placeBatch(
  engine: Engine,
  owner: Owner,
  bytes: Uint8Array,
  encoding: ArenaBatch['encoding'],
): ArenaBatch {
  const address = engine.arena.allocate(bytes.length + BATCH_SLACK_BYTES, owner);
  const place = engine.arena.u8(address, bytes.length + BATCH_SLACK_BYTES);
  place.set(bytes);
  place.fill(255, bytes.length);
  return { address, bytes: bytes.length, encoding };
}

/** Whether `act` ended, or refused its batch as damaged. Anything else is thrown on. */
export function endsOrRefuses(act: () => void): 'ended' | 'refused' {
  try {
    act();
    return 'ended';
  } catch (error) {
    if (error instanceof DamagedBatch) return 'refused';
    throw error;
  }
}

export type Range = readonly [from: number, bytes: number];

/** The allocator's tables, which any allocation writes. */
const ALLOCATOR: Range = [256 * 1024, 768 * 1024];

/**
 * Runs `act` and tells the first address it wrote to outside of `allowed()`, which is asked
 * afterwards; -1 when there is none.
 */
export function strayWrite(engine: Engine, act: () => void, allowed: () => Range[]): number {
  const memory = Buffer.from(engine.arena.buffer);
  const before = Buffer.allocUnsafe(memory.length);
  memory.copy(before);
  act();
  for (const [address, bytes] of [ALLOCATOR, ...allowed()]) {
    const from = address >>> 0; // also where a run was freed since
    memory.copy(before, from, from, from + bytes);
  }
  if (memory.equals(before)) return -1;
  return memory.findIndex((byte, at) => byte !== before[at]);
}
