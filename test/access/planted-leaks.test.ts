/** Leaks that are put into a copy of the sources, one at a time: two worlds must show each. At the gate its place is looked up only. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { edited, plantedTree, type Planted } from '../../scripts/torture/planted.ts';
import { isCheckable } from '../../scripts/torture/server.ts';
import { evenly, isProof } from '../support/sampled.ts';
import { compareIn, SCOPES, startWorlds } from '../support/servers/two-worlds.ts';
import { eachQuestion, worldQuestions } from '../support/world-questions.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Number of questions, among those where a leak shows. */
const QUESTIONS = 60;

/** A leak, and what is asked where it shows. */
type Leak = Planted & { readonly shows: RegExp };

const leak = (name: string, shows: RegExp, file: string, find: string, replace: string): Leak => ({
  name,
  shows,
  edits: [{ file, find, replace }],
});

const LEAKS: readonly Leak[] = [
  leak('idle is shown to every caller', /[iI]dle=true/, 'src/http/params.ts', 'this.seesIdle = scope === null || seesIdle;', 'this.seesIdle = true;'),
  leak('all collections are listed', /GET \S*\/collections?\b/, 'src/collections/routes.ts', "path,\n    needs: 'viewer',\n    scoping: { refused: NAMES_OF_ALL },", "path,\n    needs: 'viewer',\n    scoping: 'unneeded',"),
  leak('warnings name and count others', /GET \S*\/allocation\b/, 'src/allocation/stored-routes.ts', 'if (isScoped) return', 'if (isScoped && ignored.length > 99) return'),
  leak('entity tags are of all rows', /GET \S*\/allocation\b/, 'src/http/answering.ts', 'const tag = scope === null ? id : scopedTag(body, scope);', 'const tag = id;'),
  leak('a filter of the request replaces that of the caller', /[fF]ilter/, 'src/http/filter-params.ts', 'return params.scoped(readFilterParams(params, table), read);', 'const own = readFilterParams(params, table); const joined = params.scoped(own, read); return own ?? joined;'),
  leak('predictions look at all rows', /\/speccost|\/mcp/, 'src/prediction/params.ts', 'filter: params.scoped(null, readAllocationFilter),', 'filter: params.scoped(null, readAllocationFilter) && null,'),
]; // prettier-ignore

for (const { name, edits } of LEAKS)
  test(`the place for a leak stands in the sources: ${name}`, () => {
    for (const edit of edits) {
      const text = readFileSync(join(ROOT, edit.file), 'utf8');
      assert.notEqual(edited(text, edit), text);
    }
  });

for (const { name, shows, edits } of isProof ? LEAKS : [])
  test(`two worlds show a leak: ${name}`, async (t) => {
    const tree = plantedTree(ROOT, edits);
    try {
      isCheckable(tree); // builds its bundle
      const worlds = await startWorlds(join(tree, 'src/prorata.js'));
      const differences: string[] = [];
      try {
        const all = (await worldQuestions(worlds)).filter(({ method, path, tried }) =>
          shows.test(`${method} ${path} ${tried}`),
        );
        await eachQuestion(evenly(all, QUESTIONS, 0), async (question) => {
          for (const as of Object.keys(SCOPES))
            differences.push(...(await compareIn(worlds, as, question)).differences);
        });
      } finally {
        for (const world of worlds) await world.stop();
      }
      assert.ok(differences.length > 0, 'no answer differs');
      t.diagnostic(`${differences.length} differ, first ${differences[0]?.slice(0, 300)}`);
    } finally {
      rmSync(tree, { recursive: true, force: true });
    }
  });
