/** Reused node names, contradictory prices and claims created again, in a real Prometheus, by the server. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Labels } from '../../../scripts/openmetrics.ts';
import { told, type ToldSeries } from '../../support/stores/series-file.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { startTold, type Told } from '../../support/servers/told.ts';

const GIB = 2 ** 30;
const MINUTE = 60_000;
const START = Date.parse('2026-03-10T00:00:00Z');
const DAY = 1440;
type Minutes = readonly [number, number];

function show(cluster: string, life: Minutes): (metric: string, labels: Labels, value?: number | ((timeMs: number) => number)) => ToldSeries {
  const [startMs, endMs] = life.map((minute) => START + minute * MINUTE);
  return (metric, labels, value) =>
    told(metric, { cluster_id: cluster, ...labels }, { startMs: startMs ?? 0, endMs: endMs ?? 0, everyMs: MINUTE }, value);
} // prettier-ignore

/** A machine with a pod on it. */
function machine(cluster: string, life: Minutes, cores: number, more: Labels): ToldSeries[] {
  const one = show(cluster, life);
  const node = 'n1';
  const pod = { namespace: 'shop', pod: `web-${life[0]}`, uid: `u${life[0]}` };
  return [
    one('kube_node_info', { node, ...(more['provider_id'] ? { provider_id: more['provider_id'] } : {}) }),
    ...(more['type'] ? [one('kube_node_labels', { node, label_node_kubernetes_io_instance_type: more['type'], label_topology_kubernetes_io_region: 'us-east-1' })] : []),
    one('kube_node_status_capacity', { node, resource: 'cpu' }, cores),
    one('kube_node_status_capacity', { node, resource: 'memory' }, 4 * cores * GIB),
    one('kube_pod_info', { ...pod, node }),
    one('kube_pod_container_resource_requests', { ...pod, node, container: 'app', resource: 'cpu' }, 1),
    one('kube_pod_container_resource_requests', { ...pod, node, container: 'app', resource: 'memory' }, GIB),
  ];
} // prettier-ignore

const WHOLE: Minutes = [-60, DAY + 60];

const STORE: readonly ToldSeries[] = [
  ...machine('reused', [-60, 719], 8, { provider_id: 'aws:///us-east-1a/i-a', type: 'm5.2xlarge' }),
  ...machine('reused', [740, DAY + 60], 4, { provider_id: 'aws:///us-east-1a/i-b', type: 'm5.xlarge' }),
  ...machine('twoprices', WHOLE, 8, {}),
  show('twoprices', WHOLE)('node_cpu_hourly_cost', { node: 'n1', instance_type: 'm5.2xlarge' }, 0.03),
  show('twoprices', WHOLE)('node_cpu_hourly_cost', { node: 'n1', region: 'us-east-1' }, 130),
  show('twoprices', WHOLE)('node_ram_hourly_cost', { node: 'n1', instance_type: 'm5.2xlarge' }, 0.004),
  ...machine('spike', WHOLE, 8, {}),
  show('spike', WHOLE)('node_cpu_hourly_cost', { node: 'n1' }, (ms) => (ms === START + 600 * MINUTE ? 130 : 0.03)),
  show('spike', WHOLE)('node_ram_hourly_cost', { node: 'n1' }, 0.004),
]; // prettier-ignore

const RIGHT: readonly (readonly [cluster: string, usd: number, warning: RegExp | null])[] = [
  ['reused', 12 * 0.384 + (700 / 60) * 0.192, null],
  ['twoprices', 24 * (8 * 0.03 + 32 * 0.004), /node_cpu_hourly_cost contradict .*0\.03, not 130/],
  ['spike', 24 * (8 * 0.03 + 32 * 0.004), /node_cpu_hourly_cost contradict .*0\.03, not 130/],
];

describe('a cluster costs what its machines cost', { skip: skipWithout('prometheus', 'promtool') }, () => {
  let store: Told;
  before(async () => {
    store = await startTold(STORE);
  });
  after(() => store.stop());

  for (const [cluster, usd, warning] of RIGHT)
    for (const resolution of ['exact', '1m', '1h'])
      test(`${cluster} at ${resolution}`, async () => {
        const window = [0, DAY].map((m) => new Date(START + m * MINUTE).toISOString()).join();
        const query = `window=${window}&idle=true&idleByNode=true&splitIdle=true&aggregate=cluster,pod&resolution=${resolution}`;
        const response = await fetch(`${store.prorata.url}/model/allocation/compute?${query}`);
        const answer = (await response.json()) as {
          data: Record<string, { totalCost: number; properties?: { cluster?: string } }>[];
          warnings: string[];
        };
        const rows = Object.entries(answer.data[0] ?? {}).filter(([name]) => name.includes(cluster));
        const sum = rows.reduce((total, [, row]) => total + row.totalCost, 0);
        const tolerance = resolution === '1h' ? 0.05 : 0.002;
        assert.ok(Math.abs(sum - usd) <= tolerance * usd, `${sum}, not ${usd}`);
        if (warning) assert.ok(answer.warnings.some((text) => warning.test(text)), answer.warnings.join('\n'));
      });
}); // prettier-ignore
