/** What assets come to, who holds disks, what an asset's number is made of, and how one is found again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { filterOfAsset, placeOf, titleOf, type AssetSet } from '../../../src/web/assets/asset.ts';
import { diskRows, mountsOf, unclaimed } from '../../../src/web/assets/disk-rows.ts';
import { assetLines } from '../../../src/web/assets/made-of.ts';
import { overTime } from '../../../src/web/assets/over-time.ts';
import { allocatedPath, assetFilter, listPath } from '../../../src/web/assets/questions.ts';
import { assetSums } from '../../../src/web/assets/sums.ts';
import { readState } from '../../../src/web/url.ts';
import { node, NOWHERE } from './asset-of.ts';

test('lines tell hours and prices of what is counted by them', () => {
  const day = { minutes: 1440, totalCost: 24 };
  for (const [own, lines] of [
    [{ type: 'Disk', byteHours: 240 * 2 ** 30, totalCost: 24 }, [['Size', 240, 'GiB h', 0.1, 24]]],
    [{ type: 'LoadBalancer', ...day }, [['Time', 24, 'h', 1, 24]]],
    [{ type: 'ClusterManagement', ...day, adjustment: -12, totalCost: 12 }, [['Time', 24, 'h', 1, 24], ['Adjusted to the bill', undefined, undefined, undefined, -12]]],
    [{ type: 'Network', ...day }, [['At list price', undefined, undefined, undefined, 24]]],
    [{ type: 'Node', cpuCoreHours: 10, cpuCost: 5, ramByteHours: 0, ramCost: 0, discount: 0.2, totalCost: 4 }, [['CPU', 10, 'core h', 0.5, 5], ['Discount', undefined, undefined, undefined, -1]]],
    [{ type: 'constructor', totalCost: 1 }, [['At list price', undefined, undefined, undefined, 1]]],
  ] as const) {
    const told = assetLines({ ...NOWHERE, ...own }).map(({ what, hours, unit, price, cost }) => [what, hours, unit, price, cost]);
    assert.deepEqual(told, lines, own.type);
  }
}); // prettier-ignore

test('disks tell who holds them, those without a claim first', () => {
  const claimed = { claimName: 'data-0', claimNamespace: 'web', local: 0 };
  const rows = diskRows([
    node('node-1', { type: 'Disk', local: 1, totalCost: 7 }),
    node('vol-1', { type: 'Disk', ...claimed, totalCost: 9 }),
    node('vol-2', { type: 'Disk', local: 0, totalCost: 2 }),
    node('vol-3', { type: 'Disk', local: null, totalCost: 3 }),
  ]);
  assert.deepEqual(
    rows.map(({ name, holder, claim }) => [name, holder, claim]),
    [
      ['vol-3', 'none', ''],
      ['vol-2', 'none', ''],
      ['vol-1', 'claim', 'web/data-0'],
      ['node-1', 'node', ''],
    ],
  );
  assert.deepEqual(unclaimed(rows), { count: 2, usd: 5 });
});

test('a volume is mounted by the pods that are charged for it', () => {
  const volume = node('vol-1', { type: 'Disk', volumeName: 'vol-1' });
  const key = 'cluster=prod:name=vol-1';
  const mounts = mountsOf(volume, {
    'db-0': { pvs: { [key]: { cost: 1 }, 'cluster=prod:name=vol-2': { cost: 9 } } },
    'db-1': { pvs: { [key]: { cost: 3 } } },
    'web-unmounted-pvcs': { pvs: { [key]: { cost: 0.5 } } },
    other: { pvs: null },
    elsewhere: { pvs: { 'cluster=dev:name=vol-1': { cost: 5 } } },
  });
  assert.deepEqual(mounts, [
    { pod: 'db-1', usd: 3 },
    { pod: 'db-0', usd: 1 },
    { pod: '', usd: 0.5 },
  ]);
});

test('what all assets come to is the sum of their types', () => {
  const set: AssetSet = {
    Disk: { ...NOWHERE, type: 'Disk', totalCost: 2, adjustment: -1 },
    Node: { ...NOWHERE, totalCost: 10 },
  };
  assert.deepEqual(assetSums(set), {
    total: 12,
    adjustment: -1,
    byType: [
      { type: 'Node', usd: 10 },
      { type: 'Disk', usd: 2 },
    ],
  });
  assert.deepEqual(assetSums({}), { total: 0, adjustment: 0, byType: [] });
});

test('costs over time have a stack a type, the largest first, and zero where a day has none', () => {
  const day = (date: number, items: Record<string, number>): Parameters<typeof overTime>[0][number] => ({
    start: `2026-11-0${date}T00:00:00Z`,
    end: `2026-11-0${date + 1}T00:00:00Z`,
    items: Object.entries(items).map(([name, value]) => ({ name, value })),
  });
  const drawn = overTime([day(1, { Disk: 1 }), day(2, { Disk: 2, Node: 8 })], (name) => `${name}s`);
  assert.deepEqual(drawn.stacks, [
    { name: 'Nodes', costs: Float64Array.of(0, 8) },
    { name: 'Disks', costs: Float64Array.of(1, 2) },
  ]);
  assert.deepEqual(drawn.totals, Float64Array.of(1, 10));
  assert.equal(drawn.spans.length, 2);
}); // prettier-ignore

/** Surrogates are no signs. */
const [SURROGATE, SURROGATES] = [0xd800, 0x800];

