/**
 * Nodes and volumes that are billed otherwise than they look, through a real Prometheus and the whole server:
 * pods by their size (Fargate, Autopilot), nodes that cost nothing themselves, Windows, directories of servers
 * and of the node's own disk. A cluster each.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Labels } from '../../../scripts/openmetrics.ts';
import { startOwnServer } from '../../support/servers/own-server.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { startPrometheus, type Prometheus } from '../../support/stores/prometheus.ts';
import { told, writeSeries, type ToldSeries } from '../../support/stores/series-file.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 10, 20);
const HOURS = 6;
const WINDOW = `${START_MS / 1000},${START_MS / 1000 + HOURS * 3600}`;
const SCRAPED = { startMs: START_MS - HOUR_MS, endMs: START_MS + 8 * HOUR_MS, everyMs: 60_000 };
const GIB = 2 ** 30;
const BOOK_STORAGE = 0.04 / 730;
const BOOK = { cpu: 0.031611, ram: 0.004237 };

interface Pod {
  readonly name: string;
  readonly namespace?: string;
  readonly cores?: number;
  readonly gib?: number;
  /** Cores that it uses. */
  readonly uses?: number;
  readonly annotations?: Labels;
  /** Hours of the window after which it is gone; absent: it stays. */
  readonly hours?: number;
  readonly volumes?: readonly (readonly [name: string, gib: number, info: Labels])[];
}

interface Case {
  readonly what: string;
  readonly node: string;
  readonly labels?: Labels;
  readonly info?: Labels;
  readonly size: readonly [cores: number, gib: number];
  readonly pods: readonly Pod[];
  /** USD an hour of all pods, of what is idle, and of volumes. */
  readonly podsUsd: number;
  readonly idleUsd: number;
  readonly volumesUsd?: number;
  readonly source: string;
  /** What a warning names. */
  readonly named: RegExp;
}

const US_EAST: Labels = {
  label_topology_kubernetes_io_region: 'us-east-1',
  label_topology_kubernetes_io_zone: 'us-east-1a',
};
const ON_FARGATE = {
  labels: { ...US_EAST, label_eks_amazonaws_com_compute_type: 'fargate' },
  info: { provider_id: 'aws:///us-east-1a/6f-b0/fargate-ip-10-0-0-1.ec2.internal' },
  size: [2, 3.85],
  idleUsd: 0,
  source: 'fargate',
  named: /nodes of EKS Fargate/,
} as const;
const fargate = (cores: number, gib: number): number => cores * 0.04048 + gib * 0.004445;
/** What a core costs in ap-southeast-3 and in us-east-1. */
const CORE_RATIO = 0.0462 / 0.03465;
const US_CENTRAL: Labels = {
  label_topology_kubernetes_io_region: 'us-central1',
  label_topology_kubernetes_io_zone: 'us-central1-a',
};
const autopilot = (cores: number, gib: number): number => cores * 0.0445 + gib * 0.0049225;
const ON_AUTOPILOT = {
  labels: {
    ...US_CENTRAL,
    label_node_kubernetes_io_instance_type: 'ek-standard-8',
    label_cloud_google_com_gke_provisioning: 'standard',
  },
  info: { provider_id: 'gce://p/us-central1-a/gk3-a-1' },
  size: [8, 32],
  idleUsd: 0,
  source: 'autopilot',
  named: /nodes of GKE Autopilot/,
} as const;
const M5 = {
  labels: { ...US_EAST, label_node_kubernetes_io_instance_type: 'm5.xlarge' },
  info: { provider_id: 'aws:///us-east-1a/i-0a' },
  size: [4, 16],
} as const;
const typed = (type: string): Labels => ({
  ...M5.labels,
  label_node_kubernetes_io_instance_type: type,
});
const E2 = {
  labels: { ...US_CENTRAL, label_node_kubernetes_io_instance_type: 'e2-standard-4' },
  info: { provider_id: 'gce://p/us-central1-a/gke-a-1' },
  size: [4, 16],
} as const;
const ALL_OF_4: readonly Pod[] = [{ name: 'all', cores: 4, gib: 16 }];
const nfs = (name: string, server: string, gib: number): readonly [string, number, Labels] => [
  name,
  gib,
  { nfs_server: server, nfs_path: `/${name}` },
];
const local = (name: string): readonly [string, number, Labels] => [
  name,
  500,
  { host_path: `/opt/${name}`, storageclass: 'local-path' },
];

