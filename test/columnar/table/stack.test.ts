/** Tables one after the other, against plain concatenation of lists. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stackTables } from '../../../src/columnar/index.ts';
import { newArena, tableOf } from '../../support/stores/stored-sets.ts';

const OWNER = 1;

test('rows of all tables follow one another, zero or empty in columns that a table lacks', () => {
  const arena = newArena();
  const row = fc.record({ pod: fc.string({ maxLength: 3 }), cost: fc.double({ noNaN: true }) });
  const table = fc.record({
    rows: fc.array(row, { maxLength: 5 }),
    hasPod: fc.boolean(),
    hasCost: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(table, { maxLength: 4 }), (tables) => {
      const parts = tables.map(({ rows, hasPod, hasCost }) => {
        const pod = hasPod ? { pod: rows.map((one) => one.pod) } : {};
        const cost = hasCost ? { cost: rows.map((one) => one.cost) } : {};
        return tableOf({ ...pod, ...cost }, rows.length);
      });
      const names = { texts: ['pod', 'none'], numbers: ['cost', 'nothing'] };
      const stacked = stackTables(arena, OWNER, parts, names);
      const expected = tables.flatMap(({ rows, hasPod, hasCost }) =>
        rows.map(({ pod, cost }) => [hasPod ? pod : '', hasCost ? cost : 0]),
      );
      const [pods, costs] = [stacked.text('pod'), stacked.numbers('cost')];
      const rows = Array.from({ length: stacked.rows }, (_, at) => [
        pods?.texts.text(pods.codes[at] ?? 0) ?? '',
        costs?.values[at] ?? 0,
      ]);
      assert.deepEqual(rows, expected);
      assert.equal(stacked.text('none'), undefined);
      assert.equal(stacked.numbers('nothing'), undefined);
      arena.release(OWNER);
    }),
  );
});
