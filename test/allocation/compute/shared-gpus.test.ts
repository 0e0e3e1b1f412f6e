/** GPUs, whole and shared in every way, through a real Prometheus: rows and idle are the devices' price. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
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

type Amounts = Readonly<Record<string, number>>;
type Amount = (ms: number) => number;

/** Devices by dynamic resource allocation. */
interface Claims {
  readonly driver: string;
  /** What slices tell that the node has; none where no series tells. */
  readonly devices: readonly string[];
  /** Devices by claims. */
  readonly claimed: Readonly<Record<string, readonly string[]>>;
  /** The claims that each pod names. */
  readonly ofPods: readonly (readonly string[])[];
}

interface Scenario {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Units of the node by resource. */
  readonly units: Readonly<Record<string, number | Amount>>;
  /** Units that each pod requests. */
  readonly pods: readonly Amounts[];
  readonly claims?: Claims;
  /** Devices of the node, and what each pod has of them, on the average. */
  readonly devices: number;
  readonly parts: readonly number[];
}

const gfd = (count: number, replicas: number, product: string): Readonly<Record<string, string>> => ({
  label_nvidia_com_gpu_count: String(count),
  label_nvidia_com_gpu_replicas: String(replicas),
  label_nvidia_com_gpu_product: product,
}); // prettier-ignore
const G5: Readonly<Record<string, string>> = {
  label_node_kubernetes_io_instance_type: 'g5.12xlarge',
  label_topology_kubernetes_io_region: 'us-east-1',
};

const FOUR_BUT_AT_NOON: Amount = (ms) => (ms >= NOON_MS && ms < NOON_MS + 600_000 ? 0 : 4);
const FOUR_THEN_EIGHT: Amount = (ms) => (ms < NOON_MS ? 4 : 8);

