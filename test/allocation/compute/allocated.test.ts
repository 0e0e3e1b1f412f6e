/** What OpenCost's exporter says is allocated, where kube-state-metrics tells no requests. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { decide, MINUTE_MS, requests, type Series } from '../../support/fleets/decided.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { startPrometheus, type Prometheus } from '../../support/stores/prometheus.ts';
import { told, writeSeries, type ToldSeries } from '../../support/stores/series-file.ts';
import { skipWithout } from '../../support/servers/services.ts';

type Labels = Readonly<Record<string, string>>;
type Values = Series['values'];

function allocated(values: Values, labels: Labels = {}, seen?: Series['seen']): Series {
  const own = { container: 'app', ...labels };
  return {
    fact: 'cpuAllocation',
    labels: own,
    ...(values ? { values } : {}),
    ...(seen ? { seen } : {}),
  };
}

const INFO: Series = { fact: 'podInfo', labels: { uid: 'u' } };
const AT: Values = [
  [0, 2],
  [30, 3],
];
const AS_PAIRS = [0, 2, 30 * MINUTE_MS, 3];

const SOURCES: readonly (readonly [
  what: string,
  series: readonly Series[],
  cpu: readonly number[],
  allocated: readonly string[],
])[] = [
  ['its request before what is allocated', [requests({ uid: 'u' }), allocated(AT)], [0, 0.5], []],
  ['what is allocated, without a request', [INFO, allocated(AT)], AS_PAIRS, ['cpu']],
  ['what is allocated, and nothing else known', [allocated(AT)], AS_PAIRS, ['cpu']],
  ['what two exporters say in turn', [allocated([[0, 2]]), allocated([[30, 3]])], AS_PAIRS, ['cpu']],
  ['what is allocated by a uid of another pod', [INFO, allocated(AT, { uid: 'other' })], AS_PAIRS, ['cpu']],
  ['what is allocated by its uid and that of another in turn', [
    INFO, allocated([[0, 2]], { uid: 'u' }), allocated([[30, 3]], { uid: 'other' }),
  ], AS_PAIRS, ['cpu']],
  ["another resource's request", [
    requests({ uid: 'u', resource: 'memory' }), allocated(AT),
  ], AS_PAIRS, ['cpu']],
  ['nothing for more than 512 cores, or less than none', [
    INFO, allocated([[0, 512], [1, 513], [2, -1], [3, 0]]),
  ], [0, 512, MINUTE_MS, 0], ['cpu']],
]; // prettier-ignore

describe('CPU is allocated by', () => {
  for (const [what, series, cpu, names] of SOURCES)
    test(what, () => {
      const [workload] = decide(series);
      assert.deepEqual(workload?.requests.cpu, cpu);
      assert.deepEqual(workload.allocated, names);
    });
});

test('a pod is there for as long as others than OpenCost show it', () => {
  const info: Series = { ...INFO, seen: [0, 50] };
  const [workload] = decide([info, allocated(AT, {}, [0, 55])]);
  assert.deepEqual(workload?.stretches, [{ startMs: 0, endMs: 51 * MINUTE_MS }]);
  const [alone] = decide([allocated(AT, {}, [0, 55])]);
  assert.deepEqual(alone?.stretches, [{ startMs: 0, endMs: 56 * MINUTE_MS }]);
});

const START_MS = Date.UTC(2024, 4, 7, 6);
const HOURS = 2;
const WINDOW = `${START_MS / 1000},${START_MS / 1000 + HOURS * 3600}`;
const SCRAPED = {
  startMs: START_MS - 30 * MINUTE_MS,
  endMs: START_MS + 150 * MINUTE_MS,
  everyMs: MINUTE_MS,
};
const GIB = 2 ** 30;
const CPU_USD = 0.031611;

/** Up and down each minute, on average 1.5. */
function wave(timeMs: number): number {
  return (timeMs / MINUTE_MS) % 2 === 0 ? 1 : 2;
}

