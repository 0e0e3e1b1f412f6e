/** Who pays for load balancers where only kube-state-metrics tells of services. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { startPrometheus, type Prometheus } from '../../support/stores/prometheus.ts';
import { told, writeSeries, type ToldSeries } from '../../support/stores/series-file.ts';
import { skipWithout } from '../../support/servers/services.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2024, 4, 7, 6);
const HOURS = 4;
const WINDOW = `${START_MS / 1000},${START_MS / 1000 + HOURS * 3600}`;
const BALANCER_USD = 0.025;

type Labels = Readonly<Record<string, string>>;

/** Minutes from the window's start; the last sample is one interval before the end, as no start is told. */
function during([from, to]: readonly [number, number]): Parameters<typeof told>[2] {
  return {
    startMs: START_MS + from * MINUTE_MS,
    endMs: START_MS + (to - 1) * MINUTE_MS,
    everyMs: MINUTE_MS,
  };
}

const EVER = [-30, HOURS * 60 + 30] as const;

interface Pod {
  readonly name: string;
  readonly life: readonly [number, number];
  readonly ip: string;
  readonly isBehindWeb: boolean;
}

/** Two pods behind the service: one runs four times as long as the other, which later has its address. */
const PODS: readonly Pod[] = [
  { name: 'long', life: [0, 160], ip: '10.0.0.1', isBehindWeb: true },
  { name: 'short', life: [200, 240], ip: '10.0.0.1', isBehindWeb: true },
  { name: 'other', life: [0, 240], ip: '10.0.0.2', isBehindWeb: false },
];

/** How each cluster tells which pods stand behind the service `web`. */
const CLUSTERS: Readonly<Record<string, (pod: Pod) => readonly [name: string, labels: Labels][]>> =
  {
    addresses: ({ ip }) => [['kube_endpoint_address', { endpoint: 'web', ip, ready: 'true' }]],
    slices: ({ name, ip }) => [
      [
        'kube_endpointslice_endpoints',
        { endpointslice: 'web-x7z9q', address: ip, targetref_kind: 'Pod', targetref_name: name },
      ],
    ],
    labelled: ({ name, ip }) => [
      [
        'kube_endpointslice_labels',
        { endpointslice: 'mine', label_kubernetes_io_service_name: 'web' },
      ],
      [
        'kube_endpointslice_endpoints',
        { endpointslice: 'mine', address: ip, targetref_kind: 'Pod', targetref_name: name },
      ],
    ],
    selectors: ({ name }) => [
      ['service_selector_labels', { service: 'web', label_app: 'web' }],
      ['kube_pod_labels', { pod: name, uid: name, label_app: 'web' }],
    ],
    neither: () => [],
  };

function fleet(): ToldSeries[] {
  return Object.entries(CLUSTERS).flatMap(([cluster_id, tells]) => {
    const from = { cluster_id, namespace: 'shop' };
    const balancer = { service_name: 'web', ingress_ip: '1.2.3.4' };
    return [
      told('kubecost_load_balancer_cost', { ...from, ...balancer }, during(EVER), BALANCER_USD),
      told('kube_node_info', { cluster_id, node: 'n1' }, during(EVER)),
      ...PODS.flatMap((pod) => {
        const labels = { ...from, pod: pod.name, uid: pod.name };
        const life = during(pod.life);
        return [
          told(
            'kube_pod_info',
            { ...labels, node: 'n1', pod_ip: pod.ip, host_network: 'false' },
            life,
          ),
          told('kube_pod_container_info', { ...labels, container: 'app' }, life),
          ...(pod.isBehindWeb ? tells(pod) : []).map(([name, more]) =>
            told(name, { ...from, ...more }, life),
          ),
        ];
      }),
    ];
  });
}

const skip = skipWithout('prometheus', 'promtool');

describe('a load balancer is paid by the pods behind its service, by hours run', { skip }, () => {
  let prometheus: Prometheus;
  let server: BundleServer;

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prorata-endpoints-'));
    const file = join(folder, 'fleet.om');
    await writeSeries(file, merged(fleet()));
    prometheus = await startPrometheus({ blocksFrom: [file] });
    await rm(folder, { recursive: true, force: true });
    server = await startBundleServer([`--metrics-url=${prometheus.url}`]);
  });
  after(async () => {
    await server.stop();
    await prometheus.stop();
  });

  const ask = async (aggregate: string) => {
    const query = `window=${WINDOW}&resolution=exact&aggregate=cluster,${aggregate}`;
    const { text } = await server.compute(query);
    return JSON.parse(text) as {
      readonly data: readonly [Readonly<Record<string, Readonly<Record<string, number>>>>];
      readonly warnings?: readonly string[];
    };
  };

  for (const cluster of Object.keys(CLUSTERS))
    test(`told by ${cluster}`, async () => {
      const {
        data: [rows],
      } = await ask('pod');
      const isTold = cluster !== 'neither';
      const [long, short] = isTold ? [0.8, 0.2] : [0, 0];
      const parts = { long, short, other: 0, __unmounted__: isTold ? undefined : 1 };
      for (const [pod, part] of Object.entries(parts)) {
        const cost = rows[`${cluster}/${pod}`]?.['loadBalancerCost'];
        if (part === undefined) assert.equal(cost, undefined, pod);
        else assertClose(cost, part * BALANCER_USD * HOURS, pod);
      }
      const names = Object.keys((await ask('service')).data[0]).filter((name) =>
        name.startsWith(`${cluster}/`),
      );
      const expected = ['__unallocated__', isTold ? 'web' : '__unmounted__'];
      assert.deepEqual(
        names,
        expected.map((name) => `${cluster}/${name}`),
      );
    });

  test('what nobody is known to stand behind is told with the answer', async () => {
    const { warnings = [] } = await ask('pod');
    const expected =
      'load balancers without pods behind their service: 1; $0.10 is charged to __unmounted__';
    assert.ok(warnings.includes(expected), warnings.join('\n'));
  });
});

/** Series of one name merged, with all samples in order of time. */
function merged(series: readonly ToldSeries[]): ToldSeries[] {
  const byName = new Map<string, ToldSeries>();
  for (const one of series) {
    const key = JSON.stringify([one.name, one.labels]);
    const samples = [...(byName.get(key)?.samples ?? []), ...one.samples];
    byName.set(key, { ...one, samples: samples.toSorted(([a], [b]) => a - b) });
  }
  return [...byName.values()];
}

function assertClose(actual: number | undefined, expected: number, what: string): void {
  const error = Math.abs((actual ?? NaN) - expected);
  assert.ok(error <= 1e-9, `${what}: ${actual}, not ${expected}`);
}
