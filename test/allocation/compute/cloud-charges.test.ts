/**
 * Volumes, load balancers and traffic of clouds that kube-state-metrics alone tells of, through a real
 * Prometheus: they cost what the cloud's list says, and rows have all of it.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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
const WINDOW = `${START_MS / 1000},${START_MS / 1000 + HOURS * 3600}`;
const SCRAPED = { startMs: START_MS - HOUR_MS, endMs: START_MS + 5 * HOUR_MS, everyMs: 60_000 };
const GIB = 2 ** 30;
/** GiB an hour that each pod sends to the internet. */
const SENT_GIB = 3;

interface Cloud {
  readonly name: string;
  readonly providerId: string;
  readonly region: string;
  readonly volumes: readonly {
    readonly gib: number;
    readonly info: Labels;
    readonly usdPerMonth: number;
  }[];
  /** Address of its service. */
  readonly address: Labels;
  readonly balancerUsdPerHour: number;
  readonly internetUsdPerGiB: number;
  /** Series of prices beside. */
  readonly priced?: true;
  /** The node's type, where it alone tells the cloud. */
  readonly type?: string;
}

/** The operator's price of two storage classes, for a GiB an hour. */
const OWN_USD = 0.001;
const BOOK = { storage: 0.04, internet: 0.12 };
const EBS: Labels = { csi_driver: 'ebs.csi.aws.com', csi_volume_handle: 'vol-0a1b2c' };
const CLOUDS: readonly Cloud[] = [
  { name: 'eks', providerId: 'aws:///us-east-1a/i-0abc', region: 'us-east-1',
    volumes: [{ gib: 100, info: { storageclass: 'gp2', ...EBS }, usdPerMonth: 10 }, { gib: 50, info: { storageclass: 'gp3', ...EBS }, usdPerMonth: 4 }, { gib: 10, info: { storageclass: 'old', ebs_volume_id: 'aws://us-east-1a/vol-0d' }, usdPerMonth: 0.8 }, { gib: 10, info: { storageclass: 'efs-sc', csi_driver: 'efs.csi.aws.com' }, usdPerMonth: 0 }, { gib: 10, info: { storageclass: 'lustre', csi_driver: 'fsx.csi.aws.com' }, usdPerMonth: 10 * BOOK.storage }],
    address: { hostname: 'a1-0c.elb.us-east-1.amazonaws.com' }, balancerUsdPerHour: 0.0225, internetUsdPerGiB: 0.09 },
  { name: 'gke', providerId: 'gce://project/us-central1-a/node', region: 'us-central1',
    volumes: [{ gib: 100, info: { storageclass: 'premium-rwo', csi_driver: 'pd.csi.storage.gke.io' }, usdPerMonth: 17 }],
    address: { ip: '34.1.2.3' }, balancerUsdPerHour: 0.025, internetUsdPerGiB: 0.12 },
  { name: 'aks', providerId: 'azure:///subscriptions/0/virtualMachines/0', region: 'eastus',
    volumes: [{ gib: 100, info: { storageclass: 'managed-csi', csi_driver: 'disk.csi.azure.com' }, usdPerMonth: 9.6 }],
    address: { ip: '20.1.2.3' }, balancerUsdPerHour: 0.025, internetUsdPerGiB: 0.087 },
  { name: 'typed', providerId: '', region: 'us-east-1', type: 'm5.xlarge',
    volumes: [{ gib: 100, info: { storageclass: 'gp2' }, usdPerMonth: 10 }],
    address: { hostname: 'a1-0e.elb.us-east-1.amazonaws.com' }, balancerUsdPerHour: 0.0225, internetUsdPerGiB: 0.09 },
  { name: 'own', providerId: '', region: '',
    volumes: [{ gib: 100, info: { storageclass: 'local-path', csi_driver: 'rancher.io/local-path' }, usdPerMonth: 0 }],
    address: { ip: '192.168.1.240' }, balancerUsdPerHour: 0, internetUsdPerGiB: BOOK.internet },
  { name: 'priced', providerId: 'aws:///us-east-1a/i-0abd', region: 'us-east-1', priced: true,
    volumes: [{ gib: 100, info: { storageclass: 'gp2', ...EBS }, usdPerMonth: 73 }],
    address: { hostname: 'a1-0d.elb.us-east-1.amazonaws.com' }, balancerUsdPerHour: 0.5, internetUsdPerGiB: 0.25 },
]; // prettier-ignore

