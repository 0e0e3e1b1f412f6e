/** GPU usage as NVIDIA's exporter tells it, through a real Prometheus: told, and never charged. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Labels } from '../../../scripts/openmetrics.ts';
import { startOwnServer, type OwnServer } from '../../support/servers/own-server.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { startPrometheus, type Prometheus } from '../../support/stores/prometheus.ts';
import { told, writeSeries, type ToldSeries } from '../../support/stores/series-file.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2024, 4, 7, 6);
const HOURS = 4;
const NOON_MS = START_MS + 2 * HOUR_MS;
const WINDOW = `${START_MS / 1000},${START_MS / 1000 + HOURS * 3600}`;
const SCRAPED = { startMs: START_MS - HOUR_MS, endMs: START_MS + 5 * HOUR_MS, everyMs: 60_000 };
const GPU_HOUR = 2;
const PROF = 'DCGM_FI_PROF_GR_ENGINE_ACTIVE';
const UTIL = 'DCGM_FI_DEV_GPU_UTIL';

type Value = number | ((ms: number) => number | undefined);

/** A series of a device. Labels of the workload are those of `exported`, unless the exporter's are kept. */
interface Shown {
  readonly metric: string;
  readonly device?: Labels;
  readonly value: Value;
}

interface Scenario {
  readonly name: string;
  readonly nodeLabels?: Labels;
  /** Units of the node, and of each pod; no requests where a pod is empty. */
  readonly units: Readonly<Record<string, number>>;
  readonly pods: readonly {
    readonly requests: Readonly<Record<string, number>>;
    readonly shown: readonly Shown[];
    /** Labels `pod`, `namespace`, `container` instead of `exported_…`. */
    readonly isHonored?: true;
    /** Devices, on the average. */
    readonly request: number;
    readonly usage: number;
  }[];
}

const gpu = (uuid: string): Labels => ({ gpu: '0', UUID: `GPU-${uuid}`, modelName: 'NVIDIA A100' });
const slice = (id: string): Labels => ({ ...gpu('mig'), GPU_I_ID: id, GPU_I_PROFILE: '1g.5gb' });
const ONE = { nvidia_com_gpu: 1 };
const HALF_THEN_FULL: Value = (ms) => (ms < NOON_MS ? 0.5 : 1);
const HALF_THEN_BROKEN: Value = (ms) => (ms < NOON_MS ? 50 : 2 ** 31);
const SLICED = {
  label_nvidia_com_gpu_count: '1',
  label_nvidia_com_gpu_replicas: '4',
  label_nvidia_com_gpu_product: 'Tesla-T4-SHARED',
};

const SCENARIOS: readonly Scenario[] = [
  { name: 'one', units: ONE, pods: [{ requests: ONE, shown: [{ metric: PROF, device: gpu('a'), value: HALF_THEN_FULL }], request: 1, usage: 0.75 }] },
  { name: 'honored-labels', units: ONE, pods: [{ requests: ONE, isHonored: true, shown: [{ metric: PROF, device: gpu('a'), value: 0.25 }], request: 1, usage: 0.25 }] },
  { name: 'two-in-one-container', units: { nvidia_com_gpu: 2 }, pods: [{ requests: { nvidia_com_gpu: 2 }, shown: [{ metric: PROF, device: gpu('a'), value: 0.9 }, { metric: PROF, device: gpu('b'), value: 0.3 }], request: 2, usage: 1.2 }] },
  { name: 'two-scrapes-of-one', units: ONE, pods: [{ requests: ONE, shown: [{ metric: PROF, device: { ...gpu('a'), instance: 'x' }, value: 0.4 }, { metric: PROF, device: { ...gpu('a'), instance: 'y' }, value: 0.4 }], request: 1, usage: 0.4 }] },
  { name: 'percent-alone', units: ONE, pods: [{ requests: ONE, shown: [{ metric: UTIL, device: gpu('a'), value: 30 }], request: 1, usage: 0.3 }] },
  { name: 'both-metrics', units: ONE, pods: [{ requests: ONE, shown: [{ metric: PROF, device: gpu('a'), value: 0.2 }, { metric: UTIL, device: gpu('a'), value: 80 }], request: 1, usage: 0.2 }] },
  { name: 'beyond-all', units: ONE, pods: [{ requests: ONE, shown: [{ metric: UTIL, device: gpu('a'), value: HALF_THEN_BROKEN }], request: 1, usage: 0.25 }] },
  { name: 'no-usage', units: ONE, pods: [{ requests: ONE, shown: [], request: 1, usage: 0 }] },
  { name: 'no-request', units: ONE, pods: [{ requests: {}, shown: [{ metric: PROF, device: gpu('a'), value: 0.5 }], request: 0, usage: 0.5 }] },
  { name: 'sliced', nodeLabels: SLICED, units: { nvidia_com_gpu: 4 }, pods: [
    { requests: ONE, shown: [{ metric: PROF, device: gpu('a'), value: 0.8 }], request: 0.25, usage: 0.2 },
    { requests: { nvidia_com_gpu: 3 }, shown: [{ metric: PROF, device: gpu('a'), value: 0.8 }], request: 0.75, usage: 0.2 }] },
  { name: 'partitions', units: { nvidia_com_mig_1g_5gb: 7 }, pods: [{ requests: { nvidia_com_mig_1g_5gb: 2 }, shown: [{ metric: PROF, device: slice('1'), value: 0.7 }, { metric: PROF, device: slice('2'), value: 0.7 }], request: 2 / 7, usage: 0.2 }] },
]; // prettier-ignore

