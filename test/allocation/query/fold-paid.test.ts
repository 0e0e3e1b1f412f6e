/** What rows of a group pay for, summed by key, against maps of plain numbers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldPaid } from '../../../src/allocation/query/fold-paid.ts';
import { PAID_COLUMNS } from '../../../src/allocation/row/schema.ts';
import {
  compileKernels,
  createEngine,
  createFrame,
  DictionaryBuilder,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { exactSum } from '../../support/references/exact-sum.ts';
import { tableOf } from '../../support/stores/stored-sets.ts';

const OWNER = 1;
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), OWNER);

interface Row {
  /** Beyond the groups: the row is left out. */
  readonly group: number;
  readonly paid: Readonly<Record<string, number>>;
}

const GROUPS = 3;
const cost = fc.oneof(
  fc.integer({ min: -9, max: 9 }),
  fc.double({ min: 1e-6, max: 1e3, noNaN: true }),
);
const row = fc.record<Row>({
  group: fc.nat({ max: GROUPS }),
  paid: fc.dictionary(fc.constantFrom('a', 'b', '1', '__proto'), cost),
});

const textOf = ({ paid }: Row): string => {
  const members = Object.entries(paid).map(([key, cost]) => [key, { cost, providerID: key }]);
  return members.length === 0 ? '' : JSON.stringify(Object.fromEntries(members));
};

function sums(rows: readonly Row[], group: number): Record<string, unknown> | null {
  const of = rows.filter((one) => one.group === group).flatMap(({ paid }) => Object.entries(paid));
  if (of.length === 0) return null;
  const byKey = new Map<string, number[]>();
  for (const [key, usd] of of) byKey.set(key, [...(byKey.get(key) ?? []), usd]);
  const exact = [...byKey].map(([key, all]) => [key, { cost: exactSum(all), providerID: key }]);
  return Object.fromEntries(exact) as Record<string, unknown>;
}

test('members of one key add up, rounded once, whichever rows and sets they are of; rows left out do not count', () => {
  fc.assert(
    fc.property(fc.array(fc.array(row, { maxLength: 8 }), { maxLength: 3 }), (sets) => {
      const parts = sets.map((rows) => {
        const groups = Uint32Array.from(rows, ({ group }) => group);
        const table = tableOf({ pvs: rows.map(textOf) }, rows.length);
        return { table, groups, describing: groups };
      });
      const columns = PAID_COLUMNS.map((name) => ({ name, type: 'u32' as const }));
      const frame = createFrame(engine.arena, columns, GROUPS, OWNER);
      const texts = new DictionaryBuilder();
      foldPaid(parts, frame, texts);
      for (let group = 0; group < GROUPS; group++) {
        const text = texts.text(frame.u32('pvs')[group] ?? NaN);
        const folded = text === '' ? null : (JSON.parse(text) as Record<string, unknown>);
        assert.deepEqual(folded, sums(sets.flat(), group));
      }
      assert.ok(frame.u32('lbAllocations').every((code) => code === 0));
      engine.arena.release(OWNER);
    }),
  );
});
