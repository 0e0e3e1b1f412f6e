/** A worker thread that allocates and frees without end, or stands still in the allocator's lock. */
import { workerData } from 'node:worker_threads';
import { Arena, type Owner } from '../../../src/columnar/memory/arena.ts';
import type { ArenaMemory } from '../../../src/columnar/memory/arena-memory.ts';
import { PageTable } from '../../../src/columnar/memory/page-table.ts';

const { memory, owners, isHolding, begun } = workerData as {
  readonly memory: ArenaMemory;
  readonly owners: readonly Owner[];
  readonly isHolding: boolean;
  /** Set to 1 once it is at it. */
  readonly begun: Int32Array;
};
const arena = new Arena(memory);
const say = (): void => {
  Atomics.store(begun, 0, 1);
  Atomics.notify(begun, 0);
};

if (isHolding) {
  new PageTable(arena.buffer, arena.isChecked).locked(() => {
    say();
    for (;;) Atomics.load(begun, 0);
  });
}
for (let i = 0; ; i++) {
  const owner = owners[i % owners.length] ?? 0;
  const runs = [1, 3, 2].map((pages) => allocate(pages * 65_536, owner));
  for (const { address, bytes } of runs.slice(i % 2)) arena.free(address, bytes);
  arena.release(owner);
  if (i === 0) say();
}

function allocate(bytes: number, owner: Owner): { bytes: number; address: number } {
  return { bytes, address: arena.allocate(bytes, owner) };
}
