/** Odd stores, of labels: what each must cost, and be told as. */
import { podSeries } from './pod-store.ts';
import type { TestSeries } from '../stores/samples-encoding.ts';
import {
  A,
  B,
  DOUBLED,
  isUsage,
  labelled,
  NODE,
  POD_A,
  priced,
  renamed,
  ROW_A,
  ROW_B,
  series,
  times,
  type Labels,
  type OddScene,
} from './odd-parts.ts';

const CHANGED =
  'pods whose labels changed within the window: 1; the last labels count for all of it';

/** Its requests are unknown. */
const UNSEEN_A =
  'pods that use CPU or memory while kube-state-metrics does not show them (default-cluster/team/a): 1; their requests of 1.00 hours are unknown';

function podLabels(labels: Labels, at: number[]): TestSeries {
  const pod = { namespace: 'team', pod: 'a', uid: 'uid-of-a' };
  return series('kube_pod_labels', { ...pod, ...labels }, 1, at);
}

const NAMES: readonly OddScene[] = [
  {
    name: 'a pod whose labels change is counted once, by the last',
    series: [
      ...A,
      ...NODE,
      podLabels({ label_team: 'old' }, times(-60, 30)),
      podLabels({ label_team: 'new' }, times(31, 120)),
    ],
    query: '&aggregate=label:team',
    rows: { 'team=new': POD_A },
    warnings: [CHANGED],
  },
  {
    name: 'a label that was taken away does not count',
    series: [
      ...A,
      ...NODE,
      podLabels({ label_team: 'old', label_app: 'web' }, times(-60, 30)),
      podLabels({ label_app: 'web' }, times(31, 120)),
    ],
    query: '&aggregate=label:team,label:app',
    rows: { '__unallocated__/app=web': POD_A },
    warnings: [CHANGED],
  },
  {
    name: 'labels of two exporters at once add up, whichever was scraped last',
    series: [
      ...A,
      ...NODE,
      podLabels({ label_team: 'blue', job: 'one' }, times()),
      podLabels({ job: 'two' }, times(-59, 121)),
    ],
    query: '&aggregate=label:team',
    rows: { 'team=blue': POD_A },
    warnings: [],
  },
];

/** What kube-state-metrics writes for `costCenter`, and for an object that has `cost-center` too. */
const COST_CENTER = podLabels({ label_cost_center: '42' }, times());
const CONFLICT = podLabels(
  { label_cost_center_conflict1: '42', label_cost_center_conflict2: '43' },
  times(),
);

const SPELLINGS: readonly OddScene[] = [
  {
    name: 'a label is found by the name that Kubernetes has, not only by that of kube-state-metrics',
    series: [...A, ...NODE, COST_CENTER],
    query: '&aggregate=label:costCenter',
    rows: { 'costCenter=42': POD_A },
    warnings: [],
  },
  {
    name: 'a label is found by a name with a dash',
    series: [...A, ...NODE, COST_CENTER],
    query: '&aggregate=label:cost-center',
    rows: { 'cost_center=42': POD_A },
    warnings: [],
  },
  {
    name: 'a filter finds a label by the name that Kubernetes has',
    series: [...A, ...B, ...NODE, COST_CENTER],
    query: `&aggregate=pod&filter=${encodeURIComponent('label[costCenter]:"42"+label:"costCenter"')}`,
    rows: { a: POD_A },
    warnings: [],
  },
  {
    name: 'the first of labels in conflict counts',
    series: [...A, ...NODE, CONFLICT],
    query: '&aggregate=label:costCenter',
    rows: { 'costCenter=42': POD_A },
    warnings: [],
  },
];

