/** A thread that dies while it allocates: nobody waits for it, and the tables are whole. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { setTimeout as passed } from 'node:timers/promises';
import { after, test } from 'node:test';
import { Arena, Owners, type Owner } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { plainScript } from '../../support/servers/plain-script.ts';

const PAGE_BYTES = 65_536;
const MEMORY_BYTES = 8 << 20;
const SCRIPT = fileURLToPath(new URL('../../support/servers/busy-allocator.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'prorata-lock-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const allocator = await plainScript(SCRIPT, folder);

/** A worker that allocates for `owners`, once it is at it. */
function allocatorIn(arena: Arena, owners: readonly Owner[], isHolding: boolean): Worker {
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { memory: arena.memory, owners, isHolding, begun };
  const worker = new Worker(allocator, { workerData });
  Atomics.wait(begun, 0, 0, 20_000);
  assert.equal(begun[0], 1);
  return worker;
}

test('memory is handed out after a thread died while it held the lock', async () => {
  const arena = new Arena(dirtyMemory(MEMORY_BYTES));
  const [owner] = [new Owners(arena).take()];
  const worker = allocatorIn(arena, [owner], true);
  const ended = worker.terminate();
  arena.allocate(PAGE_BYTES, owner);
  assert.equal(arena.usedBytes, PAGE_BYTES);
  arena.release(owner);
  assert.equal(arena.usedBytes, 0);
  await ended;
});

test('wherever threads die while they allocate and free, nothing is lost and nothing handed out twice', async () => {
  for (let round = 0; round < 20; round++) {
    const arena = new Arena(dirtyMemory(MEMORY_BYTES));
    const owners = new Owners(arena);
    const [own, ...theirs] = Array.from({ length: 5 }, () => owners.take());
    assert.ok(own !== undefined);
    const first = allocatorIn(arena, theirs.slice(0, 2), false);
    const second = allocatorIn(arena, theirs.slice(2), false);
    await passed(round % 7);
    const ended = first.terminate();
    const runs = Array.from({ length: 20 }, () => arena.allocate(PAGE_BYTES, own));
    runs.forEach((address, i) => arena.f64(address, PAGE_BYTES / 8).fill(i));
    await Promise.all([ended, second.terminate()]);
    runs.forEach((address, i) => assert.equal(arena.f64(address, 1)[0], i));
    for (const owner of theirs) arena.release(owner);
    assert.equal(arena.usedBytes, 20 * PAGE_BYTES);
    arena.release(own);
    assert.equal(arena.usedBytes, 0);
    const all = arena.allocate(arena.capacityBytes - (arena.isChecked ? PAGE_BYTES : 0), own);
    arena.release(own);
    assert.ok(all > 0);
  }
});
