/** What a request asks for: sets by step or by the calendar, and what is refused. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Plan } from '../../../src/allocation/params/plan.ts';
import type { IdleNames } from '../../../src/allocation/query/row-names.ts';
import { idleNamesOf } from '../../../src/allocation/query/set-query.ts';
import { readPlan } from '../../../src/allocation/params/params.ts';
import { parseQuery, type Dialect } from '../../../src/http/index.ts';
import { createCalendar } from '../../../src/query/index.ts';

/** A Tuesday. */
const NOW_MS = Date.UTC(2024, 4, 7, 12);
const WINDOW = 'window=2024-05-01T00:00:00Z,2024-05-07T06:00:00Z';

function plan(query: string, zone: string = 'UTC'): Plan {
  return readPlan(parseQuery(query), createCalendar(zone), NOW_MS);
}

/** Sets as `day hour` of their starts, newest first. */
function starts({ sets }: Plan): string[] {
  return sets.map(({ startMs }) => new Date(startMs).toISOString().slice(8, 13).replace('T', ' '));
}

const LAID: readonly (readonly [query: string, zone: string, starts: string[]])[] = [
  ['', 'UTC', ['01 00']],
  ['accumulate=true', 'UTC', ['01 00']],
  ['accumulate=all&step=2d', 'UTC', ['05 06', '03 06', '01 06', '01 00']],
  ['step=4d', 'UTC', ['03 06', '01 00']],
  ['accumulate=week', 'UTC', ['05 00', '01 00']],
  ['accumulate=Week', 'Asia/Tokyo', ['04 15', '01 00']],
  ['accumulate=month', 'Asia/Tokyo', ['01 00']],
  ['accumulate=quarter', 'UTC', ['01 00']],
  ['accumulate=weeknow', 'UTC', ['01 00']],
  ['accumulate=true&accumulateBy=day', 'UTC', [7, 6, 5, 4, 3, 2, 1].map((d) => `0${d} 00`)],
  ['accumulate=false&accumulateBy=all', 'UTC', ['01 00']],
  ['accumulateBy=&accumulate=week', 'UTC', ['05 00', '01 00']],
  ['accumulate=day&format=csv&columns=full', 'UTC', [7, 6, 5, 4, 3, 2, 1].map((d) => `0${d} 00`)],
  ['accumulate=day&format=csv', 'UTC', ['01 00']],
  ['accumulate=day&step=', 'UTC', [7, 6, 5, 4, 3, 2, 1].map((d) => `0${d} 00`)],
];

describe('sets of six days and six hours begin, newest first, with', () => {
  for (const [query, zone, expected] of LAID)
    test(`'${query}' in ${zone}`, () => {
      assert.deepEqual(starts(plan(`${WINDOW}&${query}`, zone)), expected);
    });
});

test('sets of steps are shown as their sum where they are accumulated, and always as the columns of clients', () => {
  const summed = [
    'accumulate=true&step=1h',
    'step=1h&format=csv',
    'step=1h&format=csv&columns=full',
  ];
  const not = ['', 'step=1h', 'accumulate=true', 'accumulate=true&step=7d', 'accumulate=day', 'accumulate=day&format=csv', 'step=1h&format=csv&columns=full&accumulate=false']; // prettier-ignore
  for (const query of summed) assert.ok(plan(`${WINDOW}&${query}`).isSummed, query);
  for (const query of not) assert.ok(!plan(`${WINDOW}&${query}`).isSummed, query);
});

test('rows are raw only where they are neither aggregated nor accumulated', () => {
  const raw = ['', 'step=1h', 'accumulate=false', 'format=csv&columns=full&accumulate=none'];
  const not = ['accumulate=true', 'accumulate=day', 'aggregate=pod', 'format=csv&accumulate=false'];
  for (const query of raw) assert.ok(plan(`${WINDOW}&${query}`).isRaw, query);
  for (const query of not) assert.ok(!plan(`${WINDOW}&${query}`).isRaw, query);
});

