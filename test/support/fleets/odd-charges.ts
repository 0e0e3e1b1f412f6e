/** Odd stores, of volumes, claims, load balancers and nodes: what each must cost, and be told as. */
import { podSeries } from './pod-store.ts';
import type { TestSeries } from '../stores/samples-encoding.ts';
import {
  A,
  B,
  DOUBLED,
  GIB,
  labelled,
  NODE,
  POD_A,
  priced,
  ROW_A,
  series,
  times,
  type OddScene,
} from './odd-parts.ts';

const VOLUME = [
  series('kube_persistentvolume_capacity_bytes', { persistentvolume: 'v' }, 10 * GIB),
  series('pv_hourly_cost', { volumename: 'v' }, 0.01),
];
const CLAIM = { namespace: 'shop', persistentvolumeclaim: 'data' };
const CLAIMS = [
  series('kube_persistentvolumeclaim_info', { ...CLAIM, volumename: 'v' }),
  series('kube_persistentvolumeclaim_resource_requests_storage_bytes', CLAIM, 10 * GIB),
];
const BALANCER = { namespace: 'shop', service_name: 'web', ingress_ip: '1.2.3.4' };
const BALANCERS = [series('kubecost_load_balancer_cost', BALANCER, 0.25)];

const UNMOUNTED = 'default-cluster//__unmounted__/__unmounted__/__unmounted__';
const NO_CLAIM = 'volumes held by no claim: 1; $0.10 is charged to __unmounted__';
const NO_POD = 'volumes claimed but mounted by no pod: 1; $0.10 is charged to __unmounted__';
const NO_SERVICE =
  'load balancers without pods behind their service: 1; $0.25 is charged to __unmounted__';
const GIB_HOUR = 0.04 / 730;

const NO_VOLUME = (claim: string): string =>
  `claims that pods mount, but no volume is known of (default-cluster/${claim}): 1; they cost nothing`;

function mounting(persistentvolumeclaim: string, pod = 'a', at: number[] = times()): TestSeries[] {
  const labels = { namespace: 'team', pod, uid: `uid-of-${pod}`, persistentvolumeclaim };
  return [series('kube_pod_spec_volumes_persistentvolumeclaims_info', labels, 1, at)];
}

const REQUESTS = 'kube_pod_container_resource_requests';

const STORAGE: readonly OddScene[] = [
  {
    name: 'a cluster without requests is named, as its pods cost what they use',
    series: [
      ...A.filter(({ labels }) => labels.every(([, value]) => value !== REQUESTS)),
      series('kube_pod_container_info', {
        namespace: 'team',
        pod: 'a',
        uid: 'uid-of-a',
        container: 'app',
      }),
      ...NODE,
    ],
    rows: { [ROW_A]: { cpuCost: 0.125, ramCost: 0.125, totalCost: 0.25 } },
    warnings: [
      `clusters without samples of ${REQUESTS} (default-cluster): 1; their pods cost what they use`,
    ],
  },
  {
    name: 'a volume that nobody claims is __unmounted__, once',
    series: [...A, ...NODE, ...VOLUME],
    rows: { [ROW_A]: POD_A, [UNMOUNTED]: { pvCost: 0.1, totalCost: 0.1 } },
    warnings: [NO_CLAIM],
  },
  {
    name: 'a volume that two exporters tell of is charged once',
    series: [...A, ...NODE, ...[1, 2].flatMap((n) => labelled(VOLUME, { instance: `${n}` }))],
    rows: { [ROW_A]: POD_A, [UNMOUNTED]: { pvCost: 0.1, totalCost: 0.1 } },
    warnings: [NO_CLAIM, DOUBLED],
  },
  {
    name: "a claim that no pod mounts is its namespace's, once",
    series: [...A, ...NODE, ...VOLUME, ...CLAIMS],
    rows: {
      [ROW_A]: POD_A,
      'default-cluster//shop/shop-unmounted-pvcs/__unmounted__': {
        pvCost: 0.1,
        totalCost: 0.1,
      },
    },
    warnings: [NO_POD],
  },
  {
    name: 'a claim whose volume tells nothing costs its request by the price book',
    series: [...A, ...NODE, ...CLAIMS],
    rows: {
      [ROW_A]: POD_A,
      'default-cluster//shop/shop-unmounted-pvcs/__unmounted__': {
        pvCost: 10 * GIB_HOUR,
      },
    },
    warnings: [NO_POD.replace('$0.10', '$0.00')],
  },
  {
    name: 'a claim without a volume costs nothing',
    series: [...A, ...NODE, ...CLAIMS.slice(1)],
    rows: { [ROW_A]: POD_A },
    warnings: [],
  },
  {
    name: 'a pod that names a claim which is not there has no volume',
    series: [...A, ...NODE, ...mounting('gone')],
    rows: { [ROW_A]: { ...POD_A, pvCost: 0 } },
    warnings: [NO_VOLUME('team/gone')],
  },
  {
    name: 'a pod that names a claim which has no volume has none',
    series: [
      ...A,
      ...NODE,
      ...mounting('data'),
      ...labelled(CLAIMS.slice(1), { namespace: 'team' }),
    ],
    rows: { [ROW_A]: { ...POD_A, pvCost: 0 } },
    warnings: [NO_VOLUME('team/data')],
  },
  {
    name: 'a pod that names a claim of a volume pays for it, and none other is told of',
    series: [
      ...A,
      ...NODE,
      ...VOLUME,
      ...mounting('data'),
      ...labelled(CLAIMS, { namespace: 'team' }),
    ],
    rows: { [ROW_A]: { ...POD_A, pvCost: 0.1, totalCost: 1.1 } },
    warnings: [],
  },
  {
    name: 'a pod that was gone before says nothing of its claims',
    series: [
      ...A,
      ...NODE,
      ...podSeries('old', times(-60, -40)),
      ...mounting('gone', 'old', times(-60, -40)),
    ],
    rows: { [ROW_A]: POD_A },
    warnings: [],
  },
];