const TWICE: readonly OddScene[] = [
  {
    name: 'the same series with other scrape labels count once',
    series: [
      ...labelled([...A, ...NODE], { instance: '10.0.0.1:80', job: 'x' }),
      ...labelled([...A, ...NODE], { instance: '10.0.0.2:80', job: 'x' }),
    ],
    rows: { [ROW_A]: POD_A },
    warnings: [DOUBLED],
  },
  {
    name: "the same series behind the exporters' own names count once",
    series: [
      ...A,
      ...NODE,
      ...labelled(
        renamed(A, {
          namespace: 'exported_namespace',
          pod: 'exported_pod',
          container: 'exported_container',
        }),
        { namespace: 'monitoring', pod: 'kube-state-metrics-1', container: 'kube-state-metrics' },
      ),
    ],
    rows: { [ROW_A]: POD_A },
    warnings: [DOUBLED],
  },
];

function unlabelled(metrics: string): string {
  return (
    `series of ${metrics} have no label cluster_id or cluster, though others do: ` +
    "they belong to cluster 'default-cluster' (--cluster-id)"
  );
}

const HERE = { cluster: 'prod' };
const NODE_INFO = series('kube_node_info', { node: 'node-a' });

/** The same in two clusters that a label which is not configured tells apart. */
function twoClusters(label: string): TestSeries[] {
  return ['a', 'b'].flatMap((value) => labelled([...A, ...NODE, NODE_INFO], { [label]: value }));
}

/** A second pod of the name `a`, on another node. */
function otherA(at: number[] = times()): TestSeries[] {
  return labelled(podSeries('a', at), { uid: 'uid-of-another', node: 'node-b' });
}

const FOUND_CLUSTERS: readonly OddScene[] = [
  {
    name: 'two clusters that differ by the label of nodes under pods of one name are two',
    series: [
      ...labelled([...A, ...NODE, NODE_INFO], { k8s_cluster_name: 'a' }),
      ...labelled(
        [...otherA(), ...priced('node-b', times()), series('kube_node_info', { node: 'node-b' })],
        { k8s_cluster_name: 'b' },
      ),
    ],
    rows: { 'a/node-a/team/a/app': POD_A, 'b/node-b/team/a/app': POD_A },
    warnings: [
      'nodes or pods of one name differ by the label k8s_cluster_name: its values count as clusters; set --cluster-label k8s_cluster_name',
    ],
  },
  {
    name: 'a pod that is created again on a node with another label is in the same cluster',
    series: [
      ...podSeries('a', times(-60, 20)),
      ...otherA(times(20.5, 120)),
      ...NODE,
      ...priced('node-b', times()),
      series('kube_node_info', { node: 'node-a', env: 'a' }),
      series('kube_node_info', { node: 'node-b', env: 'b' }),
    ],
    query: '&aggregate=cluster',
    rows: { 'default-cluster': POD_A },
    warnings: [],
  },
  {
    name: 'pods of one name at the same time are reported where no known label distinguishes clusters',
    series: [
      ...labelled(A, { landscape: 'a' }),
      ...labelled(A, { landscape: 'b', uid: 'uid-of-another' }),
      ...NODE,
    ],
    rows: { [ROW_A]: { cpuCost: 1, ramCost: 1, totalCost: 2 } },
    warnings: [
      'pods of one name at the same time (default-cluster/team/a): 1; series of several clusters are merged (set --cluster-label to the label that distinguishes them), or an exporter still shows deleted pods',
    ],
  },
  ...['k8s_cluster', 'cluster_name', 'environment'].map((label): OddScene => ({
    name: `two clusters that differ by the label ${label} are two`,
    series: twoClusters(label),
    rows: { 'a/node-a/team/a/app': POD_A, 'b/node-a/team/a/app': POD_A },
    warnings: [
      `nodes or pods of one name differ by the label ${label}: its values count as clusters; set --cluster-label ${label}`,
    ],
  })),
  {
    name: 'one machine that two exporters show with other labels is one',
    series: ['a', 'b'].flatMap((env) => [
      ...labelled([...A, ...NODE], { env }),
      series('kube_node_info', { node: 'node-a', provider_id: 'aws:///z/i-1', env }),
    ]),
    rows: { [ROW_A]: POD_A },
    warnings: [DOUBLED],
  },
  {
    name: 'a machine after another of its name is in the same cluster',
    series: [
      ...A,
      ...NODE,
      series('kube_node_info', { node: 'node-a', env: 'a' }, 1, times(-60, 20)),
      series('kube_node_info', { node: 'node-a', env: 'b' }, 1, times(21, 120)),
    ],
    rows: { [ROW_A]: POD_A },
    warnings: [],
  },
  {
    name: 'prices are of the cluster that pods are in, where their labels name two',
    series: [
      ...labelled([...A, NODE_INFO], HERE),
      ...labelled(NODE, { ...HERE, cluster_id: 'cluster-one' }),
    ],
    rows: { 'prod/node-a/team/a/app': POD_A },
    warnings: [],
  },
  {
    name: 'prices under a cluster without pods are named',
    series: [
      ...labelled([...A, NODE_INFO], HERE),
      ...labelled(NODE, { cluster_id: 'cluster-one' }),
    ],
    rows: { 'prod/node-a/team/a/app': {} },
    warnings: [
      'nodes priced under a cluster without pods (cluster-one/node-a): 1; nodes of their names in other clusters cost list prices: give prices the label of the cluster',
    ],
  },
];

