/** The page's words are those of the API: fields of rows, columns of CSV, fields of filters, what rows are grouped by. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALLOCATION_FIELDS } from '../../src/allocation/row/filter-fields.ts';
import { FIELDS, SUMMARY } from '../../src/allocation/row/schema.ts';
import { parseAggregate, AGGREGATE_NAMES } from '../../src/query/index.ts';
import { FILTER_FIELDS } from '../../src/web/costs/completion.ts';
import { AGGREGATES } from '../../src/web/costs/fields.ts';
import { MEASURES } from '../../src/web/costs/rows.ts';
import { rowOf } from './detail-rows.ts';

test('numbers that a number is made of are fields of rows', () => {
  const fields = new Set(FIELDS.map(({ json }) => json));
  const numbers = Object.entries(rowOf({})).filter(([, value]) => typeof value === 'number');
  // Told of the end, beside the numbers.
  const others = numbers.map(([name]) => name).filter((name) => !fields.has(name));
  assert.deepEqual(others, ['endUncertaintySeconds']);
});

test('measures of the table are columns of the CSV', () => {
  const columns = new Set(SUMMARY.map(({ csv }) => csv));
  // Those without a column are worked out of two answers.
  const names = Object.values(MEASURES).filter((name) => name !== '');
  assert.deepEqual(new Set(names), columns);
});

test('fields that are offered are fields of filters', () => {
  const fields = new Set(ALLOCATION_FIELDS.map(({ name }) => name));
  for (const name of FILTER_FIELDS) assert.ok(fields.has(name), name);
});

test('rows can be grouped by all that is offered', () => {
  for (const { field } of AGGREGATES) {
    assert.doesNotThrow(() => parseAggregate(field, AGGREGATE_NAMES), field);
  }
});
