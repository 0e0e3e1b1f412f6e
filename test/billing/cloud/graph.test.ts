/** The graph of cloud costs, of more items than it shows. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cloudRoutes } from '../../../src/billing/cloud/index.ts';
import { startChargeServers, type ChargeServers } from '../../support/servers/charge-server.ts';
import { charge, chargeSet } from '../../support/stores/charges.ts';

const DAY = 'window=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z';

let servers: ChargeServers;

before(async () => {
  servers = await startChargeServers();
});
after(async () => {
  await servers.stop();
  assert.deepEqual(servers.failures, []);
});

test('the graph is of the ten highest costs, and of all others together', async () => {
  const many = Array.from({ length: 14 }, (_, i) =>
    charge(0, { service: `s${String(i).padStart(2, '0')}`, effectiveCost: i + 1 }),
  );
  const own = await servers.start([await chargeSet(many, 1, 'cloud')], 'UTC', (parts) =>
    cloudRoutes({ ...parts, sets: parts.cloudSets }),
  );
  try {
    const answer = await fetch(`${own.url}/cloudCost/view/graph?${DAY}&aggregate=service`);
    const { data } = (await answer.json()) as {
      data: { items: { name: string; value: number }[] }[];
    };
    const items = data[0]?.items ?? [];
    assert.equal(items.length, 11);
    assert.deepEqual(items.slice(8), [
      { name: 's05', value: 6 },
      { name: 's04', value: 5 },
      { name: 'Other', value: 10 },
    ]);
  } finally {
    await own.stop();
  }
});
