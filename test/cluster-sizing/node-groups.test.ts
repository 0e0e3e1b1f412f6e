/** Groups of nodes, each sized for its own pods, over a real socket. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { clusterSizingRoutes } from '../../src/cluster-sizing/index.ts';
import type { NodeType } from '../../src/pricing/index.ts';
import { nodeType } from '../support/arbitraries/sizing-demand.ts';
import {
  allocationColumns,
  nodeColumns,
  startSetsServer,
  type SetsServer,
} from '../support/servers/sets-server.ts';

const PLACE = { provider: 'GCP', region: 'us-west1' };
const TYPES: readonly NodeType[] = [
  nodeType('small', 2, 8, 0.05),
  nodeType('large', 8, 32, 0.2),
].map((type) => ({ ...type, ...PLACE }));
const group = (pool: string, node: string, cpuCores: number, usdPerHour: number) => ({
  node,
  type: pool === 'web' ? 'large' : 'small',
  ...PLACE,
  cpuCores,
  ramGiB: 4 * cpuCores,
  usdPerHour,
});
/** Two large nodes for what a small one holds, and a small one that is full. */
const NODES = [group('web', 'w1', 8, 0.2), group('web', 'w2', 8, 0.2), group('db', 'd1', 2, 0.05)];
const PODS = [
  { pod: 'web', cpuCores: 1, ramGiB: 1 },
  { pod: 'db', cpuCores: 1, ramGiB: 4 },
];

interface Body {
  readonly data: {
    readonly totalMonthlySavings: number;
    readonly recommendations: readonly {
      readonly clusterId: string;
      readonly nodeGroup: string;
      readonly monthlySavings: number;
      readonly recommendation: {
        readonly nodeCount: number;
        readonly pools: readonly {
          readonly count: number;
          readonly type: { readonly name: string };
        }[];
      };
      readonly parameters: { readonly staticVCPUs: number };
    }[];
  };
}

let server: SetsServer;
before(async () => {
  const days = [0, 1].map((day) => ({
    allocations: { ...allocationColumns(day, PODS), nodePool: ['web', 'db'] },
    assets: { ...nodeColumns(day, NODES), pool: ['web', 'web', 'db'] },
  }));
  server = await startSetsServer(days, (parts) =>
    clusterSizingRoutes({ ...parts, nodeTypes: () => TYPES, armProvider: 'AWS' }),
  );
});
after(async () => {
  assert.deepEqual(server.failures, []);
  await server.stop();
});

test('each group has one type for its own pods, and a group that would cost more saves nothing', async () => {
  const path = '/model/savings/nodeGroupSizing/recommendations';
  const { body } = await server.ask(path, 'window=2d&targetUtilization=.8&includeOverhead=false');
  const { totalMonthlySavings, recommendations } = (body as Body).data;
  const shown = recommendations.map(({ nodeGroup, recommendation, parameters }) => [
    nodeGroup,
    recommendation.nodeCount,
    recommendation.pools.map(({ type }) => type.name),
    Math.round(parameters.staticVCPUs * 1e6) / 1e6,
  ]);
  assert.deepEqual(shown, [
    ['db', 1, ['small'], 1],
    ['web', 1, ['small'], 1],
  ]);
  const [db, web] = recommendations;
  assert.ok(Math.abs((db?.monthlySavings ?? NaN) - 0) < 1e-9);
  assert.ok(Math.abs((web?.monthlySavings ?? NaN) - 0.35 * 730) < 1e-9);
  assert.ok(Math.abs(totalMonthlySavings - 0.35 * 730) < 1e-9);
});
