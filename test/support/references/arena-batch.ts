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

const PAGE_BYTES = 65_536;

/** Memory as it was last seen: copying all of it takes ten times as long as comparing it. */
const lastSeen = new WeakMap<Engine, Buffer>();

function copyOf(engine: Engine, memory: Buffer): Buffer {
  const known = lastSeen.get(engine);
  if (known?.length !== memory.length) {
    const copy = Buffer.from(memory);
    lastSeen.set(engine, copy);
    return copy;
  }
  for (let at = 0; at < memory.length; at += PAGE_BYTES) {
    const page = memory.subarray(at, at + PAGE_BYTES);
    if (!page.equals(known.subarray(at, at + PAGE_BYTES))) page.copy(known, at);
  }
  return known;
}

/**
 * Runs `act` and tells the first address it wrote to outside of `allowed()`, which is asked
 * afterwards; -1 when there is none.
 */
export function strayWrite(engine: Engine, act: () => void, allowed: () => Range[]): number {
  const memory = Buffer.from(engine.arena.buffer);
  const before = copyOf(engine, memory);
  act();
  const ranges = [ALLOCATOR, ...allowed(), [memory.length, 0] as const]
    .map(([address, bytes]) => ({ from: address >>> 0, bytes })) // also where a run was freed since
    .toSorted((one, other) => one.from - other.from);
  let at = 0;
  for (const { from, bytes } of ranges) {
    const end = Math.max(at, from);
    const [is, was] = [memory.subarray(at, end), before.subarray(at, end)];
    if (!is.equals(was)) return at + is.findIndex((byte, index) => byte !== was[index]);
    at = Math.max(at, from + bytes);
  }
  return -1;
}