const IDLE: readonly (readonly [query: string, names: IdleNames | null])[] = [
  ['', null],
  ['idle=&includeIdle=', null],
  ['idle=false&includeIdle=0&splitIdle=true&idleByNode=true', null],
  ['idle=true', 'one'],
  ['includeIdle=t', 'one'],
  ['idle=F&includeIdle=1', 'one'],
  ['idle=true&idleByNode=true', 'one'],
  ['idle=true&splitIdle=TRUE', 'cluster'],
  ['idle=true&splitIdle=1&idleByNode=T', 'node'],
];

describe('idle rows are told apart by', () => {
  for (const [query, idle] of IDLE)
    test(`'${query}': ${idle}`, () => {
      const asked = { ...plan(`${WINDOW}&${query}`).query, overheads: [] };
      assert.equal(asked.idle ? idleNamesOf(asked) : null, idle);
    });
});

const REFUSED: readonly (readonly [query: string, parameter: string, message: RegExp])[] = [
  [
    'accumulate=year',
    'accumulate',
    /'year' is not one of true, false, hour, day, week, month, quarter, weeknow/,
  ],
  ['accumulate=true&accumulateBy=years', 'accumulateBy', /'years' is not one of/],
  ['accumulate=week&accumulateBy=day&step=1h', 'step', /beside accumulate=day/],
  ['accumulate=day&step=1d', 'step', /'1d' beside accumulate=day, which lays the sets/],
  ['idle=sure', 'idle', /'sure' is not a boolean/],
  ['includeIdle=2', 'includeIdle', /'2' is not a boolean/],
  ['idle=true&splitIdle=cluster', 'splitIdle', /'cluster' is not a boolean/],
  ['idleByNode=node', 'idleByNode', /'node' is not a boolean/],
  ['accumulate=hour&step=x', 'step', /'x' is not a duration/],
];

describe('refused with 400 naming the parameter is', () => {
  for (const [query, parameter, message] of REFUSED)
    test(query, () => {
      assert.throws(() => plan(`${WINDOW}&${query}`), { status: 400, parameter, message });
    });
});

test('more sets than one answer has are 422, also of the calendar', () => {
  const window = 'window=2020-01-01T00:00:00Z,2024-01-01T00:00:00Z';
  assert.throws(() => plan(`${window}&accumulate=hour`), { status: 422, parameter: 'accumulate' });
});

/** What the dialects make of the same request: the sets as they are shown. */
const SPOKEN: readonly (readonly [query: string, kubecost: string[], opencost: string[]])[] = [
  ['window=2d&step=1d', ['06 12', '05 12'], ['06 00', '07 00']],
  ['window=2d&step=1d&order=asc', ['05 12', '06 12'], ['06 00', '07 00']],
  ['window=2d&step=1d&order=desc', ['06 12', '05 12'], ['07 00', '06 00']],
  ['window=3d&accumulate=day', ['07 00', '06 00', '05 00', '04 12'], ['05 00', '06 00', '07 00']],
  ['window=2h&step=1h', ['07 11', '07 10'], ['07 11', '07 12']],
  [`${WINDOW}&step=4d`, ['03 06', '01 00'], ['01 00', '05 00']],
  ['window=3d', ['04 12'], ['05 00']],
  ['window=3d&exactWindow=true', ['05 00'], ['05 00']],
  ['window=3d&exactWindow=no', ['04 12'], ['05 00']],
];

describe('the dialects lay sets of', () => {
  for (const [query, kubecost, opencost] of SPOKEN)
    test(`'${query}'`, () => {
      const shown = (dialect: Dialect): string[] => {
        const read = readPlan(parseQuery(query), createCalendar('UTC'), NOW_MS, 'json', dialect);
        return read.isOldestFirst ? starts(read).reverse() : starts(read);
      };
      assert.deepEqual([shown('kubecost'), shown('opencost')], [kubecost, opencost]);
    });
});

test('an order that is neither is refused', () => {
  assert.throws(() => plan(`${WINDOW}&order=up`), { parameter: 'order', status: 400 });
});
