/** Overlaps of collections, beside sets whose members are counted one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Cost } from '../../src/collections/cost.ts';
import { overlapSelections, overlapsIn, OVERLAPPING_MAX, refuseManyOverlaps } from '../../src/collections/overlaps.ts'; // prettier-ignore
import { union, type Selection } from '../../src/collections/selection.ts';
import { parseFilter } from '../../src/query/index.ts';

/** Things that cost 1, 2, 4 … USD: a sum tells which of them it has. */
const THINGS = 8;
const FILTERS = Array.from({ length: THINGS }, (_, thing) =>
  parseFilter(`thing:"${thing}"`, {
    parameter: 'filter',
    fields: [{ name: 'thing' }],
    example: 'thing:"1"',
  }),
);

function selectionOf(things: readonly number[]): Selection {
  return { kubernetes: things.map((thing) => FILTERS[thing] ?? null), cloud: [] };
}

function costOf({ kubernetes }: Selection): Cost {
  const things = new Set(kubernetes.map((filter) => FILTERS.indexOf(filter)));
  const kubernetesUsd = [...things].reduce((sum, thing) => sum + 2 ** thing, 0);
  return { kubernetesUsd, idleUsd: 0, cloudUsd: 0 };
}

const usdOf = (things: readonly number[]): number =>
  [...new Set(things)].reduce((sum, thing) => sum + 2 ** thing, 0);

test('two collections share what both select, and one has alone what no other selects', () => {
  const things = fc.uniqueArray(fc.nat({ max: THINGS - 1 }));
  fc.assert(
    fc.property(fc.array(things, { minLength: 1, maxLength: 6 }), (members) => {
      const selections = members.map(selectionOf);
      const found = overlapsIn(
        selections.map(costOf),
        costOf(union(selections)),
        overlapSelections(selections).map(costOf),
      );
      const shared = members.flatMap((one, a) =>
        members.slice(a + 1).map((other, at) => ({
          pair: [a, a + 1 + at],
          usd: usdOf(one.filter((thing) => other.includes(thing))),
        })),
      );
      const alone = members.map((own, place) =>
        usdOf(
          own.filter((thing) => !members.some((each, at) => at !== place && each.includes(thing))),
        ),
      );
      assert.deepEqual(found, { pairs: shared.filter(({ usd }) => usd > 0), alone });
    }),
  );
});

test('overlaps of more collections than can be read at once are refused', () => {
  refuseManyOverlaps(OVERLAPPING_MAX);
  assert.throws(() => refuseManyOverlaps(OVERLAPPING_MAX + 1), {
    status: 422,
    parameter: 'overlaps',
  });
});
