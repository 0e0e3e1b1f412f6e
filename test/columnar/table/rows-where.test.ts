import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DictionaryBuilder, rowsWhere } from '../../../src/columnar/index.ts';

test('the rows with an accepted text are selected, and each different text is tested once', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 100 }), fc.array(text), (rows, others) => {
      const texts = new DictionaryBuilder();
      for (const other of others) texts.code(other);
      const codes = Uint32Array.from(rows, (row) => texts.code(row));
      const tested: string[] = [];
      const found = rowsWhere({ codes, texts }, (each) => {
        tested.push(each);
        return each.startsWith('a');
      });
      assert.equal(found.rows, rows.length);
      const expected = rows.flatMap((row, i) => (row.startsWith('a') ? [i] : []));
      assert.deepEqual([...found.indices()], expected);
      assert.deepEqual(tested, [...new Set(rows)]);
    }),
  );
});
