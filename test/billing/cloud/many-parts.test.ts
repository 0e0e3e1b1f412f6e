/** A bill of more parts than one task of a worker reads. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { cloudRoutes } from '../../../src/billing/cloud/index.ts';
import {
  startChargeServers,
  type ChargeServer,
  type ChargeServers,
} from '../../support/servers/charge-server.ts';
import { charge, chargeSet } from '../../support/stores/charges.ts';

const WINDOW = 'window=2024-05-01T00:00:00Z,2024-05-05T00:00:00Z';

describe('a bill of many parts', () => {
  const PARTS = 150;
  const parts = Array.from(
    { length: PARTS },
    (_, i) =>
    charge(i % 3, { service: `s${i % 5}`, providerID: `r${i}`, effectiveCost: i, billedCost: 1, tags: '{"team":"x"}' }), // prettier-ignore
  );
  let servers: ChargeServers;
  let own: ChargeServer;
  before(async () => {
    servers = await startChargeServers();
    const sets = await Promise.all(parts.map((each, i) => chargeSet([each], i, 'cloud')));
    own = await servers.start(sets, 'UTC', (of) =>
      cloudRoutes({
        ...of,
        sets: of.cloudSets,
      }),
    );
  });
  after(async () => {
    await own.stop();
    await servers.stop();
    assert.deepEqual(servers.failures, []);
  });
  const get = async (path: string): Promise<unknown> =>
    ((await (await fetch(`${own.url}/cloudCost${path}`)).json()) as { data: unknown }).data;

  test('adds up to the same costs as a bill of few parts', async () => {
    const rows = (await get(`/view/table?${WINDOW}&aggregate=service&sortBy=name`)) as {
      name: string;
      cost: number;
    }[];
    assert.deepEqual(
      rows,
      Array.from({ length: 5 }, (_, s) => ({
        name: `s${s}`,
        labels: { team: 'x' },
        kubernetesPercent: 0,
        cost: parts.reduce(
          (sum, { service, effectiveCost = 0 }) => sum + (service === `s${s}` ? effectiveCost : 0),
          0,
        ),
      })),
    );
    const { sets } = (await get(`?${WINDOW}&aggregate=providerID`)) as {
      sets: { cloudCosts: object }[];
    };
    assert.deepEqual(
      sets.map(({ cloudCosts }) => Object.keys(cloudCosts).length),
      [50, 50, 50, 0],
    );
  });
  test('has the same values of fields', async () => {
    assert.deepEqual(await get(`/autocomplete?${WINDOW}&field=service`), {
      data: ['s0', 's1', 's2', 's3', 's4'],
    });
  });
});
