import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GroupedSets } from '../../../src/allocation/index.ts';
import { Arena, Owners } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const PAGE_BYTES = 65_536;

function keeping(budgetBytes: number): {
  arena: Arena;
  sets: GroupedSets;
  open: (id: string, bytes?: number) => Promise<() => void>;
  made: string[];
} {
  const arena = new Arena(dirtyMemory(16 << 20));
  const owners = new Owners(arena);
  const sets = new GroupedSets({ arena, owners, budgetBytes });
  const made: string[] = [];
  const open = async (id: string, bytes: number = 100): Promise<() => void> => {
    const { release } = await sets.open(id, async (keeper, owner) => {
      made.push(id);
      arena.allocate(4 * PAGE_BYTES, owner);
      const frame = arena.allocate(bytes, keeper);
      await Promise.resolve();
      return { frame, dictionary: frame };
    });
    return release;
  };
  return { arena, sets, open, made };
}

test('those who ask at once and later get what was made once; what was needed on the way is freed', async () => {
  const { arena, open, made } = keeping(100 * PAGE_BYTES);
  const releases = await Promise.all([open('a'), open('a')]);
  for (const release of releases) release();
  (await open('a'))();
  assert.deepEqual(made, ['a']);
  assert.equal(arena.usedBytes, PAGE_BYTES);
});

test('past the budget what was used last stays, and nothing that is in use goes', async () => {
  const { arena, open, made } = keeping(64 * PAGE_BYTES);
  const held = await open('held');
  for (let i = 0; i < 200; i++) (await open(`${i}`))();
  assert.ok(arena.usedBytes <= 64 * PAGE_BYTES, `${arena.usedBytes} bytes`);
  (await open('199'))();
  (await open('held'))();
  (await open('0'))();
  assert.deepEqual(made.slice(-2), ['199', '0']);
  held();
});

test('what is large beside the budget goes when it is released', async () => {
  const { arena, open } = keeping(64 * PAGE_BYTES);
  (await open('large', 3 * PAGE_BYTES))();
  assert.equal(arena.usedBytes, 0);
});

test('a failure is told to all who wait, and nothing of it stays', async () => {
  const { arena, sets } = keeping(64 * PAGE_BYTES);
  const fail = (): Promise<unknown> =>
    sets.open('a', async (keeper) => {
      arena.allocate(1, keeper);
      await Promise.resolve();
      throw new Error('no');
    });
  const results = await Promise.allSettled([fail(), fail()]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(arena.usedBytes, 0);
});
