/** Rows name the volumes and load balancers that they pay for, aggregated and accumulated too. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startOwnServer, type OwnServer } from '../../support/servers/own-server.ts';

interface Paid {
  readonly cost: number;
  readonly adjustment?: number;
}
interface Row {
  readonly pvCost: number;
  readonly pvCostAdjustment: number;
  readonly loadBalancerCost: number;
  readonly pvs: Readonly<Record<string, Paid>> | null;
  readonly lbAllocations: Readonly<Record<string, Paid & { readonly service: string }>> | null;
  readonly properties: {
    readonly providerID?: string;
    readonly providerIDFull?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

const total = (paid: Readonly<Record<string, Paid>> | null): number =>
  Object.values(paid ?? {}).reduce((sum, { cost }) => sum + cost, 0);
const close = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));

describe('a row', () => {
  let server: OwnServer;
  before(async () => {
    const flags = ['--workers=1', '--now=2024-05-03T08:00:00Z', '--timezone=UTC'];
    server = await startOwnServer(flags);
  });
  after(() => server.stop());

  const rowsOf = async (query: string): Promise<Row[]> => {
    const { text } = await server.compute(`window=6h&${query}`);
    const { data } = JSON.parse(text) as { readonly data: Readonly<Record<string, Row>>[] };
    return data.flatMap((set) => Object.values(set));
  };

  for (const query of [
    '',
    'aggregate=namespace',
    'aggregate=cluster&step=1h',
    'accumulate=true&step=1h',
    'aggregate=namespace&accumulate=true&step=1h&idle=true&shareIdle=true',
    'aggregate=namespace&includeSharedCostBreakdown=true&shareNamespaces=kube-system',
  ])
    test(`asked for by '${query}' has the volumes and load balancers of its costs`, async () => {
      const rows = await rowsOf(query);
      for (const row of rows) {
        const { pvs, pvCost, lbAllocations, loadBalancerCost } = row;
        assert.ok(close(total(pvs), pvCost), `${total(pvs)} of volumes, ${pvCost}`);
        const balancers = total(lbAllocations);
        assert.ok(close(balancers, loadBalancerCost), `${balancers}, ${loadBalancerCost}`);
      }
      assert.ok(
        rows.some(({ pvs }) => pvs !== null),
        'volumes',
      );
      assert.ok(
        rows.some(({ lbAllocations }) => lbAllocations !== null),
        'load balancers',
      );
    });

  test('tells its node by labels and by a short id', async () => {
    const [row] = await rowsOf('filterNamespaces=web&limit=1');
    const { providerID = '', providerIDFull = '', labels = {} } = row?.properties ?? {};
    assert.ok(providerID !== '' && providerIDFull.endsWith(`/${providerID}`), providerIDFull);
    const names = ['node_kubernetes_io_instance_type', 'topology_kubernetes_io_region'];
    for (const name of names) assert.ok(labels[name], JSON.stringify(labels));
  });
});
