/** Where runs are laid, against a list of pages that is searched from its start each time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FIRST_PAGE, PAGE_BYTES } from '../../../src/columnar/memory/arena-memory.ts';
import { Arena, createMemory, Owners, type Owner } from '../../../src/columnar/index.ts';

const PAGES = 64;

interface Run {
  readonly address: number;
  readonly owner: number;
  pages: number;
}

for (const isChecked of [false, true]) {
  const guards = isChecked ? 1 : 0;
  const how = isChecked ? 'checked' : 'unchecked';

  test(`each run is the lowest that is free, whatever was freed before, in ${how} memory`, () => {
    const step = fc.record({
      kind: fc.constantFrom('take', 'take', 'free', 'shrink', 'release' as const),
      pages: fc.integer({ min: 1, max: 6 }),
      at: fc.nat(40),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const arena = new Arena(createMemory(PAGES * PAGE_BYTES, isChecked));
        const owners = new Owners(arena);
        const known: Owner[] = Array.from({ length: 4 }, () => owners.take());
        const isUsed = Array.from({ length: PAGES }, (_, page) => page < FIRST_PAGE);
        const mark = (first: number, end: number, used: boolean): void => {
          isUsed.fill(used, first, end);
        };
        const pageOf = ({ address }: Run): number => (address >>> 0) / PAGE_BYTES;
        const lowest = (wanted: number): number | undefined => {
          const found = isUsed.findIndex((_, first) => {
            const pages = isUsed.slice(first, first + wanted);
            return pages.length === wanted && pages.every((used) => !used);
          });
          return found < 0 ? undefined : found;
        };
        let runs: Run[] = [];
        for (const { kind, pages, at } of steps) {
          const run = runs[at % Math.max(1, runs.length)];
          if (kind === 'take') {
            const owner = at % known.length;
            const expected = lowest(pages + guards);
            const take = (): number => arena.allocate(pages * PAGE_BYTES, known[owner] ?? 0);
            if (expected === undefined) {
              assert.throws(take, /the memory budget is spent/);
              continue;
            }
            const taken = { address: take(), owner, pages };
            assert.equal(pageOf(taken), expected);
            mark(expected, expected + pages + guards, true);
            runs.push(taken);
          } else if (kind === 'release') {
            const owner = at % known.length;
            arena.release(known[owner] ?? 0);
            for (const one of runs.filter((each) => each.owner === owner))
              mark(pageOf(one), pageOf(one) + one.pages + guards, false);
            runs = runs.filter((each) => each.owner !== owner);
          } else if (run && kind === 'free') {
            arena.free(run.address, run.pages * PAGE_BYTES);
            mark(pageOf(run), pageOf(run) + run.pages + guards, false);
            runs = runs.filter((each) => each !== run);
          } else if (run && pages < run.pages) {
            arena.shrink(run.address, run.pages * PAGE_BYTES, pages * PAGE_BYTES);
            mark(pageOf(run) + pages + guards, pageOf(run) + run.pages + guards, false);
            run.pages = pages;
          }
        }
      }),
      { numRuns: 200 },
    );
  });
}
