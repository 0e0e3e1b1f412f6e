/** Commits of builders of one bucket: those of a builder that another followed are refused. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { StaleBuilder, type Mark } from '../../../src/storage/mark.ts';
import { BuiltSets } from '../../../src/storage/objects/built-sets.ts';
import { Lease } from '../../../src/storage/objects/lease.ts';
import type { ObjectSets } from '../../../src/storage/objects/object-sets.ts';
import { startObjectWorld } from '../../support/stores/object-stores.ts';
import { dayKey, encoded, newArena } from '../../support/stores/stored-sets.ts';

const world = await startObjectWorld();
after(() => world.stop());
const arena = newArena(8 << 20);
const set = (day: number): ReturnType<typeof encoded> =>
  encoded(dayKey(day), { cpuCost: [day], pod: [`pod-${day}`] });
const daysIn = (sets: ObjectSets): number => sets.list('allocations').length;

test('a builder that another followed commits nothing, and what callers write follows any builder', async () => {
  const options = { prefix: 'followed/', lookMs: 3_600_000 };
  const [first, second] = [await world.open(arena, options), await world.open(arena, options)];
  const [marked, next] = [
    { holder: 'a', term: 1 },
    { holder: 'b', term: 2 },
  ].map((mark: Mark) => (): Mark => mark);
  assert.ok(marked !== undefined && next !== undefined);
  await first.claim(marked);
  const built = new BuiltSets(first, marked);
  await built.write([await set(0)]);
  await second.claim(next);
  await assert.rejects(built.write([await set(1)]), (error) => {
    assert.ok(error instanceof StaleBuilder);
    assert.match(error.message, /^nothing is stored: b has built since, in term 2, and this .* 1$/);
    return true;
  });
  await assert.rejects(built.remove([dayKey(0)]), StaleBuilder);
  await assert.rejects(
    first.claim(() => ({ holder: 'c', term: 2 })),
    StaleBuilder,
  );
  await first.write([await set(2)]);
  assert.deepEqual(first.state.builder, next());
  await new BuiltSets(second, next).write([await set(3)]);
  const fresh = await world.open(arena, options);
  assert.deepEqual([daysIn(fresh), fresh.state.builder], [3, next()]);
  for (const sets of [first, second, fresh]) await sets.close();
});

test('a builder without the lease commits nothing, and the lease is given back at its end', async () => {
  const sets = await world.open(arena, { prefix: 'leased/', lookMs: 3_600_000 });
  const leaseOf = (holder: string): Lease =>
    new Lease({
      objects: world.bucket,
      key: 'leased/lease.json',
      holder,
      ttlMs: 60_000,
      termAtLeast: () => sets.state.builder?.term ?? 0,
      note: () => undefined,
    });
  for (const [holder, term] of [['a', 1], ['b', 2]] as const) {
    const lease = leaseOf(holder);
    const built = new BuiltSets(sets, () => lease.mark());
    await assert.rejects(built.write([await set(term)]), /this process may not build now: nobody/);
    const stop = new AbortController();
    const running = lease.run(async (mark, signal) => {
      assert.deepEqual(mark, { holder, term });
      await sets.claim(() => lease.mark());
      await built.write([await set(term)]);
      stop.abort(new Error('it is done'));
      signal.throwIfAborted();
    }, stop.signal);
    await assert.rejects(running, /it is done/);
    assert.deepEqual([daysIn(sets), lease.state.isHeld], [term, false]);
  }
  await sets.close();
}); // prettier-ignore
