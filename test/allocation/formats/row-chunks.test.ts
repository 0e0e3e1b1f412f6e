/** Rows in chunks, whatever readers take of them, when they stand still, and how much memory is left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  RowEncoder,
  rowChunks,
  NOTHING_AFTER,
  type RowChunksOptions,
} from '../../../src/allocation/formats/row-chunks.ts';
import { Pace } from '../../../src/allocation/formats/pace.ts';
import { Room } from '../../../src/allocation/formats/room.ts';
import { encodeSlot, type SetAt } from '../../../src/allocation/formats/set-at.ts';
import { Slots, SLOT_LEAST_BYTES } from '../../../src/allocation/formats/slots.ts';
import type { AllocationTasks } from '../../../src/allocation/tasks.ts';
import { Arena, compileKernels, createEngine, Owners } from '../../../src/columnar/index.ts';
import type { Pool } from '../../../src/pool/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const MIB = 2 ** 20;
const memory = dirtyMemory(64 * MIB);
const owners = new Owners(new Arena(memory));
const engine = createEngine(compileKernels(), memory, owners.take());
const { arena } = engine;
const ROOM = new Room({ arena, owners, running: new Set() });

/** Encodes on this thread, a turn of the event loop later. */
const pool: Pool<AllocationTasks> = {
  threads: 2,
  state: { running: 0, waiting: 0, tasks: new Map() },
  async run(_, input) {
    await new Promise(setImmediate);
    const { set, row, slot } = input as AllocationTasks['encode']['input'];
    return encodeSlot(engine, set, row, slot) as never;
  },
  onMessage: () => () => undefined,
  close: () => Promise.resolve(),
};

/** Bytes as they are, each a row. */
function setOf(bytes: number): SetAt {
  const address = arena.allocate(bytes, owners.take());
  for (let i = 0; i < bytes; i += 4) arena.u32(address + i, 1)[0] = i;
  return { kind: 'bytes', address, rows: bytes, holds: [] };
}

const SET = setOf(6 * MIB);
const WHOLE = Buffer.from(arena.u8(SET.address, SET.rows));

function optionsOf(budgetBytes: number): RowChunksOptions {
  return {
    compute: { arena, owners, pool, slots: new Slots(arena, owners, budgetBytes, ROOM) },
    pace: new Pace(),
    signal: new AbortController().signal,
    after: NOTHING_AFTER,
  };
}

const written = {
  rows: SET.rows,
  use: <T>(work: (set: SetAt) => Promise<T>) => work(SET),
  release: () => undefined,
};

test('any reader gets the same bytes, and all slots are given back', async () => {
  const steps = fc.array(fc.constantFrom('at once', 'waits', 'stands still'), { minLength: 1 });
  const property = fc.asyncProperty(
    steps,
    fc.integer({ min: 0, max: 16 * MIB }),
    fc.boolean(),
    async (reader, budgetBytes, leaves) => {
      const usedBytes = arena.usedBytes;
      const encoder = new RowEncoder(optionsOf(budgetBytes), written);
      const chunks = encoder.chunks();
      const parts: Buffer[] = [];
      let step = await chunks.next();
      for (let i = 0; step.done !== true; i++) {
        parts.push(Buffer.from(step.value));
        const how = reader[i % reader.length];
        if (how === 'stands still') encoder.dropAhead();
        if (leaves && i === 20) await chunks.return();
        step = await chunks.next(how === 'at once');
      }
      const text = Buffer.concat(parts);
      assert.ok(text.equals(WHOLE.subarray(0, text.length)), 'each byte once, in order');
      if (!leaves) assert.equal(text.length, WHOLE.length);
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      assert.equal(arena.usedBytes, usedBytes, 'no slot is left');
    },
  );
  await fc.assert(property, { numRuns: 40 });
});

test('P-L7: readers that stand still share a budget beside a small slot each', async () => {
  const usedBytes = arena.usedBytes;
  const options = optionsOf(8 * MIB);
  const readers = Array.from({ length: 50 }, () =>
    rowChunks({ ...options, pace: new Pace() }, written),
  );
  // Sockets take some of anybody, in which time chunks grow.
  for (let chunk = 0; chunk < 12; chunk++) {
    for (const reader of readers) await reader.next(true);
  }
  assert.ok(
    arena.usedBytes - usedBytes <= 8 * MIB + readers.length * SLOT_LEAST_BYTES,
    `${arena.usedBytes - usedBytes} bytes are held`,
  );
  for (const reader of readers) await reader.return();
  assert.equal(arena.usedBytes, usedBytes, 'no slot is left');
});
