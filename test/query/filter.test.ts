import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ALLOCATION_FIELDS } from '../../src/allocation/row/filter-fields.ts';
import {
  allOf,
  anyOf,
  comparisonsIn,
  complement,
  formatFilter,
  parseFilter,
} from '../../src/query/index.ts';
import { filters } from '../support/arbitraries/filter-arbitraries.ts';
import { anyUnicode } from '../support/arbitraries/unicode.ts';

const anyText = anyUnicode({ maxLength: 6 });

test('the text of a filter with any values is read as the same filter', () => {
  const grammar = { parameter: 'filter', fields: ALLOCATION_FIELDS, example: '' };
  fc.assert(
    fc.property(filters(anyText), (filter) => {
      assert.deepEqual(parseFilter(formatFilter(filter), grammar), filter);
    }),
    { numRuns: 2000 },
  );
});

test('a complement of a complement is the filter, and has as many comparisons', () => {
  fc.assert(
    fc.property(filters(), (filter) => {
      assert.deepEqual(complement(complement(filter)), filter);
      assert.equal(comparisonsIn(complement(filter)), comparisonsIn(filter));
    }),
  );
});

test('a combination of one part is that part, one of its own kind is flat, and nesting in any order is the same', () => {
  fc.assert(
    fc.property(fc.array(filters(), { minLength: 1, maxLength: 5 }), fc.nat(), (parts, cut) => {
      for (const combine of [allOf, anyOf]) {
        const flat = combine(parts);
        assert.deepEqual(combine([flat]), flat);
        const at = 1 + (cut % parts.length);
        assert.deepEqual(combine([combine(parts.slice(0, at)), ...parts.slice(at)]), flat);
      }
    }),
  );
});

test('a combination of no parts is a bug', () => {
  assert.throws(() => allOf([]), { message: 'BUG: all of no filters' });
  assert.throws(() => anyOf([]), { message: 'BUG: any of no filters' });
});
