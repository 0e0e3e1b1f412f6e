/** The harness's own reference, against answers of a few rows that are written out here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../../../scripts/torture/days.ts';
import { ExpectedBodies, type Asked } from '../../../scripts/torture/expected-body.ts';

const DAY_MS = 86_400_000;

const PLAIN: Row = {
  cluster: 'c',
  node: 'n',
  container: 'main',
  controller: 'web',
  controllerKind: 'deployment',
  namespace: 'team',
  pod: 'web-1',
  providerID: 'i-1',
  labels: [
    ['app', 'shop'],
    ['tier', 'a'],
  ],
  annotations: [],
  namespaceLabels: [],
  services: [],
  pvs: '',
  priceSource: 'list',
  endSource: 'completionTime',
  startMs: 0,
  endMs: DAY_MS,
  endUncertaintyMs: 0,
  measures: {},
};

const ROWS: readonly Row[] = [
  { ...PLAIN, measures: { cpuCoreHours: 12, cpuCost: 1, cpuCoreUsageHours: 3, cpuCoreRequestHours: 6 } },
  {
    ...PLAIN,
    container: 'proxy',
    labels: [['app', 'shop']],
    priceSource: 'book',
    endSource: 'lastSample',
    endUncertaintyMs: 1500,
    measures: { cpuCoreHours: 12, cpuCost: 2, ramCost: 1, ramByteUsageHours: 8 },
  },
  { ...PLAIN, pod: '=1+1,"x"', labels: [], measures: { cpuCost: 0.25 } },
  { ...PLAIN, pod: '', namespace: '', container: '__idle__', labels: [], measures: { cpuCost: 4 } },
]; // prettier-ignore

function bodyOf(asked: Asked): string {
  const bodies = new ExpectedBodies([{ startMs: 0, endMs: DAY_MS, rows: ROWS }]);
  return [...bodies.body(asked, 0, 1)].join('');
}

test('rows of a group are added up, and what they agree on stays', () => {
  const body = bodyOf({ aggregate: 'label:app', format: 'ndjson', isAccumulated: false });
  const rows = body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['__idle__', '__unallocated__', 'app=shop'],
  );
  const [idle, , shop] = rows;
  assert.deepEqual(idle?.['properties'], { cluster: 'c', container: '__idle__' });
  assert.deepEqual(shop?.['properties'], {
    cluster: 'c',
    namespace: 'team',
    label: { app: 'shop' },
    labels: { app: 'shop' },
  });
  const { cpuCores, cpuCost, cpuEfficiency, ramEfficiency, totalEfficiency, totalCost } =
    shop ?? {};
  assert.deepEqual([cpuCores, cpuCost, cpuEfficiency, ramEfficiency], [1, 3, 0.5, 1]);
  assert.deepEqual([totalEfficiency, totalCost], [(0.5 * 3 + 1) / 4, 4]);
  assert.equal(shop?.['priceSource'], 'mixed');
  assert.deepEqual([shop?.['endSource'], shop?.['endUncertaintySeconds']], ['lastSample', 1.5]);
});

test('cells of CSV are quoted, and led by a quote where a spreadsheet would run them', () => {
  assert.equal(
    bodyOf({ aggregate: 'pod', format: 'csv', isAccumulated: false }),
    'Name,CPU,GPU,RAM,PV,Network,LoadBalancer,External,Shared,Efficiency,Total\n' +
      '__idle__,4,0,0,0,0,0,0,0,0,4\n' +
      `"'=1+1,""x""",0.25,0,0,0,0,0,0,0,0,0.25\n` +
      'web-1,3,0,1,0,0,0,0,0,0.625,4\n',
  );
});
