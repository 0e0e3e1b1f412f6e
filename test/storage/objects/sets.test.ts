/** What every store of sets promises, over objects in a bucket. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { openArrowFiles } from '../../../src/storage/index.ts';
import { fsckObjects } from '../../../src/storage/objects/fsck.ts';
import { startObjectWorld } from '../../support/stores/object-stores.ts';
import { promisesOfSets } from '../../support/stores/sets-suite.ts';
import { dayKey, encoded, newArena } from '../../support/stores/stored-sets.ts';

const world = await startObjectWorld();
after(() => world.stop());
let stores = 0;

promisesOfSets('a bucket', {
  open: (arena) => world.open(arena, { prefix: `store ${stores++}/` }),
  read: world.threads.read,
});

test('a folder whose files are copied into a bucket, and back, is the same store there', async () => {
  const arena = newArena(8 << 20);
  const folder = join(world.home, 'moved');
  const note = (sentence: string): void => assert.fail(sentence);
  const files = await openArrowFiles({ folder, arena, note });
  await files.write([await encoded(dayKey(0), { pod: ['a'], cpuCost: [1] })]);
  const later = [0, 1].map((day) => encoded(dayKey(day), { pod: ['b'], cpuCost: [2 + day] }));
  await files.write(await Promise.all(later));
  await files.close();
  for (const name of readdirSync(folder, { encoding: 'utf8', recursive: true })) {
    if (!/^(manifest-\d+\.json|newest\.json|sets\/.+)$/.test(name)) continue;
    const content = readFileSync(join(folder, name));
    world.script.files.set(`moved/${name}`, { content, etag: `"${name}"` });
  }
  const sets = await world.open(arena, { prefix: 'moved/', note });
  const costs = [];
  for (const day of [0, 1]) {
    costs.push((await sets.read(dayKey(day), 1))?.table.numbers('cpuCost')?.values[0]);
    arena.release(1);
  }
  assert.deepEqual(costs, [2, 3]);
  await sets.write([await encoded(dayKey(2), { pod: ['c'], cpuCost: [4] })]);
  assert.equal(sets.list('allocations').length, 3);
  await sets.close();
  const place = { bucket: world.bucket, prefix: 'moved/' };
  const { damages } = await fsckObjects(place, new AbortController().signal);
  assert.deepEqual(damages, []);
  const again = join(world.home, 'moved-back');
  for (const [key, { content }] of world.script.files) {
    if (!key.startsWith('moved/')) continue;
    const path = join(again, key.slice('moved/'.length));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const back = await openArrowFiles({ folder: again, arena, note });
  assert.equal(back.list('allocations').length, 3);
  const last = await back.read(dayKey(2), 1);
  assert.deepEqual([...(last?.table.numbers('cpuCost')?.values ?? [])], [4]);
  arena.release(1);
  await back.close();
});