const SCENARIOS: readonly Scenario[] = [
  { name: 'whole', units: { nvidia_com_gpu: 8 }, pods: [{ nvidia_com_gpu: 1 }, { nvidia_com_gpu: 4 }], devices: 8, parts: [1, 4] },
  { name: 'sliced', labels: gfd(2, 4, 'Tesla-T4-SHARED'), units: { nvidia_com_gpu: 8 }, pods: [{ nvidia_com_gpu: 1 }, { nvidia_com_gpu: 3 }], devices: 2, parts: [0.25, 0.75] },
  { name: 'sliced and not labelled so', labels: gfd(1, 4, 'Tesla-T4'), units: { nvidia_com_gpu: 4 }, pods: [{ nvidia_com_gpu: 1 }], devices: 1, parts: [0.25] },
  { name: 'sliced and renamed', labels: gfd(1, 4, 'Tesla-T4'), units: { nvidia_com_gpu: 0, nvidia_com_gpu_shared: 4 }, pods: [{ nvidia_com_gpu_shared: 1 }, { nvidia_com_gpu_shared: 2 }], devices: 1, parts: [0.25, 0.5] },
  { name: 'sliced, told by the type alone', labels: G5, units: { nvidia_com_gpu: 40 }, pods: [{ nvidia_com_gpu: 5 }], devices: 4, parts: [0.5] },
  { name: 'replicas of 0', labels: gfd(0, 0, 'Tesla-T4'), units: { nvidia_com_gpu: 2 }, pods: [{ nvidia_com_gpu: 1 }], devices: 2, parts: [1] },
  { name: 'a count that cannot be', labels: gfd(99, 1, 'Tesla-T4'), units: { nvidia_com_gpu: 2 }, pods: [{ nvidia_com_gpu: 1 }], devices: 2, parts: [1] },
  { name: 'mixed partitions', labels: gfd(2, 1, 'NVIDIA-A100-SXM4-40GB'), units: { nvidia_com_gpu: 0, nvidia_com_mig_1g_5gb: 7, nvidia_com_mig_3g_20gb: 1, nvidia_com_mig_4g_20gb: 1 }, pods: [{ nvidia_com_mig_1g_5gb: 2 }, { nvidia_com_mig_3g_20gb: 1 }, { nvidia_com_mig_4g_20gb: 1 }], devices: 2, parts: [2 / 7, 3 / 7, 4 / 7] },
  { name: 'partitions beside whole ones', labels: gfd(4, 1, 'NVIDIA-A100-SXM4-40GB'), units: { nvidia_com_gpu: 3, nvidia_com_mig_1g_5gb: 7 }, pods: [{ nvidia_com_gpu: 2 }, { nvidia_com_mig_1g_5gb: 1 }], devices: 4, parts: [2, 1 / 7] },
  { name: 'partitions of one kind', labels: gfd(14, 1, 'NVIDIA-A100-SXM4-40GB-MIG-1g.5gb'), units: { nvidia_com_gpu: 14 }, pods: [{ nvidia_com_gpu: 3 }], devices: 2, parts: [3 / 7] },
  { name: 'an A30 in four', units: { nvidia_com_mig_1g_6gb: 4 }, pods: [{ nvidia_com_mig_1g_6gb: 1 }], devices: 1, parts: [0.25] },
  { name: 'two kinds in one container', units: { nvidia_com_gpu: 2, nvidia_com_mig_2g_10gb: 3 }, pods: [{ nvidia_com_gpu: 1, nvidia_com_mig_2g_10gb: 2 }], devices: 3, parts: [1 + 4 / 7] },
  { name: 'the plugin restarts at noon', units: { nvidia_com_gpu: FOUR_BUT_AT_NOON }, pods: [{ nvidia_com_gpu: 1 }], devices: 4, parts: [1] },
  { name: 'replicas change at noon', labels: gfd(1, 8, 'Tesla-T4-SHARED'), units: { nvidia_com_gpu: FOUR_THEN_EIGHT }, pods: [{ nvidia_com_gpu: 2 }], devices: 1, parts: [(0.5 + 0.25) / 2] },
  { name: 'HAMi by memory', labels: { ...gfd(2, 1, 'Tesla-T4'), label_nvidia_com_gpu_memory: '16000' }, units: { nvidia_com_gpu: 20 }, pods: [{ nvidia_com_gpu: 1, nvidia_com_gpumem: 4000 }, { nvidia_com_gpu: 2, nvidia_com_gpumem_percentage: 50 }], devices: 2, parts: [0.25, 1] },
  { name: 'HAMi without labels', units: { nvidia_com_gpu: 20 }, pods: [{ nvidia_com_gpu: 1, nvidia_com_gpumem_percentage: 50 }, { nvidia_com_gpu: 1 }], devices: 2, parts: [0.5, 0.1] },
  { name: 'HAMi by cores', labels: gfd(1, 1, 'Tesla-T4'), units: { nvidia_com_gpu: 10 }, pods: [{ nvidia_com_gpu: 1, nvidia_com_gpucores: 30 }, { nvidia_com_gpu: 1 }], devices: 1, parts: [0.3, 0.1] },
  { name: 'vGPUs of Amazon', units: { k8s_amazonaws_com_vgpu: 10 }, pods: [{ k8s_amazonaws_com_vgpu: 4 }], devices: 1, parts: [0.4] },
  { name: 'a model of four slices', labels: gfd(1, 1, 'NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition'), units: { nvidia_com_gpu: 0, nvidia_com_mig_1g_24gb: 2, nvidia_com_mig_2g_48gb: 1 }, pods: [{ nvidia_com_mig_1g_24gb: 1 }, { nvidia_com_mig_2g_48gb: 1 }], devices: 1, parts: [0.25, 0.5] },
  { name: 'the same profile of seven', labels: gfd(1, 1, 'NVIDIA-H100-NVL'), units: { nvidia_com_mig_1g_24gb: 4 }, pods: [{ nvidia_com_mig_1g_24gb: 1 }], devices: 1, parts: [1 / 7] },
  { name: 'sliced by GKE', labels: { label_cloud_google_com_gke_accelerator: 'nvidia-tesla-t4', label_cloud_google_com_gke_max_shared_clients_per_gpu: '4' }, units: { nvidia_com_gpu: 8 }, pods: [{ nvidia_com_gpu: 1 }], devices: 2, parts: [0.25] },
  { name: 'partitions of GKE', labels: { label_cloud_google_com_gke_accelerator: 'nvidia-tesla-a100', label_cloud_google_com_gke_gpu_partition_size: '3g.20gb' }, units: { nvidia_com_gpu: 2 }, pods: [{ nvidia_com_gpu: 1 }], devices: 1, parts: [3 / 7] },
  { name: 'HAMi with the memory of a model', labels: { label_cloud_google_com_gke_accelerator: 'nvidia-l4' }, units: { nvidia_com_gpu: 1 }, pods: [{ nvidia_com_gpu: 1, nvidia_com_gpumem: 6144 }], devices: 1, parts: [0.25] },
  { name: 'cores of Neuron', labels: { label_node_kubernetes_io_instance_type: 'trn1.2xlarge', label_topology_kubernetes_io_region: 'us-east-1' }, units: { aws_amazon_com_neuroncore: 2 }, pods: [{ aws_amazon_com_neuroncore: 1 }], devices: 1, parts: [0.5] },
  { name: 'Intel', units: { gpu_intel_com_i915: 1, gpu_intel_com_xe: 1 }, pods: [{ gpu_intel_com_i915: 1 }], devices: 2, parts: [1] },
  { name: 'claims of devices', units: {}, pods: [{}, {}], claims: { driver: 'gpu.nvidia.com', devices: ['gpu-0', 'gpu-1', 'gpu-2', 'gpu-3'], claimed: { a: ['gpu-0'], b: ['gpu-1', 'gpu-2'] }, ofPods: [['a'], ['b']] }, devices: 4, parts: [1, 2] },
  { name: 'claims of partitions', labels: gfd(1, 1, 'NVIDIA-A100-SXM4-40GB'), units: {}, pods: [{}, {}], claims: { driver: 'gpu.nvidia.com', devices: ['gpu-0-mig-1g5gb-19-0', 'gpu-0-mig-2g10gb-14-2', 'gpu-0-mig-3g20gb-9-4'], claimed: { a: ['gpu-0-mig-1g5gb-19-0'], b: ['gpu-0-mig-3g20gb-9-4', 'gpu-0-mig-2g10gb-14-2'] }, ofPods: [['a'], ['b']] }, devices: 1, parts: [1 / 7, 5 / 7] },
  { name: 'partitions of older drivers', labels: gfd(1, 1, 'NVIDIA-A100-SXM4-40GB'), units: {}, pods: [{}], claims: { driver: 'gpu.nvidia.com', devices: ['gpu-0-mig-9-4-4'], claimed: { a: ['gpu-0-mig-9-4-4'] }, ofPods: [['a']] }, devices: 1, parts: [3 / 7] },
  { name: 'a claim of three pods', units: {}, pods: [{}, {}, {}], claims: { driver: 'gpu.amd.com', devices: ['gpu-0-128', 'gpu-1-129'], claimed: { a: ['gpu-0-128'] }, ofPods: [['a'], ['a'], ['a']] }, devices: 2, parts: [1 / 3, 1 / 3, 1 / 3] },
  { name: 'a device of two claims', units: {}, pods: [{}, {}], claims: { driver: 'gpu.nvidia.com', devices: ['gpu-0'], claimed: { a: ['gpu-0'], b: ['gpu-0'] }, ofPods: [['a'], ['b']] }, devices: 1, parts: [0.5, 0.5] },
  { name: 'claims without slices', labels: G5, units: {}, pods: [{}], claims: { driver: 'gpu.nvidia.com', devices: [], claimed: { a: ['gpu-3'] }, ofPods: [['a']] }, devices: 4, parts: [1] },
  { name: 'claims of what is no accelerator', units: { nvidia_com_gpu: 2 }, pods: [{ nvidia_com_gpu: 1 }], claims: { driver: 'dra.net', devices: ['eth0'], claimed: { a: ['eth0'] }, ofPods: [['a']] }, devices: 2, parts: [1] },
  { name: 'claims beside a device plugin', units: { nvidia_com_gpu: 2 }, pods: [{ nvidia_com_gpu: 1 }, {}], claims: { driver: 'gpu.nvidia.com', devices: ['gpu-0', 'gpu-1'], claimed: { a: ['gpu-1'] }, ofPods: [[], ['a']] }, devices: 2, parts: [1, 1] },
  { name: 'AMD', units: { amd_com_gpu: 2 }, pods: [{ amd_com_gpu: 1 }], devices: 2, parts: [1] },
  { name: 'Gaudi', units: { habana_ai_gaudi: 8 }, pods: [{ habana_ai_gaudi: 8 }], devices: 8, parts: [8] },
  { name: 'a TPU', units: { google_com_tpu: 4 }, pods: [{ google_com_tpu: 4 }], devices: 4, parts: [4] },
  { name: 'Neuron', units: { aws_amazon_com_neuron: 6 }, pods: [{ aws_amazon_com_neuron: 1 }], devices: 6, parts: [1] },
]; // prettier-ignore