const CLUSTERS: readonly OddScene[] = [
  {
    name: 'pods without the cluster label belong to --cluster-id',
    series: [...labelled([...A, ...NODE], { cluster_id: 'one' }), ...B, ...NODE],
    rows: { 'one/node-a/team/a/app': POD_A, [ROW_B]: POD_A },
    warnings: [
      unlabelled(
        'kube_pod_container_resource_requests, kube_pod_info, node_cpu_hourly_cost and 1 more',
      ),
    ],
  },
  {
    name: 'usage without the cluster label is that of the cluster that --cluster-id names',
    series: [
      ...labelled([...A.filter((one) => !isUsage(one)), ...NODE], { cluster_id: 'one' }),
      ...A.filter(isUsage),
    ],
    flags: ['--cluster-id=one'],
    rows: { 'one/node-a/team/a/app': { ...POD_A, cpuCoreUsageAverage: 0.125 } },
    warnings: [],
  },
  {
    name: 'usage without the cluster label is not taken for that of another cluster',
    series: [
      ...labelled([...A.filter((one) => !isUsage(one)), ...NODE], { cluster_id: 'one' }),
      ...A.filter(isUsage),
      ...NODE,
    ],
    rows: {
      'one/node-a/team/a/app': { ...POD_A, cpuCoreUsageAverage: 0 },
      [ROW_A]: { cpuCost: 0.125, ramCost: 0.125 },
    },
    warnings: [
      'containers named by usage alone: 1; they cost what they used',
      UNSEEN_A,
      unlabelled('node_cpu_hourly_cost, node_ram_hourly_cost, container_cpu_usage_seconds_total'),
    ],
    isPartial: true,
  },
];

const OLD_LABELS = { pod: 'pod_name', container: 'container_name' };
const OLD =
  'series of container_cpu_usage_seconds_total, container_memory_working_set_bytes come by the old labels pod_name and container_name: read as pod and container';

const ENDED = { namespace: 'team', pod: 'a', container: 'sidecar', node: 'node-b' };