function series(): ToldSeries[] {
  return SCENARIOS.flatMap(({ name: node, nodeLabels, units, pods }) => {
    const capacity = (resource: string, value: number): ToldSeries =>
      told('kube_node_status_capacity', { node, resource }, SCRAPED, value);
    return [
      capacity('cpu', 8),
      capacity('memory', 2 ** 34),
      told('kube_node_info', { node }, SCRAPED),
      told('node_gpu_hourly_cost', { node }, SCRAPED, GPU_HOUR),
      ...(nodeLabels ? [told('kube_node_labels', { node, ...nodeLabels }, SCRAPED)] : []),
      ...Object.entries(units).map(([resource, value]) => capacity(resource, value)),
      ...pods.flatMap(({ requests, shown, isHonored }, i) => {
        const pod = { namespace: 'ml', pod: `${node}-${i}`, uid: `${node}-${i}` };
        const own = { namespace: 'ml', pod: pod.pod, container: 'app' };
        const exported = {
          namespace: 'gpu-operator',
          pod: 'dcgm-exporter-x',
          container: 'exporter',
          ...Object.fromEntries(Object.entries(own).map(([name, v]) => [`exported_${name}`, v])),
        };
        const workload = isHonored ? own : exported;
        return [
          told('kube_pod_info', { ...pod, node }, SCRAPED),
          ...Object.entries({ cpu: 1, ...requests }).map(([resource, value]) =>
            told(
              'kube_pod_container_resource_requests',
              { ...pod, node, container: 'app', resource },
              SCRAPED,
              value,
            ),
          ),
          ...shown.map(({ metric, device = {}, value }) =>
            told(metric, { ...device, ...workload, Hostname: node }, SCRAPED, value),
          ),
        ];
      }),
    ];
  });
}

interface Row {
  readonly gpuHours: number;
  readonly gpuCost: number;
  readonly gpuRequestAverage: number;
  readonly gpuUsageAverage: number;
  readonly gpuEfficiency: number;
}

const skip = skipWithout('prometheus', 'promtool');
for (const reader of ['remote-read', 'query-range'])
  for (const resolution of ['exact', '5m']) {
    describe(`usage of GPUs by ${reader} at ${resolution}`, { skip }, () => {
      let prometheus: Prometheus;
      let server: OwnServer;
      let rows: Readonly<Record<string, Row>> = {};
      let warnings: readonly string[] = [];

      before(async () => {
        const folder = await mkdtemp(join(tmpdir(), 'prorata-gpu-usage-'));
        const file = join(folder, 'fleet.om');
        await writeSeries(file, series());
        prometheus = await startPrometheus({ blocksFrom: [file] });
        await rm(folder, { recursive: true, force: true });
        server = await startOwnServer([
          `--metrics-url=${prometheus.url}`,
          `--metrics-reader=${reader}`,
        ]);
        const query = `window=${WINDOW}&resolution=${resolution}&aggregate=node,pod&idle=true&splitIdle=true&idleByNode=true`;
        const { status, text } = await server.compute(query);
        assert.equal(status, 200, text);
        const answer = JSON.parse(text) as {
          data: [Readonly<Record<string, Row>>];
          warnings?: string[];
        };
        rows = answer.data[0];
        warnings = answer.warnings ?? [];
      });
      after(async () => {
        await server.stop();
        await prometheus.stop();
      });

      for (const { name, pods } of SCENARIOS)
        for (const [i, { request, usage }] of pods.entries())
          test(`${name}, pod ${i}: ${usage} of ${request}`, () => {
            const row = rows[`${name}/${name}-${i}`];
            assertClose(row?.gpuRequestAverage, request, 'request');
            assertClose(row?.gpuUsageAverage, usage, 'usage');
            assertClose(row?.gpuEfficiency, request > 0 ? usage / request : 0, 'efficiency');
            assertClose(row?.gpuHours, HOURS * request, 'hours');
            assertClose(row?.gpuCost, HOURS * request * GPU_HOUR, 'cost');
          });

      test('idle has neither requests nor usage', () => {
        const idle = Object.entries(rows).filter(([name]) => name.includes('__idle__'));
        assert.ok(idle.length > 0);
        for (const [name, { gpuRequestAverage, gpuUsageAverage, gpuEfficiency }] of idle)
          assert.deepEqual([gpuRequestAverage, gpuUsageAverage, gpuEfficiency], [0, 0, 0], name);
      });

      test('samples beyond a device are dropped, and told', () => {
        assert.ok(
          warnings.some((text) => /^\d+ samples were NaN or infinite: dropped/.test(text)),
          warnings.join('\n'),
        );
      });
    });
  }

function assertClose(actual: number | undefined, expected: number, what: string): void {
  const error = Math.abs((actual ?? NaN) - expected);
  assert.ok(error <= 1e-9, `${what}: ${actual}, not ${expected}`);
}
