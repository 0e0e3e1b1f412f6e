/** One namespace: what its workloads cost, and what they requested and used. */
import {
  byWorkload,
  CLUSTER,
  costs,
  cpuUsed,
  overRange,
  own,
  perMonth,
  podCosts,
  ramUsed,
  requested,
} from './costs.ts';
import type { Dashboard, Panel } from './panels.ts';

const HERE = 'namespace="$namespace"';
const COSTS = costs(HERE);
const TOTAL = `sum(${COSTS})`;
const cpuAllocated = own('container_cpu_allocation', HERE);
const ramAllocated = own('container_memory_allocation_bytes', HERE);
const POD_COSTS = podCosts(HERE);
const perWorkload = byWorkload(`sum by (cluster, namespace, pod) (${POD_COSTS})`, HERE);
const workload = (perContainer: string): string =>
  byWorkload(`sum by (cluster, namespace, pod) (${perContainer})`, HERE);

// prettier-ignore
const NOW: readonly Panel[] = [
  { kind: 'stat', title: 'Spent in this range', unit: 'currencyUSD', width: 5, queries: [{ expr: overRange(TOTAL), legend: '' }],
    description: 'USD of CPU, memory, GPUs, volumes and load balancers of the namespace in the chosen range, by list prices. Time without samples counts as nothing.' },
  { kind: 'stat', title: 'An hour now', unit: 'currencyUSD', width: 5, queries: [{ expr: TOTAL, legend: '' }],
    description: 'USD that the namespace costs an hour now, without a share of idle.' },
  { kind: 'stat', title: 'A month at this rate', unit: 'currencyUSD', width: 5, queries: [{ expr: perMonth(TOTAL), legend: '' }],
    description: 'The cost of an hour now, times 730 hours.' },
  { kind: 'stat', title: 'CPU used of requested', unit: 'percentunit', width: 5, queries: [{ expr: `sum(${cpuUsed(HERE)}) / sum(${requested('cpu', HERE)})`, legend: '' }],
    description: 'Cores that containers used, by the cores that they requested. Far below 100 %: requests are too large. Above: they live on what others leave.' },
  { kind: 'stat', title: 'Memory used of requested', unit: 'percentunit', width: 4, queries: [{ expr: `sum(${ramUsed(HERE)}) / sum(${requested('memory', HERE)})`, legend: '' }],
    description: 'The working set of containers, by the memory that they requested.' },
];

// prettier-ignore
const TIME: readonly Panel[] = [
  { kind: 'timeseries', title: 'Cost an hour, by workload', unit: 'currencyUSD', width: 12, isStacked: true, queries: [{ expr: `topk(15, ${perWorkload})`, legend: '{{workload}}' }],
    description: 'USD an hour of the 15 workloads that cost the most. A workload is the owner of pods that kube_pod_owner names, a ReplicaSet without its hash.' },
  { kind: 'timeseries', title: 'Cost an hour, by resource', unit: 'currencyUSD', width: 12, isStacked: true, queries: [{ expr: `sum by (resource) (${COSTS})`, legend: '{{resource}}' }],
    description: 'USD an hour of CPU, memory, GPUs, volumes and load balancers.' },
  { kind: 'timeseries', title: 'CPU: requested, used, allocated', unit: 'cores', width: 12,
    description: 'Cores. Allocated, which is charged, is the larger of request and usage of each container at every moment, so that it may exceed both sums.',
    queries: [
      { expr: `sum(${requested('cpu', HERE)})`, legend: 'requested' },
      { expr: `sum(${cpuUsed(HERE)})`, legend: 'used' },
      { expr: `sum(${cpuAllocated})`, legend: 'allocated' },
    ] },
  { kind: 'timeseries', title: 'Memory: requested, used, allocated', unit: 'bytes', width: 12,
    description: 'Bytes. Used is the working set. Allocated, which is charged, is the larger of request and usage of each container at every moment.',
    queries: [
      { expr: `sum(${requested('memory', HERE)})`, legend: 'requested' },
      { expr: `sum(${ramUsed(HERE)})`, legend: 'used' },
      { expr: `sum(${ramAllocated})`, legend: 'allocated' },
    ] },
  { kind: 'timeseries', title: 'GPUs allocated', unit: 'short', width: 12, queries: [{ expr: `sum by (pod) (${own('container_gpu_allocation', HERE)})`, legend: '{{pod}}' }],
    description: 'GPUs by pod. Empty where the namespace has none.' },
  { kind: 'timeseries', title: 'Volumes', unit: 'bytes', width: 12, queries: [{ expr: `sum by (persistentvolumeclaim) (${own('pod_pvc_allocation', HERE)})`, legend: '{{persistentvolumeclaim}}' }],
    description: 'Bytes by claim that pods are charged for. Empty where the namespace has none.' },
];

// prettier-ignore
const TABLES: readonly Panel[] = [
  { kind: 'table', title: 'Workloads', unit: 'currencyUSD', width: 24, columns: { workload: 'Workload' },
    description: 'Each workload: USD an hour now and a month at this rate, and what its containers requested and used.',
    queries: [
      { expr: perWorkload, legend: 'An hour now' },
      { expr: perMonth(perWorkload), legend: 'A month at this rate' },
      { expr: workload(requested('cpu', HERE)), legend: 'CPU requested', unit: 'cores' },
      { expr: workload(cpuUsed(HERE)), legend: 'CPU used', unit: 'cores' },
      { expr: workload(requested('memory', HERE)), legend: 'Memory requested', unit: 'bytes' },
      { expr: workload(ramUsed(HERE)), legend: 'Memory used', unit: 'bytes' },
    ] },
  { kind: 'table', title: 'Pods', unit: 'currencyUSD', width: 24, columns: { cluster: 'Cluster', pod: 'Pod' },
    description: 'Each pod: USD an hour now, and what its containers requested and used.',
    queries: [
      { expr: `sum by (cluster, pod) (${POD_COSTS})`, legend: 'An hour now' },
      { expr: `sum by (cluster, pod) (${requested('cpu', HERE)})`, legend: 'CPU requested', unit: 'cores' },
      { expr: `sum by (cluster, pod) (${cpuUsed(HERE)})`, legend: 'CPU used', unit: 'cores' },
      { expr: `sum by (cluster, pod) (${requested('memory', HERE)})`, legend: 'Memory requested', unit: 'bytes' },
      { expr: `sum by (cluster, pod) (${ramUsed(HERE)})`, legend: 'Memory used', unit: 'bytes' },
    ] },
];

export const NAMESPACE: Dashboard = {
  uid: 'prorata-namespace',
  title: 'prorata / Namespace',
  description: 'What the workloads of one namespace cost, requested and used.',
  variables: [
    CLUSTER,
    {
      name: 'namespace',
      label: 'Namespace',
      values: `label_values(${own('container_cpu_allocation')}, namespace)`,
      isMany: false,
    },
  ],
  rows: [
    { title: 'Now', panels: NOW },
    { title: 'Over time', panels: TIME },
    { title: 'By workload and pod', panels: TABLES },
  ],
};
