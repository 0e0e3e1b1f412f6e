/** The parameters of the allocation query that say how costs are distributed and shown. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  readAllocationQuery,
  type AllocationQuery,
} from '../../../src/allocation/params/set-query-params.ts';
import { parseQuery } from '../../../src/http/index.ts';
import { Fault } from '../../../src/query/index.ts';

const read = (text: string, idle = true): AllocationQuery =>
  readAllocationQuery(parseQuery(text), [], { idleByDefault: idle, showsPaid: false });

test('nothing asked: idle apart as by default, nothing shared, costs of the window, all rows', () => {
  const { query, ...others } = read('');
  assert.deepEqual(others, { shareUsdPerMonth: 0, costMetric: 'cumulative', paging: null });
  assert.deepEqual(query, {
    keys: [], filter: null, share: null, idle: true, shareIdle: false, splitIdle: false,
    idleByNode: false, external: false, shareSplit: 'weighted', includeSharedCostBreakdown: false,
  }); // prettier-ignore
  assert.equal(read('', false).query.idle, false);
});

const FORMS: readonly (readonly [text: string, of: (request: AllocationQuery) => unknown, expected: unknown])[] = [
  ['shareIdle=weighted', ({ query }) => query.shareIdle, true],
  ['shareIdle=Proportional', ({ query }) => query.shareIdle, true],
  ['shareIdle=1', ({ query }) => query.shareIdle, true],
  ['shareIdle=separate', ({ query }) => query.shareIdle, false],
  ['shareIdle=F', ({ query }) => query.shareIdle, false],
  ['shareIdle=', ({ query }) => query.shareIdle, false],
  ['idle=false', ({ query }) => query.idle, false],
  ['includeIdle=false', ({ query }) => query.idle, false],
  ['idle=false&includeIdle=true', ({ query }) => query.idle, true],
  ['splitIdle=t', ({ query }) => query.splitIdle, true],
  ['idleByNode=TRUE', ({ query }) => query.idleByNode, true],
  ['external=1', ({ query }) => query.external, true],
  ['shareSplit=Even', ({ query }) => query.shareSplit, 'even'],
  ['includeSharedCostBreakdown=true', ({ query }) => query.includeSharedCostBreakdown, true],
  ['includeProportionalAssetResourceCosts=yes', ({ query }) => query.showsAssetShares, true],
  ['includeProportionalAssetResourceCosts=no', ({ query }) => 'showsAssetShares' in query, false],
  ['shareCost=30.42', (request) => request.shareUsdPerMonth, 30.42],
  ['shareCost=5.11056e3', (request) => request.shareUsdPerMonth, 5110.56],
  ['shareCost=.5', (request) => request.shareUsdPerMonth, 0.5],
  ['costMetric=monthly', (request) => request.costMetric, 'monthly'],
  ['limit=10', (request) => request.paging, { limit: 10, offset: 0, sortBy: 'totalCost', isAscending: false }],
  ['offset=3&sortBy=cpucost&sortByOrder=asc', (request) => request.paging, { limit: null, offset: 3, sortBy: 'cpuCost', isAscending: true }],
]; // prettier-ignore

describe('is read', () => {
  for (const [text, of, expected] of FORMS)
    test(text, () => assert.deepEqual(of(read(text)), expected));
});

test('idle of which nobody bears anything is shown beside shared idle, unless it is not wanted', () => {
  assert.equal(read('shareIdle=true', false).query.idle, true);
  assert.equal(read('shareIdle=true&idle=false', true).query.idle, false);
});

const REFUSED: readonly (readonly [text: string, parameter: string])[] = [
  ['shareIdle=maybe', 'shareIdle'],
  ['idle=sure', 'idle'],
  ['sharelb=x', 'sharelb'],
  ['includeProportionalAssetResourceCosts=2', 'includeProportionalAssetResourceCosts'],
  ['includeIdle=2', 'includeIdle'],
  ['splitIdle=x', 'splitIdle'],
  ['shareSplit=uneven', 'shareSplit'],
  ['shareCost=-1', 'shareCost'],
  ['shareCost=NaN', 'shareCost'],
  ['shareCost=Infinity', 'shareCost'],
  ['shareCost=1e999', 'shareCost'],
  ['shareCost=0x10', 'shareCost'],
  ['shareCost=12$', 'shareCost'],
  ['costMetric=yearly', 'costMetric'],
  ['limit=-1', 'limit'],
  ['limit=1.5', 'limit'],
  ['offset=9007199254740993', 'offset'],
  ['sortBy=colour', 'sortBy'],
  ['sortByOrder=up', 'sortByOrder'],
  ['limit=1&limit=2', 'limit'],
];

describe('is refused, naming the parameter, what came and an example', () => {
  for (const [text, parameter] of REFUSED)
    test(text, () => {
      assert.throws(
        () => read(text),
        (error) =>
          error instanceof Fault &&
          error.parameter === parameter &&
          error.message.includes(`'${parameter}'`) &&
          error.hint !== undefined,
      );
    });
});