/**
 * Any sign, as the unit `binary` draws it. To know its own ones again, that one makes a map of a million of
 * them, for more than a second.
 */
const anySign = fc.nat({ max: 0x10ffff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < SURROGATE ? index : index + SURROGATES),
  (sign) => {
    const point = typeof sign === 'string' ? (sign.codePointAt(0) ?? SURROGATE) : SURROGATE;
    const isLow = point < SURROGATE;
    const isSign = isLow || point >= SURROGATE + SURROGATES;
    if (!isSign || String.fromCodePoint(point) !== sign) throw new Error('no sign');
    return isLow ? point : point - SURROGATES;
  },
);

test('an asset is found again by a filter, whatever signs its name has', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: anySign }), (name) => {
      const filter = filterOfAsset(node(name));
      assert.equal(titleOf(filter), name);
    }),
  );
  for (const [own, title] of [
    [{ type: 'Network', properties: { cluster: 'prod' } }, 'Network in prod'],
    [{ type: 'LoadBalancer', properties: {} }, 'Load balancers'],
    [{ type: 'Node', properties: { cluster: 'name:"x"', name: 'a' } }, 'a'],
  ] as const) {
    assert.equal(titleOf(filterOfAsset({ ...NOWHERE, ...own })), title);
  }
  assert.equal(titleOf('nonsense'), '');
});

test('the place is the zone where one is known, with the region where that does not name it', () => {
  for (const [own, place] of [
    [{ region: 'us-east-1' }, 'us-east-1'],
    [{ region: 'us-east-1', properties: { providerIDFull: 'aws:///us-east-1a/i-1' } }, 'us-east-1a'],
    [{ region: 'eu', properties: { providerIDFull: 'gce://project/europe-west1-b/vm' } }, 'europe-west1-b'],
    [{ region: 'westeurope', labels: { topology_kubernetes_io_zone: '2' } }, 'westeurope 2'],
    [{ properties: { providerIDFull: 'azure:///subscriptions/1' } }, ''],
  ] as const) {
    assert.equal(placeOf({ ...NOWHERE, ...own }), place);
  }
}); // prettier-ignore

test('requests of the view share window, cluster, filter and whether the bill counts', () => {
  const state = readState('?window=3d&bill=no&path=cluster:prod,namespace:web');
  assert.equal(assetFilter(state, 'name:"a"'), 'cluster:"prod"+name:"a"');
  const listed = new URLSearchParams(listPath(state, 'name:"a"', 'Node').split('?')[1]);
  assert.equal(listed.get('filter'), 'cluster:"prod"+name:"a"');
  assert.equal(listed.get('disableAdjustments'), 'true');
  assert.equal(listed.get('window'), '3d');
  const charged = new URLSearchParams(allocatedPath(state).split('?')[1]);
  assert.equal(charged.get('filter'), 'cluster:"prod"');
  assert.equal(charged.get('reconcile'), 'false');
  const one = new URLSearchParams(allocatedPath(state, node('a')).split('?')[1]);
  assert.equal(one.get('filter'), 'cluster:"prod"+node:"a"');
});
