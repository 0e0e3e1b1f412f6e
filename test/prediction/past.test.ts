/** Sums of workloads, against a plain loop over rows as objects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pastOf, type Sums, type WorkloadName } from '../../src/prediction/past.ts';
import { tableOfRows, type Row } from '../support/fleets/charged-fleet.ts';

const WORKLOADS: readonly WorkloadName[] = [
  { namespace: 'web', kind: 'deployment', name: 'shop' },
  { namespace: 'web', kind: 'statefulset', name: 'shop' },
  { namespace: 'db', kind: 'pod', name: 'lone' },
  { namespace: 'nowhere', kind: 'deployment', name: 'none' },
];

const amount = fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8);
const hour = fc.integer({ min: 0, max: 24 }).map((hours) => hours * 3_600_000);
const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.record({
    cluster: fc.constantFrom('one', 'two'),
    namespace: fc.constantFrom('web', 'db', ''),
    controllerKind: fc.constantFrom('Deployment', 'deployment', 'statefulset', ''),
    controller: fc.constantFrom('shop', 'other', ''),
    pod: fc.constantFrom('lone', 'shop-1', 'shop', ''),
    container: fc.constantFrom('main', 'side', '__idle__', '__unmounted__'),
    startMs: hour,
    endMs: hour,
    cpuCoreHours: amount,
    cpuCoreUsageHours: amount,
    cpuCost: amount,
    ramByteHours: amount,
    ramByteUsageHours: amount,
    ramCost: amount,
    gpuHours: amount,
    gpuCost: amount,
  }),
  { maxLength: 30 },
);

function plainSums(all: readonly Row[]): Sums {
  const sum = (name: string): number => all.reduce((total, row) => total + Number(row[name]), 0);
  return {
    hours: { cpuCores: sum('cpuCoreHours'), ramBytes: sum('ramByteHours'), gpus: sum('gpuHours') },
    used: { cpuCores: sum('cpuCoreUsageHours'), ramBytes: sum('ramByteUsageHours'), gpus: 0 },
    usd: { cpuCores: sum('cpuCost'), ramBytes: sum('ramCost'), gpus: sum('gpuCost') },
  };
}

function plainPast(all: readonly Row[], { namespace, kind, name }: WorkloadName): object | null {
  const own = all.filter((row) => {
    const isAlone = row['controller'] === '';
    const its = isAlone ? 'pod' : String(row['controllerKind']).toLowerCase();
    const called = isAlone ? row['pod'] : row['controller'];
    return row['namespace'] === namespace && its === kind && called === name;
  });
  const [startMs, endMs] = [
    Math.min(...own.map((row) => Number(row['startMs']))),
    Math.max(...own.map((row) => Number(row['endMs']))),
  ];
  if (endMs <= startMs) return null;
  const containers = [...new Set(own.map((row) => String(row['container'])))];
  const usageOf = containers.map((container) => {
    const its = own.filter((row) => row['container'] === container);
    const hours = its.reduce(
      (sum, row) => sum + (Number(row['endMs']) - Number(row['startMs'])) / 3_600_000,
      0,
    );
    const { cpuCores, ramBytes } = plainSums(its).used;
    const isThere = hours > 0;
    return [
      container,
      {
        cpuCores: isThere ? cpuCores / hours : 0,
        ramBytes: isThere ? ramBytes / hours : 0,
        gpus: 0,
      },
    ];
  });
  const livedHours = (endMs - startMs) / 3_600_000;
  return { ...plainSums(own), livedHours, usageOf: Object.fromEntries(usageOf) as object };
}

test('a cluster and its workloads have the sums of their rows, over any tables', () => {
  fc.assert(
    fc.property(fc.array(rows, { maxLength: 3 }), (sets) => {
      const tables = sets.filter((set) => set.length > 0).map(tableOfRows);
      const ofPods = sets
        .flat()
        .filter((row) => row['cluster'] === 'one' && row['pod'] !== '')
        .filter((row) => !String(row['container']).startsWith('__'));
      const { whole, pasts } = pastOf(
        tables.map((table) => ({ table, matched: null })),
        'one',
        WORKLOADS,
      );
      assert.deepEqual(whole, plainSums(ofPods));
      assert.deepEqual(
        pasts,
        WORKLOADS.map((workload) => plainPast(ofPods, workload)),
      );
    }),
    { numRuns: 300 },
  );
});
