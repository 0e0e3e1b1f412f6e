/**
 * OpenCost's own set of allocations through a real Prometheus and the whole server: totals and
 * aggregates that its tests expect (core/pkg/opencost/allocation_test.go), those without idle.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { RECIPE_END_MS, RECIPE_START_MS, recipeSeries } from '../../support/fleets/recipe.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { startTold, type Told } from '../../support/servers/told.ts';

type Totals = Readonly<Record<string, number>>;

const CASES: readonly (readonly [aggregate: string, expected: Totals])[] = [
  ['cluster', { cluster1: 46, cluster2: 36 }],
  ['namespace', { namespace1: 28, namespace2: 36, namespace3: 18 }],
  [
    'pod',
    {
      'pod-abc': 6, 'pod-def': 6, 'pod-ghi': 12, 'pod-jkl': 6, 'pod-mno': 12, 'pod-pqr': 6,
      'pod-stu': 6, 'pod-vwx': 12, pod1: 16,
    },
  ],
  [
    'container',
    {
      container1: 16, container2: 6, container3: 6, container4: 12, container5: 12,
      container6: 12, container7: 6, container8: 6, container9: 6,
    },
  ],
  ['controllerKind', { __unallocated__: 16, daemonset: 12, deployment: 42, statefulset: 12 }],
  [
    'controller',
    {
      __unallocated__: 16, 'daemonset:daemonset1': 12, 'deployment:deployment1': 12,
      'deployment:deployment2': 24, 'deployment:deployment3': 6, 'statefulset:statefulset1': 12,
    },
  ],
  ['service', { __unallocated__: 70, service1: 12 }],
  ['label:app', { __unallocated__: 42, 'app=app1': 16, 'app=app2': 24 }],
  ['annotation:team', { __unallocated__: 64, 'team=team1': 12, 'team=team2': 6 }],
  [
    'cluster,namespace',
    {
      'cluster1/namespace1': 28, 'cluster1/namespace2': 18, 'cluster2/namespace2': 18,
      'cluster2/namespace3': 18,
    },
  ],
  [
    'namespace,label:app',
    {
      'namespace1/__unallocated__': 12, 'namespace1/app=app1': 16,
      'namespace2/__unallocated__': 12, 'namespace2/app=app2': 24,
      'namespace3/__unallocated__': 18,
    },
  ],
  [
    'label:app,label:env',
    {
      '__unallocated__/__unallocated__': 42, 'app=app1/env=env1': 16,
      'app=app2/__unallocated__': 12, 'app=app2/env=env2': 12,
    },
  ],
  ['deployment', { __unallocated__: 40, deployment1: 12, deployment2: 24, deployment3: 6 }],
  ['daemonset', { __unallocated__: 70, daemonset1: 12 }],
  ['statefulset', { __unallocated__: 70, statefulset1: 12 }],
]; // prettier-ignore

const COSTS: Totals = {
  cpuCost: 1,
  gpuCost: 1,
  ramCost: 1,
  pvCost: 1,
  networkCost: 2,
  loadBalancerCost: 0,
  cpuCoreHours: 1,
  gpuHours: 1,
  ramByteHours: 2 ** 30,
  pvByteHours: 2 ** 30,
  networkInternetCost: 2,
  minutes: 1440,
};

const skip = skipWithout('prometheus', 'promtool');

describe('the recipe of the peer gives what the peer expects, to 1e-9', { skip }, () => {
  let told: Told;
  before(async () => {
    told = await startTold(recipeSeries());
  });
  after(() => told.stop());

  const ask = async (
    parameters: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, Totals>>> => {
    const [start, end] = [RECIPE_START_MS, RECIPE_END_MS].map((ms) => new Date(ms).toISOString());
    const sets = await told.prorata.allocations({ window: `${start},${end}`, ...parameters });
    assert.equal(sets.length, 1);
    return Object.fromEntries(
      Object.entries(sets[0] ?? {}).map(([name, row]): [string, Totals] => [name, { ...row }]),
    );
  };

  for (const resolution of ['exact', '1m']) {
    test(`${resolution}: each container costs 6 USD, the first 16`, async () => {
      const rows = Object.entries(await ask({ resolution }));
      assert.equal(rows.length, 12);
      for (const [name, row] of rows) {
        const isFirst = name.endsWith('/container1');
        const ram = isFirst ? { ramCost: 11, ramByteHours: 11 * 2 ** 30 } : {};
        const expected = { ...COSTS, ...ram, totalCost: isFirst ? 16 : 6 };
        for (const [field, value] of Object.entries(expected)) {
          assertClose(row[field], value, `${name} ${field}`);
        }
      }
      assertClose(
        rows.reduce((sum, [, row]) => sum + (row['totalCost'] ?? NaN), 0),
        82,
        'all',
      );
    });

    for (const [aggregate, expected] of CASES) {
      test(`${resolution}: aggregate=${aggregate}`, async () => {
        const rows = await ask({ resolution, aggregate });
        assert.deepEqual(Object.keys(rows).toSorted(), Object.keys(expected).toSorted());
        for (const [name, value] of Object.entries(expected)) {
          assertClose(rows[name]?.['totalCost'], value, name);
        }
      });
    }
  }
});

function assertClose(actual: number | undefined, expected: number, what: string): void {
  const error = Math.abs((actual ?? NaN) - expected);
  assert.ok(error <= 1e-9 * Math.max(1, expected), `${what}: ${actual}, not ${expected}`);
}
