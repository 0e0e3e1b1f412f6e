/** What others take of cloud costs. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cloudItems, readCloudFilter, readCloudKeys, type CloudItem, type CloudOptions } from '../../../src/billing/cloud/index.ts'; // prettier-ignore
import { startChargeServers, type ChargeServer, type ChargeServers } from '../../support/servers/charge-server.ts'; // prettier-ignore
import { charge, chargeSet } from '../../support/stores/charges.ts';
import { DAY_MS, FIRST_MS } from '../../support/stores/stored-sets.ts';

let servers: ChargeServers;
let server: ChargeServer;
let options: Pick<CloudOptions, 'sets' | 'compute'>;
before(async () => {
  servers = await startChargeServers();
  const charges = [
    charge(0, { service: 'a/b', providerID: 'arn:aws:ec2:x:1:instance/i-0a', effectiveCost: 4, billedCost: 5 }), // prettier-ignore
    charge(0, { service: 'a/b', providerID: 'i-0b', effectiveCost: 2, billedCost: 2 }),
    charge(1, { service: 'c', effectiveCost: 1, billedCost: 1 }),
  ];
  server = await servers.start([await chargeSet(charges, 0, 'cloud')], 'UTC', (parts) => {
    options = { ...parts, sets: parts.cloudSets };
    return [];
  });
});
after(async () => {
  await server.stop();
  await servers.stop();
});

const items = (
  aggregate: string,
  filter: string,
  resources: readonly string[] | null = null,
): Promise<CloudItem[][]> =>
  cloudItems(
    options,
    {
      windows: [0, 1].map((day) => ({
        startMs: FIRST_MS + day * DAY_MS,
        endMs: FIRST_MS + (day + 1) * DAY_MS,
      })),
      keys: readCloudKeys(aggregate),
      filter: readCloudFilter(filter, 'filter'),
      costMetric: 'amortizedNetCost',
      resources,
    },
    new AbortController().signal,
  );

test('items are by name and by resource as Kubernetes spells it too', async () => {
  assert.deepEqual(await items('service', ''), [
    [
      { name: 'a/b', resource: 'i-0a', cost: 4 },
      { name: 'a/b', resource: 'i-0b', cost: 2 },
    ],
    [{ name: 'c', resource: '', cost: 1 }],
  ]);
});

test('unknown resources are one item, with any filter', async () => {
  const [first] = await items('service', '', ['i-0b', 'vol-1']);
  assert.deepEqual(first, [
    { name: 'a/b', resource: '', cost: 4 },
    { name: 'a/b', resource: 'i-0b', cost: 2 },
  ]);
  const [one, none] = await items('', 'providerID:"i-0b"', []);
  assert.deepEqual([one, none], [[{ name: '', resource: '', cost: 2 }], []]);
});

test('items without keys have no name', async () => {
  assert.deepEqual(await items('', 'providerID:"i-0b"'), [
    [{ name: '', resource: 'i-0b', cost: 2 }],
    [],
  ]);
});

test('items by provider id are named by it', async () => {
  const [, second] = await items('providerID', '');
  assert.deepEqual(second, [{ name: '__unallocated__', resource: '', cost: 1 }]);
});