/** One node, one pod with all volumes behind the one service. */
function cluster({
  name,
  providerId,
  region,
  volumes,
  address,
  priced,
  type,
}: Cloud): ToldSeries[] {
  const show = (metric: string, labels: Labels, value?: number | ((ms: number) => number)) =>
    told(metric, { cluster_id: name, ...labels }, SCRAPED, value);
  const pod = { namespace: 'shop', pod: 'web', uid: `uid-${name}` };
  const service = { namespace: 'shop', service: 'web' };
  const zone = region === '' ? {} : { label_topology_kubernetes_io_region: region };
  return [
    show('kube_node_info', { node: 'n', provider_id: providerId }),
    show('kube_node_labels', { node: 'n', ...zone, ...(type ? { label_node_kubernetes_io_instance_type: type } : {}) }),
    show('kube_node_status_capacity', { node: 'n', resource: 'cpu' }, 4),
    show('kube_node_status_capacity', { node: 'n', resource: 'memory' }, 2 ** 34),
    show('kube_pod_info', { ...pod, node: 'n', pod_ip: '10.0.0.1' }),
    show('kube_pod_container_resource_requests', { ...pod, node: 'n', container: 'app', resource: 'cpu' }, 1),
    show('kube_endpoint_address', { namespace: 'shop', endpoint: 'web', ip: '10.0.0.1' }),
    show('kube_service_status_load_balancer_ingress', { ...service, ...address }),
    // A second address of the same balancer.
    ...('ip' in address ? [show('kube_service_status_load_balancer_ingress', { ...service, ip: '2001:db8::1' })] : []),
    show(
      'kubecost_pod_network_egress_bytes_total',
      { namespace: 'shop', pod_name: 'web', internet: 'true', same_zone: 'false', same_region: 'false' },
      (ms) => ((ms - SCRAPED.startMs) / HOUR_MS) * SENT_GIB * GIB,
    ),
    ...volumes.flatMap(({ gib, info }, i) => {
      const volume = { persistentvolume: `pv-${i}` };
      const claim = { namespace: 'shop', persistentvolumeclaim: `claim-${i}` };
      return [
        show('kube_persistentvolume_capacity_bytes', volume, gib * GIB),
        show('kube_persistentvolume_info', { ...volume, ...info }),
        show('kube_persistentvolumeclaim_info', { ...claim, volumename: `pv-${i}`, storageclass: String(info['storageclass']) }),
        show('kube_persistentvolumeclaim_resource_requests_storage_bytes', claim, gib * GIB),
        show('kube_pod_spec_volumes_persistentvolumeclaims_info', { ...pod, ...claim }),
        ...(priced ? [show('pv_hourly_cost', volume, 73 / 730 / 100)] : []),
      ];
    }),
    ...(priced
      ? [
          show('kubecost_load_balancer_cost', { ...service, ingress_ip: 'a1' }, 0.5),
          show('kubecost_network_internet_egress_cost', {}, 0.25),
        ]
      : []),
  ]; // prettier-ignore
}

interface Row {
  readonly pvCost: number;
  readonly loadBalancerCost: number;
  readonly networkInternetCost: number;
}