const nodeOf = ({ name }: Scenario): string => name.replaceAll(' ', '-');
/** USD of a device: each node has other ones. */
const gpuHourOf = (scenario: Scenario): number => 2 + SCENARIOS.indexOf(scenario) / 10;

/** All are nodes of one cluster, of other models at other prices. */
function series(): ToldSeries[] {
  return SCENARIOS.flatMap((scenario) => {
    const node = nodeOf(scenario);
    const capacity = (resource: string, value: number | Amount): ToldSeries =>
      told('kube_node_status_capacity', { node, resource }, SCRAPED, value);
    return [
      capacity('cpu', 8),
      capacity('memory', 2 ** 34),
      told('kube_node_info', { node }, SCRAPED),
      told('node_gpu_hourly_cost', { node }, SCRAPED, gpuHourOf(scenario)),
      ...(scenario.labels ? [told('kube_node_labels', { node, ...scenario.labels }, SCRAPED)] : []),
      ...Object.entries(scenario.units).map(([resource, value]) => capacity(resource, value)),
      ...claimed(scenario, node),
      ...scenario.pods.flatMap((requests, i) => {
        const pod = { namespace: 'ml', pod: `${node}-${i}`, uid: `${node}-${i}` };
        return [
          told('kube_pod_info', { ...pod, node }, SCRAPED),
          told('kube_pod_container_info', { ...pod, container: 'app' }, SCRAPED),
          ...(scenario.claims?.ofPods[i] ?? []).map((claim) => {
            const resourceclaim_name = `${node}-${claim}`;
            return told('kube_pod_resourceclaim_info', { ...pod, resourceclaim_name }, SCRAPED);
          }),
          ...Object.entries(requests).map(([resource, value]) =>
            told(
              'kube_pod_container_resource_requests',
              { ...pod, node, container: 'app', resource },
              SCRAPED,
              value,
            ),
          ),
        ];
      }),
    ];
  });
}