function counter(cores: number): (timeMs: number) => number {
  return (timeMs) => (cores * (timeMs - SCRAPED.startMs)) / 1000;
}

/** OpenCost's exporter in both clusters; requests in one of them. */
function fleet(): ToldSeries[] {
  return ['requested', 'bare'].flatMap((cluster_id) => {
    const pod = { cluster_id, namespace: 'shop', pod: 'web' };
    const own = { ...pod, container: 'app' };
    const show = (name: string, labels: Labels, value: Parameters<typeof told>[3]): ToldSeries =>
      told(name, labels, SCRAPED, value);
    return [
      show('node_cpu_hourly_cost', { cluster_id, node: 'n1' }, CPU_USD),
      show('container_cpu_allocation', { ...own, node: 'n1' }, wave),
      show('container_memory_allocation_bytes', { ...own, node: 'n1' }, 3 * GIB),
      show('container_gpu_allocation', { ...own, node: 'n1' }, 2),
      show('container_cpu_usage_seconds_total', own, counter(1.25)),
      show('container_memory_working_set_bytes', own, GIB),
      ...(cluster_id === 'bare'
        ? []
        : [
            show('kube_pod_info', { ...pod, uid: 'u', node: 'n1' }, 1),
            show(
              'kube_pod_container_resource_requests',
              { ...own, uid: 'u', resource: 'cpu' },
              0.5,
            ),
            show(
              'kube_pod_container_resource_requests',
              { ...own, uid: 'u', resource: 'memory' },
              2 * GIB,
            ),
          ]),
    ];
  });
}

const EXPECTED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  // Usage is above the request for CPU, below it for RAM; GPUs are requested by nobody.
  'requested/n1/shop/web/app': {
    cpuCoreHours: 1.25 * HOURS,
    cpuCost: 1.25 * HOURS * CPU_USD,
    cpuCoreRequestAverage: 0.5,
    cpuCoreUsageAverage: 1.25,
    ramByteHours: 2 * GIB * HOURS,
    ramByteRequestAverage: 2 * GIB,
    gpuHours: 2 * HOURS,
  },
  // Usage is in what is allocated, and does not come on top of it when that is low.
  'bare/n1/shop/web/app': {
    cpuCoreHours: 1.5 * HOURS,
    cpuCost: 1.5 * HOURS * CPU_USD,
    cpuCoreRequestAverage: 0,
    cpuCoreUsageAverage: 1.25,
    cpuEfficiency: 1,
    ramByteHours: 3 * GIB * HOURS,
    ramByteRequestAverage: 0,
    ramByteUsageAverage: GIB,
    gpuHours: 2 * HOURS,
  },
};

const skip = skipWithout('prometheus', 'promtool');

describe('through a real Prometheus', { skip }, () => {
  let prometheus: Prometheus;
  let server: BundleServer;

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prorata-allocated-'));
    const file = join(folder, 'fleet.om');
    await writeSeries(file, fleet());
    prometheus = await startPrometheus({ blocksFrom: [file] });
    await rm(folder, { recursive: true, force: true });
    server = await startBundleServer([`--metrics-url=${prometheus.url}`]);
  });
  after(async () => {
    await server.stop();
    await prometheus.stop();
  });

  for (const resolution of ['exact', '1m'])
    test(`requests count where a cluster has them, else what is allocated, at ${resolution}`, async () => {
      const { text } = await server.compute(`window=${WINDOW}&resolution=${resolution}`);
      const [rows] = (JSON.parse(text) as { data: [Record<string, Record<string, number>>] }).data;
      assert.deepEqual(Object.keys(rows).sort(), Object.keys(EXPECTED).sort());
      for (const [name, fields] of Object.entries(EXPECTED)) {
        for (const [field, value] of Object.entries(fields)) {
          const actual = rows[name]?.[field] ?? NaN;
          assert.ok(Math.abs(actual - value) <= 1e-9 * value, `${name} ${field}: ${actual}`);
        }
      }
    });
});