const SERVED: readonly OddScene[] = [
  {
    name: 'a load balancer without a service is __unmounted__, once',
    series: [...A, ...NODE, ...BALANCERS],
    rows: { [ROW_A]: POD_A, [UNMOUNTED]: { loadBalancerCost: 0.25, totalCost: 0.25 } },
    warnings: [NO_SERVICE],
  },
  {
    name: 'a load balancer whose service selects no pod is __unmounted__, once',
    series: [
      ...A,
      ...NODE,
      ...BALANCERS,
      series('service_selector_labels', { namespace: 'shop', service: 'web', label_app: 'x' }),
    ],
    rows: { [ROW_A]: POD_A, [UNMOUNTED]: { loadBalancerCost: 0.25, totalCost: 0.25 } },
    warnings: [NO_SERVICE],
  },
  {
    name: 'an orphaned volume and an orphaned load balancer make one row',
    series: [...A, ...NODE, ...BALANCERS, ...VOLUME],
    rows: {
      [ROW_A]: POD_A,
      [UNMOUNTED]: { loadBalancerCost: 0.25, pvCost: 0.1, totalCost: 0.35 },
    },
    warnings: [NO_SERVICE, NO_CLAIM],
  },
];

const NODES: readonly OddScene[] = [
  {
    name: 'a pod that is told of beyond its node costs the last price',
    series: [...A, ...priced('node-a', times(-60, 20))],
    rows: { [ROW_A]: POD_A },
    warnings: ['nodes gone before their pods (default-cluster/node-a): 1; the last price holds'],
  },
  {
    name: 'a pod that goes with its node costs until then',
    series: [
      ...podSeries('a', times(-60, 30)),
      ...priced('node-a', times(-60, 30)),
      ...labelled(B, { node: 'node-b' }),
      ...priced('node-b', times()),
    ],
    // One scrape after its last sample.
    rows: {
      [ROW_A]: { cpuCost: 0.5 * (30.5 / 60), ramCost: 0.5 * (30.5 / 60) },
      'default-cluster/node-b/team/b/app': POD_A,
    },
    warnings: [],
  },
  {
    name: 'a node that only its price series tell of costs nobody',
    series: [...A, ...NODE, ...priced('node-z', times(-60, 20))],
    rows: { [ROW_A]: POD_A },
    warnings: [],
  },
];

export const ODD_CHARGES: readonly OddScene[] = [...STORAGE, ...SERVED, ...NODES];