function claimed({ claims }: Scenario, node: string): ToldSeries[] {
  const { driver = '', devices = [], claimed: all = {} } = claims ?? {};
  return [
    ...devices.map((device_name) => {
      const labels = { resourceslice: node, driver, pool_name: node, node_name: node, device_name };
      return told('kube_resourceslice_device_info', labels, SCRAPED);
    }),
    ...Object.entries(all).flatMap(([claim, own]) =>
      own.map((device) => {
        const labels = { namespace: 'ml', resourceclaim: `${node}-${claim}`, request: 'gpu' };
        const of = { ...labels, driver, pool: node, device };
        return told('kube_resourceclaim_allocation_device_info', of, SCRAPED);
      }),
    ),
  ];
}

interface Row {
  readonly gpuHours: number;
  readonly gpuCost: number;
}

const skip = skipWithout('prometheus', 'promtool');
for (const reader of ['remote-read', 'query-range']) {
  describe(`GPUs by ${reader}`, { skip }, () => {
    let prometheus: Prometheus;
    let server: OwnServer;
    let folder = '';
    let rows: Readonly<Record<string, Row>> = {};
    let warnings: readonly string[] = [];

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'prorata-gpus-'));
      const file = join(folder, 'fleet.om');
      const unknown = told('kube_node_status_capacity', { node: 'whole', resource: 'example_com_npu' }, SCRAPED, 2); // prettier-ignore
      await writeSeries(file, [...series(), unknown]);
      prometheus = await startPrometheus({ blocksFrom: [file] });
      server = await startOwnServer([
        `--metrics-url=${prometheus.url}`,
        `--metrics-reader=${reader}`,
      ]);
      const query = `window=${WINDOW}&resolution=exact&aggregate=node,pod&idle=true&splitIdle=true&idleByNode=true`;
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
      await server?.stop();
      await prometheus?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const near = (actual: number | undefined, expected: number, what: string): void =>
      assert.ok(
        Math.abs((actual ?? NaN) - expected) <= 1e-9 * Math.max(1, expected),
        `${what}: ${actual}, not ${expected}`,
      );

    for (const scenario of SCENARIOS)
      test(`${scenario.name}: pods pay their part, and all together the devices`, () => {
        const node = nodeOf(scenario);
        let usd = rows[`default-cluster/${node}/__idle__`]?.gpuCost ?? 0;
        scenario.parts.forEach((part, i) => {
          const row = rows[`${node}/${node}-${i}`];
          near(row?.gpuHours, part * HOURS, `GPU hours of pod ${i}`);
          near(row?.gpuCost, part * HOURS * gpuHourOf(scenario), `cost of pod ${i}`);
          usd += row?.gpuCost ?? 0;
        });
        near(usd, scenario.devices * HOURS * gpuHourOf(scenario), 'rows and idle');
      });

    test('an accelerator that is not known is told by its name', () => {
      assert.match(warnings.join('\n'), /example_com_npu/);
    });
  });
}
