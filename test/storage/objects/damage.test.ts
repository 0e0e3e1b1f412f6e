/** Damaged, missing and lost objects: what is not as it was written is never read as nothing. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fsckObjects, quickCheckObjects } from '../../../src/storage/objects/fsck.ts';
import type { Sets } from '../../../src/storage/index.ts';
import { startObjectWorld } from '../../support/stores/object-stores.ts';
import { dayKey, encoded, newArena } from '../../support/stores/stored-sets.ts';

const world = await startObjectWorld();
after(() => world.stop());
const arena = newArena(8 << 20);
const { signal } = new AbortController();
let stores = 0;
const set = (day: number, cost: number): ReturnType<typeof encoded> =>
  encoded(dayKey(day), { cpuCost: [cost, 0.5], pod: [`pod-${cost}`, 'other'] });

/** A store with two versions of a day, and another day. */
async function stored(): Promise<{ prefix: string; newest: string; other: string }> {
  const prefix = `d${stores++}/`;
  const sets = await world.open(arena, { prefix });
  await sets.write([await set(0, 1), await set(1, 5)]);
  const before = new Set(world.script.files.keys());
  await sets.write([await set(0, 2)]);
  await sets.close();
  const keys = [...world.script.files.keys()].filter((key) => key.startsWith(`${prefix}sets/`));
  const newest = keys.find((key) => !before.has(key)) ?? assert.fail();
  const other = keys.find((key) => key.includes('allocations-20240502T')) ?? assert.fail();
  return { prefix, newest, other };
}

function damage(key: string): void {
  const file = world.script.files.get(key) ?? assert.fail();
  const content = Buffer.from(file.content);
  content.fill(7, 0, content.length - 200);
  world.script.files.set(key, { ...file, content });
}

async function costOf(sets: Sets, day: number): Promise<number | undefined> {
  const read = await sets.read(dayKey(day), 1);
  const cost = read?.table.numbers('cpuCost')?.values[0];
  arena.release(1);
  return cost;
}

test('a damaged set is set aside, and the version before it is used', async () => {
  const { prefix, newest, other } = await stored();
  damage(newest);
  const found = await fsckObjects({ bucket: world.bucket, prefix }, signal);
  const reasons = found.damages.map(({ reason }) => reason.replace(/^.*: /, ''));
  assert.deepEqual(reasons, ['its object has not the bytes written']);
  const sets = await world.open(arena, { prefix });
  assert.equal(await costOf(sets, 0), 1, 'the version before');
  const [day] = sets.list('allocations');
  assert.equal(day?.insteadOf, 'its object has not the bytes written');
  assert.match(world.notes.at(-1) ?? '', /are damaged: .*; the version before it is used$/);
  assert.ok(!world.script.files.has(newest), 'it is out of the way');
  assert.ok(world.script.files.has(newest.replace('/sets/', '/quarantine/')), 'and not destroyed');
  // Without an older version it is known to be damaged, by every process.
  damage(other);
  await assert.rejects(costOf(sets, 1), { name: 'DamagedSet' });
  const reader = await world.open(arena, { prefix });
  assert.throws(() => reader.locate(dayKey(1)), { name: 'DamagedSet' });
  await reader.write([await set(1, 6)]);
  await sets.look();
  assert.equal(await costOf(sets, 1), 6, 'until it is written again');
  await sets.close();
  await reader.close();
});

test('a damaged copy of a whole object is fetched again', async () => {
  const { prefix } = await stored();
  const sets = await world.open(arena, { prefix, folder: world.home });
  assert.equal(await costOf(sets, 0), 2);
  const { readdirSync, writeFileSync } = await import('node:fs');
  const cache = `${world.home}/cache`;
  for (const name of readdirSync(cache).filter((each) => each.endsWith('.arrow')))
    writeFileSync(`${cache}/${name}`, Buffer.alloc(50_000, 1));
  assert.equal(await costOf(sets, 0), 2);
  assert.equal(sets.list('allocations')[0]?.insteadOf, undefined);
  assert.deepEqual((await sets.verify()).damages, []);
  await sets.close();
  assert.deepEqual(readdirSync(cache), [], 'nothing is left of a cache');
});

test('an object that is missing is known by a list, and by whoever reads it on another thread', async () => {
  const { prefix, other } = await stored();
  const sets = await world.open(arena, { prefix });
  const located = sets.locate(dayKey(1)) ?? assert.fail();
  world.script.files.delete(other);
  await assert.rejects(world.threads.read(arena, located, 1), {
    name: 'DamagedSet',
    message: /are damaged: its object is missing$/,
  });
  const place = { bucket: world.bucket, prefix };
  assert.match((await quickCheckObjects(place, signal))[0]?.reason ?? '', /its object is missing$/);
  await sets.setAside(located);
  assert.throws(() => sets.locate(dayKey(1)), { name: 'DamagedSet' });
  await sets.close();
});

test('a manifest that is lost or damaged is noticed, and what it named is not taken for nothing', async () => {
  for (const harm of ['lost', 'damaged'] as const) {
    const { prefix } = await stored();
    const key = `${prefix}manifest-2.json`;
    const file = world.script.files.get(key) ?? assert.fail();
    if (harm === 'lost') world.script.files.delete(key);
    else world.script.files.set(key, { ...file, content: 'half' });
    const { damages } = await fsckObjects({ bucket: world.bucket, prefix }, signal);
    assert.match(damages[0]?.reason ?? '', /^manifest-2\.json is (missing|damaged)/);
    const sets = await world.open(arena, { prefix });
    assert.equal(await costOf(sets, 0), 1);
    assert.match(sets.list('allocations')[0]?.insteadOf ?? '', /manifest-2\.json is/);
    await sets.write([await set(0, 3)]);
    assert.ok(world.script.files.has(`${prefix}manifest-3.json`));
    const again = await world.open(arena, { prefix });
    assert.equal(await costOf(again, 0), 3);
    await sets.close();
    await again.close();
  }
});

test('a store of a later version is refused', async () => {
  const { prefix } = await stored();
  const key = `${prefix}manifest-2.json`;
  const file = world.script.files.get(key) ?? assert.fail();
  const content = Buffer.from(file.content).toString().replace('manifest 1 ', 'manifest 2 ');
  world.script.files.set(key, { ...file, content });
  await assert.rejects(world.open(arena, { prefix }), {
    message: /was written by a later version/,
  });
});
