/** What every store of sets promises, over those that are on this machine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { createMemorySets, openArrowFiles } from '../../src/storage/index.ts';
import { promisesOfSets } from '../support/stores/sets-suite.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-sets-'));
after(() => rmSync(home, { recursive: true, force: true }));
let folders = 0;

promisesOfSets('arrow-files', {
  open: (arena) =>
    openArrowFiles({ folder: join(home, `s${folders++}`), arena, note: () => undefined }),
});
promisesOfSets('memory', {
  open: (arena) => Promise.resolve(createMemorySets({ arena, owner: 1 })),
});