const CASES: readonly Case[] = [
  { what: 'a pod on Fargate costs what is provisioned for it, whatever it uses', node: 'fargate-ip-10-0-0-1', ...ON_FARGATE,
    pods: [{ name: 'web', cores: 0.15, gib: 0.15, uses: 0.9, annotations: { annotation_CapacityProvisioned: '0.25vCPU 0.5GB', annotation_capacity_provisioned: '0.25vCPU 0.5GB' } }], podsUsd: fargate(0.25, 0.5) },
  { what: 'a pod on Fargate without annotations costs its requests and 256 MiB, rounded up to a size', node: 'fargate-ip-10-0-0-2', ...ON_FARGATE,
    pods: [{ name: 'web', cores: 0.6, gib: 3.8 }], podsUsd: fargate(1, 5) },
  { what: 'a pod on Fargate without requests costs the smallest size', node: 'fargate-ip-10-0-0-3', ...ON_FARGATE, labels: US_EAST,
    pods: [{ name: 'web' }], podsUsd: fargate(0.25, 0.5) },
  { what: 'Fargate costs what it does in the region', node: 'fargate-ip-10-0-0-4', ...ON_FARGATE, labels: { ...ON_FARGATE.labels, label_topology_kubernetes_io_region: 'eu-central-1', label_topology_kubernetes_io_zone: 'eu-central-1a' }, info: { provider_id: 'aws:///eu-central-1a/6f-b0/fargate-ip-10-0-0-4.ec2.internal' },
    pods: [{ name: 'web', cores: 1, gib: 1.75 }], podsUsd: 0.04656 + 2 * 0.00511 },
  { what: 'Fargate in a region without a price costs that of another, and a warning names it', node: 'fargate-ip-10-0-0-5', ...ON_FARGATE, labels: { ...ON_FARGATE.labels, label_topology_kubernetes_io_region: 'ap-southeast-3', label_topology_kubernetes_io_zone: 'ap-southeast-3a' }, info: { provider_id: 'aws:///ap-southeast-3a/6f-b0/fargate-ip-10-0-0-5.ec2.internal' },
    pods: [{ name: 'web', cores: 1, gib: 1.75 }], podsUsd: fargate(1, 2) * CORE_RATIO, named: /no list price in their region \([^)]*AWS ap-southeast-3 fargate/ },
  { what: 'pods on Autopilot cost their requests', node: 'gk3-a-1', ...ON_AUTOPILOT,
    pods: [{ name: 'web', cores: 0.5, gib: 2, uses: 1 }, { name: 'api', cores: 1, gib: 4 }], podsUsd: autopilot(1.5, 6) },
  { what: 'pods on Autopilot have between 1 and 6.5 GiB a vCPU, and a least size', node: 'gk3-a-2', ...ON_AUTOPILOT,
    pods: [{ name: 'thin', cores: 2, gib: 1 }, { name: 'fat', cores: 1, gib: 13 }, { name: 'tiny', cores: 0.01, gib: 0.01 }], podsUsd: autopilot(2, 2) + autopilot(2, 13) + autopilot(0.05, 52 / 1024) },
  { what: 'pods of the system on Autopilot cost nothing', node: 'gk3-a-3', ...ON_AUTOPILOT,
    pods: [{ name: 'web', cores: 1, gib: 4 }, { name: 'kube-proxy', namespace: 'kube-system', cores: 0.1, gib: 0.1 }], podsUsd: autopilot(1, 4) },
  { what: 'a pod on Autopilot that ends leaves nothing idle', node: 'gk3-a-5', ...ON_AUTOPILOT,
    pods: [{ name: 'web', cores: 1, gib: 4 }, { name: 'job', cores: 0.3, gib: 1.3, hours: 3 }], podsUsd: autopilot(1, 4) + autopilot(0.3, 1.3) / 2 },
  { what: 'spot pods on Autopilot cost less', node: 'gk3-a-4', ...ON_AUTOPILOT, labels: { ...ON_AUTOPILOT.labels, label_cloud_google_com_gke_provisioning: 'spot' },
    pods: [{ name: 'web', cores: 1, gib: 4 }], podsUsd: 0.3 * autopilot(1, 4) },
  { what: 'a virtual node costs nothing', node: 'virtual-node-aci-linux', labels: { label_type: 'virtual-kubelet' }, size: [10_000, 4096],
    pods: [{ name: 'burst', cores: 1, gib: 2 }], podsUsd: 0, idleUsd: 0, source: 'virtual', named: /virtual nodes without a price \([^)]*virtual-node-aci-linux/ },
  { what: 'a simulated node costs nothing', node: 'kwok-node-0', labels: { label_type: 'kwok' }, size: [32, 256],
    pods: [{ name: 'fake', cores: 1, gib: 2 }], podsUsd: 0, idleUsd: 0, source: 'kwok', named: /simulated nodes \(kwok\) \([^)]*kwok-node-0/ },
  { what: 'Windows by label costs the licence too', node: 'win-1', ...M5, labels: { ...M5.labels, label_kubernetes_io_os: 'windows' },
    pods: ALL_OF_4, podsUsd: 0.376, idleUsd: 0, source: 'windows', named: /nodes with Windows \([^)]*win-1/ },
  { what: 'Windows by the image of the system costs the licence too', node: 'win-2', ...M5, info: { ...M5.info, os_image: 'Windows Server 2022 Datacenter' },
    pods: ALL_OF_4, podsUsd: 0.376, idleUsd: 0, source: 'windows', named: /nodes with Windows/ },
  { what: 'Windows on a burstable machine has another licence', node: 'win-3', ...M5, labels: { ...typed('t3.large'), label_beta_kubernetes_io_os: 'windows' }, size: [2, 8],
    pods: [{ name: 'all', cores: 2, gib: 8 }], podsUsd: 0.1108, idleUsd: 0, source: 'windows', named: /nodes with Windows/ },
  { what: 'directories of an NFS server are one server as large as the largest', node: 'gke-a-1', ...E2, pods: [{ name: 'web', cores: 4, gib: 16, volumes: [nfs('nfs-0', '10.9.9.9', 3000), nfs('nfs-1', '10.9.9.9', 3000), nfs('nfs-2', '10.9.9.9', 3000), nfs('nfs-3', '10.8.8.8', 100)] }],
    podsUsd: 0.134023, idleUsd: 0, volumesUsd: 3100 * BOOK_STORAGE, source: 'list', named: /volumes of NFS servers: 4; \$1\.02 is charged/ },
  { what: 'volumes on the node own disk cost nothing beside it', node: 'local-1', ...M5, pods: [{ name: 'all', cores: 4, gib: 16, volumes: [local('pvc-0'), local('pvc-1')] }],
    podsUsd: 0.192, idleUsd: 0, volumesUsd: 0, source: 'list', named: /node's own disk behind them \(local-path \(2\)\)/ },
  { what: 'capacities of buckets are not billed', node: 'juice-1', ...M5, pods: [{ name: 'all', cores: 4, gib: 16, volumes: [['juice', 10_240, { storageclass: 'juicefs-sc', csi_driver: 'csi.juicefs.com' }], ['blob', 10_240, { storageclass: 'blob', csi_driver: 'blob.csi.azure.com' }]] }],
    podsUsd: 0.192, idleUsd: 0, volumesUsd: 0, source: 'list', named: /capacity that is not billed \(blob \(1\), juicefs-sc \(1\)\)/ },
  { what: 'bare metal costs the book', node: 'plain-1', labels: { label_type: 'worker', label_kubernetes_io_os: 'linux' }, size: [4, 16],
    pods: [{ name: 'web', cores: 1, gib: 4 }], podsUsd: BOOK.cpu + 4 * BOOK.ram, idleUsd: 3 * BOOK.cpu + 12 * BOOK.ram, source: 'book', named: /nodes of no known cloud \(bare metal\) \(plain-1\/plain-1\): 1/ },
]; // prettier-ignore

const used = (cores: number) => (ms: number) => ((ms - SCRAPED.startMs) / 1000) * cores;

function seriesOf({ node, labels = {}, info = {}, size: [cores, gib], pods }: Case): ToldSeries[] {
  const show = (
    metric: string,
    own: Labels,
    value?: number | ((ms: number) => number | undefined),
  ): ToldSeries => told(metric, { cluster_id: node, ...own }, SCRAPED, value);
  return [
    show('kube_node_info', { node, ...info }),
    show('kube_node_labels', { node, ...labels }),
    show('kube_node_status_capacity', { node, resource: 'cpu' }, cores),
    show('kube_node_status_capacity', { node, resource: 'memory' }, gib * GIB),
    ...pods.flatMap(({ name, namespace = 'shop', annotations, volumes = [], hours, ...sizes }) => {
      const endMs = hours === undefined ? undefined : START_MS + hours * HOUR_MS;
      const pod = { namespace, pod: name, uid: `${node}-${name}` };
      const container = { ...pod, container: 'app' };
      const { cores: requested, gib: memory, uses } = sizes;
      const request = (resource: string, value: number | undefined): ToldSeries[] => {
        const labels = { ...container, node, resource };
        return value === undefined
          ? []
          : [show('kube_pod_container_resource_requests', labels, value)];
      };
      return [
        show('kube_pod_info', { ...pod, node }),
        show('kube_pod_start_time', pod, (START_MS - HOUR_MS) / 1000),
        show('kube_pod_container_info', container),
        ...(endMs === undefined
          ? []
          : [
              show('kube_pod_completion_time', pod, (ms) =>
                ms < endMs ? undefined : endMs / 1000,
              ),
              show('kube_pod_status_phase', { ...pod, phase: 'Succeeded' }, (ms) =>
                ms < endMs ? 0 : 1,
              ),
            ]),
        ...request('cpu', requested),
        ...request('memory', memory === undefined ? undefined : memory * GIB),
        ...(annotations ? [show('kube_pod_annotations', { ...pod, ...annotations })] : []),
        ...(uses === undefined
          ? []
          : [show('container_cpu_usage_seconds_total', container, used(uses))]),
        ...volumes.flatMap(([volume, size, kind]) => {
          const claim = { namespace, persistentvolumeclaim: `claim-${volume}` };
          const ofClass =
            kind['storageclass'] === undefined ? {} : { storageclass: kind['storageclass'] };
          return [
            show('kube_persistentvolume_capacity_bytes', { persistentvolume: volume }, size * GIB),
            show('kube_persistentvolume_info', { persistentvolume: volume, ...kind }),
            show('kube_persistentvolumeclaim_info', { ...claim, ...ofClass, volumename: volume }),
            show('kube_pod_spec_volumes_persistentvolumeclaims_info', { ...pod, ...claim }),
          ];
        }),
      ];
    }),
  ];
}

interface Row {
  readonly totalCost: number;
  readonly pvCost: number;
  readonly priceSource: string | null;
}

describe(
  'what is billed otherwise than it looks',
  { skip: skipWithout('prometheus', 'promtool') },
  () => {
    let prometheus: Prometheus;
    let folder = '';
    const answers = new Map<string, { rows: Readonly<Record<string, Row>>; warnings: string }>();

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'prorata-otherwise-'));
      const file = join(folder, 'fleet.om');
      await writeSeries(file, CASES.flatMap(seriesOf));
      prometheus = await startPrometheus({ blocksFrom: [file] });
      const server = await startOwnServer([`--metrics-url=${prometheus.url}`]);
      for (const resolution of ['exact', '1m', '1h']) {
        const { status, text } = await server.compute(
          `window=${WINDOW}&resolution=${resolution}&aggregate=cluster,pod&idle=true&splitIdle=true&idleByNode=true`,
        );
        assert.equal(status, 200, text);
        const answer = JSON.parse(text) as { data: [Record<string, Row>]; warnings?: string[] };
        answers.set(resolution, {
          rows: answer.data[0],
          warnings: answer.warnings?.join('\n') ?? '',
        });
      }
      await server.stop();
    });
    after(async () => {
      await prometheus?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    for (const { what, node, pods, podsUsd, idleUsd, volumesUsd = 0, source, named } of CASES)
      test(what, () => {
        for (const [resolution, { rows }] of answers) {
          const own = pods.map(({ name }) => rows[`${node}/${name}`]);
          const sum = (of: (row: Row) => number): number =>
            own.reduce((total, row) => total + (row ? of(row) : NaN), 0);
          const idle = Object.entries(rows).filter(
            ([key]) => key.startsWith(`${node}/`) && key.includes('__idle__'),
          );
          const idleCost = idle.reduce((total, [, { totalCost }]) => total + totalCost, 0);
          assertClose(
            sum((row) => row.totalCost - row.pvCost),
            HOURS * podsUsd,
            `pods, ${resolution}`,
          );
          assertClose(
            sum((row) => row.pvCost),
            HOURS * volumesUsd,
            `volumes, ${resolution}`,
          );
          assertClose(idleCost, HOURS * idleUsd, `idle, ${resolution}`);
          assert.equal(own[0]?.priceSource, source);
        }
        const warnings = answers.get('exact')?.warnings ?? '';
        if (named) assert.match(warnings, named);
        else assert.ok(!warnings.includes(node), warnings);
      });
  },
);

function assertClose(actual: number, expected: number, what: string): void {
  const error = Math.abs(actual - expected);
  assert.ok(error <= 1e-9 * Math.max(1, expected), `${what}: ${actual}, not ${expected}`);
}
