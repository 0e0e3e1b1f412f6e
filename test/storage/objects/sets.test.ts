/** What every store of sets promises, over objects in a bucket. */
import { after } from 'node:test';
import { startObjectWorld } from '../../support/stores/object-stores.ts';
import { promisesOfSets } from '../../support/stores/sets-suite.ts';

const world = await startObjectWorld();
after(() => world.stop());
let stores = 0;

promisesOfSets('a bucket', {
  open: (arena) => world.open(arena, { prefix: `store ${stores++}/` }),
  read: world.threads.read,
});