const skip = skipWithout('prometheus', 'promtool');
for (const reader of ['remote-read', 'query-range']) {
  describe(`charges of clouds by ${reader}`, { skip }, () => {
    let prometheus: Prometheus;
    const servers: OwnServer[] = [];
    const answers: { rows: Readonly<Record<string, Row>>; warnings: readonly string[] }[] = [];

    before(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'prorata-charges-'));
      const file = join(folder, 'fleet.om');
      await writeSeries(file, CLOUDS.flatMap(cluster));
      prometheus = await startPrometheus({ blocksFrom: [file] });
      const own = join(folder, 'own.csv');
      await writeFile(own, `storageClass,storageGiBHour\nefs-sc,${OWN_USD}\ngp2,${OWN_USD}\n`);
      for (const flag of ['--list-prices=true', '--list-prices=false', `--node-types=${own}`]) {
        const server = await startOwnServer([
          `--metrics-url=${prometheus.url}`,
          `--metrics-reader=${reader}`,
          flag,
        ]);
        servers.push(server);
        const query = `window=${WINDOW}&resolution=exact&aggregate=cluster,pod`;
        const { status, text } = await server.compute(query);
        assert.equal(status, 200, text);
        const { data, warnings = [] } = JSON.parse(text) as {
          data: [Readonly<Record<string, Row>>];
          warnings?: string[];
        };
        answers.push({ rows: data[0], warnings });
      }
      await rm(folder, { recursive: true, force: true });
    });
    after(async () => {
      for (const server of servers) await server.stop();
      await prometheus.stop();
    });

    for (const cloud of CLOUDS) {
      const { name, volumes, balancerUsdPerHour, internetUsdPerGiB } = cloud;
      const volumeUsd = volumes.reduce((sum, { usdPerMonth }) => sum + usdPerMonth / 730, 0);
      const billed = volumes.filter(({ usdPerMonth }) => usdPerMonth > 0);
      const gib = billed.reduce((sum, volume) => sum + volume.gib, 0);

      test(`${name}: by list`, () => {
        const row = answers[0]?.rows[`${name}/web`];
        assertClose(row?.pvCost, HOURS * volumeUsd, 'volumes');
        assertClose(row?.loadBalancerCost, HOURS * balancerUsdPerHour, 'load balancer');
        assertClose(row?.networkInternetCost, HOURS * SENT_GIB * internetUsdPerGiB, 'traffic');
        assert.equal(answers[0]?.rows[`${name}/__unmounted__`], undefined);
      });

      test(`${name}: without list prices by series and the book`, () => {
        const row = answers[1]?.rows[`${name}/web`];
        const isPriced = cloud.priced === true;
        assertClose(row?.pvCost, HOURS * (isPriced ? volumeUsd : (gib * BOOK.storage) / 730), 'v');
        assertClose(row?.loadBalancerCost, isPriced ? HOURS * balancerUsdPerHour : 0, 'lb');
        const perGiB = isPriced ? internetUsdPerGiB : BOOK.internet;
        assertClose(row?.networkInternetCost, HOURS * SENT_GIB * perGiB, 'traffic');
      });
    }

    test('a storage class costs what the operator says, but where a series tells its price', () => {
      const list = answers[0]?.rows['eks/web']?.pvCost ?? NaN;
      const changed = 100 * OWN_USD - 10 / 730 + 10 * OWN_USD;
      assertClose(answers[2]?.rows['eks/web']?.pvCost, list + HOURS * changed, 'of the file');
      const priced = answers[0]?.rows['priced/web']?.pvCost ?? NaN;
      assertClose(answers[2]?.rows['priced/web']?.pvCost, priced, 'of the series');
      assert.ok(!answers[2]?.warnings.some((warning) => warning.includes('efs-sc')));
    });

    test('a storage class without a list price in a cloud that has some is named', () => {
      const text =
        'volumes of 1 storage class with no list price (lustre (1)): 1; they cost the price book';
      assert.ok(answers[0]?.warnings.includes(text), answers[0]?.warnings.join('\n'));
      assert.ok(!answers[1]?.warnings.some((warning) => warning.includes('list price')));
    });
  });
}

function assertClose(actual: number | undefined, expected: number, what: string): void {
  const error = Math.abs((actual ?? NaN) - expected);
  assert.ok(error <= 1e-9 * Math.max(1, expected), `${what}: ${actual}, not ${expected}`);
}
