/** What the API is asked for what the page shows. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { detailPath, rowsPath, seriesPath, wholeFilter } from '../../../src/web/costs/questions.ts';
import { readState, type PageState } from '../../../src/web/url.ts';

const PRESET = readState('');

function queryOf(path: string): Record<string, string> {
  return Object.fromEntries(new URL(path, 'http://a/').searchParams);
}

const CASES: readonly (readonly [string, Partial<PageState>, Record<string, string | undefined>])[] = [
  ['whole days, with idle apart', {}, { window: '7d', exactWindow: 'true', idle: 'true', shareIdle: undefined }],
  ['idle that workloads bear', { idle: 'shared' }, { idle: 'true', shareIdle: 'true' }],
  ['idle left out', { idle: 'hidden' }, { idle: 'false', shareIdle: undefined }],
  ['shared namespaces', { share: ['a', 'b'], split: 'even' }, { shareNamespaces: 'a,b', shareSplit: 'even' }],
  ['how nothing is shared is not said', { split: 'even' }, { shareSplit: undefined }],
  ['list prices', { bill: false }, { reconcile: 'false' }],
  ['without management', { tenancy: false }, { shareTenancyCosts: 'false' }],
  ['external costs', { external: true }, { external: 'true' }],
  ['samples', { from: '5m', bill: false, tenancy: false }, { resolution: '5m', exactWindow: undefined, reconcile: undefined, shareTenancyCosts: undefined }],
]; // prettier-ignore

describe('every question of a view asks for', () => {
  for (const [name, change, expected] of CASES) {
    test(name, () => {
      const state = { ...PRESET, ...change };
      const paths = [
        seriesPath(state, state.window, 'all'),
        rowsPath(state, state.window),
        detailPath(state, state.window, ['pod']),
      ];
      for (const path of paths) {
        const query = queryOf(path);
        for (const [parameter, value] of Object.entries(expected)) {
          assert.equal(query[parameter], value, `${parameter} of ${path}`);
        }
      }
    });
  }
});

test('stored days and samples have routes of their own, and bars their length', () => {
  const weeks = seriesPath({ ...PRESET, per: 'week' }, '30d', 'namespace', 9);
  assert.match(weeks, /^model\/allocation\/summary\?/);
  const { accumulate, order, limit, aggregate } = queryOf(weeks);
  assert.deepEqual([accumulate, order, limit, aggregate], ['week', 'asc', '9', 'namespace']);
  const hours = seriesPath({ ...PRESET, from: 'exact', per: 'hour' }, '6h', 'all');
  assert.match(hours, /^model\/allocation\/compute\/summary\?/);
  assert.deepEqual([queryOf(hours)['step'], queryOf(hours)['accumulate']], ['1h', undefined]);
  assert.equal(
    queryOf(rowsPath({ ...PRESET, by: ['team', 'pod'] }, '7d'))['aggregate'],
    'team,pod',
  );
});

test('crumbs and the filter must all be met', () => {
  const path = [
    { field: 'cluster', value: 'a' },
    { field: 'controller', value: 'job:b' },
  ];
  assert.equal(
    wholeFilter({ ...PRESET, path, filter: 'pod:c|pod:d' }),
    'cluster:"a"+(controllerKind:"job"+controllerName:"b")+(pod:c|pod:d)',
  );
  assert.equal(wholeFilter({ ...PRESET, filter: 'pod:c|pod:d' }), 'pod:c|pod:d');
  assert.equal(queryOf(rowsPath(PRESET, '7d'))['filter'], undefined);
});
