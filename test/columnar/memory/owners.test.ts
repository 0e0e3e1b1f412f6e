/** Owners of memory: held memory stays as long as its owner or its holder needs it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Arena, Owners, type Owner } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const PAGE_BYTES = 65_536;

function opened(): { arena: Arena; owners: Owners; withPage: () => [Owner, number] } {
  const arena = new Arena(dirtyMemory(4 << 20));
  const owners = new Owners(arena);
  const withPage = (): [Owner, number] => {
    const owner = owners.take();
    return [owner, arena.allocate(PAGE_BYTES, owner)];
  };
  return { arena, owners, withPage };
}

test('held memory stays after its owner is freed, until its holder is freed too', () => {
  const { arena, owners, withPage } = opened();
  const [held, address] = withPage();
  const [holder] = withPage();
  owners.hold(holder, held);
  owners.hold(holder, held);
  assert.deepEqual(owners.heldBy(holder), [held]);
  owners.free(held);
  assert.equal(arena.u8(address, PAGE_BYTES).length, PAGE_BYTES);
  assert.throws(() => arena.allocate(1, held), /was given back/);
  owners.free(holder);
  assert.throws(() => arena.u8(address, 1), /BUG/);
  assert.equal(arena.usedBytes, 0);
});

test('a cleared owner lets go of what it held, and stays alive', () => {
  const { arena, owners, withPage } = opened();
  const [held] = withPage();
  const [holder] = withPage();
  owners.hold(holder, held);
  owners.free(held);
  owners.clear(holder);
  assert.deepEqual([arena.usedBytes, owners.heldBy(holder)], [0, []]);
  arena.allocate(1, holder);
  owners.free(holder);
  assert.equal(arena.usedBytes, 0);
});

test('an owner that is freed twice is a bug, also while it is held', () => {
  const { owners } = opened();
  const [one, holder] = [owners.take(), owners.take()];
  owners.hold(holder, one);
  owners.free(one);
  assert.throws(() => owners.free(one), /BUG: owner \d+ is freed twice/);
  owners.free(holder);
  assert.throws(() => owners.free(one), /BUG: owner \d+ was given back/);
  assert.throws(() => owners.hold(holder, one), /BUG: owner \d+ was given back/);
});

test('an owner that is held cannot be cleared', () => {
  const { owners } = opened();
  const [one, holder] = [owners.take(), owners.take()];
  owners.hold(holder, one);
  assert.throws(() => owners.clear(one), /BUG: owner \d+ is held/);
});

test('a number is not reused soon', () => {
  const { owners } = opened();
  const numbers = Array.from({ length: 200_000 }, () => {
    const owner = owners.take();
    owners.free(owner);
    return owner;
  });
  assert.equal(new Set(numbers).size, numbers.length);
});

test('memory exists exactly as long as its owner or one of its holders, in any order', () => {
  const step = fc.record({
    kind: fc.constantFrom('take', 'hold', 'free' as const),
    a: fc.nat(30),
    b: fc.nat(30),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const { arena, owners, withPage } = opened();
      // The model: a list of all owners and holds, searched each time.
      const all: { owner: Owner; address: number; isFreed: boolean; holds: Set<number> }[] = [];
      const isThere = (i: number): boolean =>
        !all[i]?.isFreed || all.some((other, j) => other.holds.has(i) && isThere(j));
      for (const { kind, a, b } of steps) {
        const [first, second] = [all[a], all[b]];
        if (kind === 'take') {
          const [owner, address] = withPage();
          all.push({ owner, address, isFreed: false, holds: new Set() });
        } else if (kind === 'hold') {
          // A holder is newer than what it holds.
          if (!first || !second || first.isFreed || a <= b || !isThere(b)) continue;
          owners.hold(first.owner, second.owner);
          first.holds.add(b);
        } else if (first && !first.isFreed) {
          owners.free(first.owner);
          first.isFreed = true;
        }
        all.forEach(({ address }, i) => {
          if (isThere(i)) assert.equal(arena.u8(address, 1).length, 1);
          else assert.throws(() => arena.u8(address, 1), /BUG/);
        });
      }
    }),
    { numRuns: 100 },
  );
});