const OLD_NAMES: readonly OddScene[] = [
  {
    name: 'a container of a pod that had the name before is not there when all that is read of it is its end',
    series: [
      ...A,
      ...NODE,
      {
        ...series('container_cpu_usage_seconds_total', ENDED, 1, times(-5, -5)),
        values: ['stale'],
      },
    ],
    rows: { [ROW_A]: POD_A },
    warnings: [],
  },
  {
    name: "usage by cAdvisor's old labels is that of the pods and containers they name",
    series: [
      ...A.filter((one) => !isUsage(one)),
      ...renamed(A.filter(isUsage), OLD_LABELS),
      ...NODE,
    ],
    rows: { [ROW_A]: { ...POD_A, cpuCoreUsageAverage: 0.125, ramByteUsageAverage: 2 ** 28 } },
    warnings: [OLD],
  },
  {
    name: 'usage by old and new labels at once counts once',
    series: [
      ...A,
      ...A.filter(isUsage).map((one) => ({
        ...one,
        labels: [...one.labels, ['pod_name', 'a'] as const, ['container_name', 'app'] as const],
      })),
      ...NODE,
    ],
    rows: { [ROW_A]: { ...POD_A, cpuCoreUsageAverage: 0.125, ramByteUsageAverage: 2 ** 28 } },
    warnings: [],
  },
  {
    name: 'a container whose labels an upgrade renamed within the window goes on',
    series: [
      ...podSeries('a', times()).filter((one) => !isUsage(one)),
      ...renamed(podSeries('a', times(-60, 30)).filter(isUsage), OLD_LABELS),
      ...podSeries('a', times(30, 120)).filter(isUsage),
      ...NODE,
    ],
    rows: { [ROW_A]: { ...POD_A, cpuCoreUsageAverage: 0.125, ramByteUsageAverage: 2 ** 28 } },
    warnings: [OLD],
  },
  {
    name: "pods that only cAdvisor's old labels name cost what they used",
    series: [...renamed(A.filter(isUsage), OLD_LABELS), ...B, ...NODE],
    rows: { [ROW_A]: { cpuCost: 0.125, ramCost: 0.125 }, [ROW_B]: POD_A },
    warnings: ['containers named by usage alone: 1; they cost what they used', UNSEEN_A, OLD],
    isPartial: true,
  },
];

/** Its clock is that much ahead. */
function ahead(list: readonly TestSeries[], minutes: number): TestSeries[] {
  return list.map((one) => ({
    ...one,
    timestampsMs: one.timestampsMs.map((ms) => ms + minutes * 60_000),
  }));
}

const ELEVEN = ['--now=2024-05-01T11:00:00Z'];

const FUTURE: readonly OddScene[] = [
  {
    name: 'samples in the future do not count',
    series: [...A, ...NODE],
    flags: ELEVEN,
    rows: { [ROW_A]: POD_A },
    warnings: [
      'samples are in the future, until 2024-05-01T11:10:00.000Z: those after now are left out',
    ],
  },
  {
    name: 'usage of a node whose clock is five minutes ahead is cut at now',
    series: [
      ...podSeries('a', times(-60, 60)).filter((one) => !isUsage(one)),
      ...ahead(podSeries('a', times(-60, 60)).filter(isUsage), 5),
      ...NODE.map((one) => ({
        ...one,
        timestampsMs: times(-60, 60),
        values: one.values.slice(0, 241),
      })),
    ],
    flags: ELEVEN,
    rows: { [ROW_A]: { ...POD_A, cpuCoreUsageAverage: 0.125 } },
    warnings: [
      'samples are in the future, until 2024-05-01T11:05:00.000Z: those after now are left out',
    ],
  },
  {
    name: 'a clock half a minute ahead is no odd thing',
    series: ahead([...podSeries('a', times(-60, 60)), ...priced('node-a', times(-60, 60))], 0.5),
    flags: ELEVEN,
    rows: { [ROW_A]: POD_A },
    warnings: [],
  },
  {
    name: 'a window that is over does not look into what came after it',
    series: [...A, ...NODE],
    flags: ['--now=2024-05-01T11:20:00Z'],
    rows: { [ROW_A]: POD_A },
    warnings: [],
  },
];

export const ODD_NAMES: readonly OddScene[] = [
  ...NAMES,
  ...SPELLINGS,
  ...TWICE,
  ...FOUND_CLUSTERS,
  ...OLD_NAMES,
  ...FUTURE,
  ...CLUSTERS,
];
