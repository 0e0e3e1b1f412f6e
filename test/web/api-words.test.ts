/** The page's words are those of the API: fields of rows, columns of CSV, fields of filters, what rows are grouped by. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ALLOCATION_FIELDS } from '../../src/allocation/row/filter-fields.ts';
import { FIELDS, SUMMARY } from '../../src/allocation/row/schema.ts';
import { CLOUD_FILTER } from '../../src/billing/cloud/index.ts';
import { parseAggregate, AGGREGATE_NAMES } from '../../src/query/index.ts';
import { ALLOCATIONS, CLOUD_COSTS } from '../../src/web/costs/completion.ts';
import { AGGREGATES } from '../../src/web/costs/fields.ts';
import { MEASURES } from '../../src/web/costs/rows.ts';
import { notStored } from '../../src/allocation/stored/not-stored.ts';
import { ADVICE, adviceOn } from '../../src/web/views/status/advice.ts';
import { storedDays } from '../../src/web/views/status/calendar.ts';
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
  for (const [{ fields, maps }, known] of [
    [ALLOCATIONS, ALLOCATION_FIELDS],
    [CLOUD_COSTS, CLOUD_FILTER.fields],
  ] as const) {
    const names = new Set(known.map(({ name }) => name));
    for (const name of [...fields, ...maps]) assert.ok(names.has(name), name);
  }
});

test('rows can be grouped by all that is offered', () => {
  for (const { field } of AGGREGATES) {
    assert.doesNotThrow(() => parseAggregate(field, AGGREGATE_NAMES), field);
  }
});

test('advice is on words that the server warns with', () => {
  const root = fileURLToPath(new URL('../../src/', import.meta.url));
  const texts = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('web'))
    .map((path) => readFileSync(join(root, path), 'utf8'));
  for (const { words, says } of ADVICE)
    for (const each of words) {
      assert.ok(
        texts.some((text) => text.includes(each)),
        `nothing warns of '${each}'`,
      );
      assert.equal(adviceOn(`3 ${each} 4`), says);
    }
  assert.equal(adviceOn('something else'), '');
});

test('the calendar reads what the server says of days that are not stored', () => {
  const dayMs = 86_400_000;
  const set = (day: number) => ({
    window: {
      start: new Date(day * dayMs).toISOString(),
      end: new Date((day + 1) * dayMs).toISOString(),
    },
    allocations:
      day === 1 ? {} : { one: { end: new Date((day + 1) * dayMs).toISOString(), totalCost: 1 } },
  });
  const warnings = [notStored({ startMs: dayMs, endMs: 2 * dayMs })];
  const days = storedDays({ sets: [0, 1, 2].map(set) }, warnings);
  assert.deepEqual(
    days.map(({ why }) => why),
    ['whole', 'not stored', 'whole'],
  );
});
