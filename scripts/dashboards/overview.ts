/** What is spent, on what, by whom, and what of it nobody uses. */
import {
  allocatedOnNodes,
  CLUSTER,
  costs,
  cpuUsed,
  NODES,
  overRange,
  own,
  paid,
  perMonth,
  ramUsed,
} from './costs.ts';
import type { Dashboard, Panel } from './panels.ts';

const PAID = `sum(${paid()})`;
const IDLE = `clamp_min(${NODES} - ${allocatedOnNodes()}, 0)`;
const BY_NAMESPACE = `sum by (namespace) (${costs()})`;
const cpuEfficiency = (by: string): string =>
  `sum${by} (${cpuUsed()}) / sum${by} (${own('container_cpu_allocation')})`;
const ramEfficiency = (by: string): string =>
  `sum${by} (${ramUsed()}) / sum${by} (${own('container_memory_allocation_bytes')})`;

// prettier-ignore
const NOW: readonly Panel[] = [
  { kind: 'stat', title: 'Spent in this range', unit: 'currencyUSD', width: 4, queries: [{ expr: overRange(PAID), legend: '' }],
    description: 'USD paid for nodes, claimed volumes, load balancers and cluster management in the chosen range, by list prices: before a bill of the cloud adjusts them. Time without samples counts as nothing.' },
  { kind: 'stat', title: 'An hour now', unit: 'currencyUSD', width: 4, queries: [{ expr: PAID, legend: '' }],
    description: 'USD that an hour costs now: node_total_hourly_cost, volumes that pods claim, kubecost_load_balancer_cost and kubecost_cluster_management_cost.' },
  { kind: 'stat', title: 'A month at this rate', unit: 'currencyUSD', width: 4, queries: [{ expr: perMonth(PAID), legend: '' }],
    description: 'The cost of an hour now, times 730 hours.' },
  { kind: 'stat', title: 'Idle, a month at this rate', unit: 'currencyUSD', width: 4, queries: [{ expr: perMonth(IDLE), legend: '' }],
    description: 'What nodes cost beyond what containers on them are allocated, times 730 hours. Fewer or smaller nodes save it.' },
  { kind: 'stat', title: 'Idle of nodes', unit: 'percentunit', width: 4, queries: [{ expr: `${IDLE} / ${NODES}`, legend: '' }],
    description: 'The part of the nodes\' cost that no container is allocated.' },
  { kind: 'stat', title: 'Nodes without a price', unit: 'short', width: 4, redFrom: 1, queries: [{ expr: `count(${own('node_total_hourly_cost')} == 0) or vector(0)`, legend: '' }],
    description: 'Nodes that cost nothing, as no price or no capacity of theirs is known: what runs on them is free here. Their runbook is in docs/runbooks.md.' },
];

// prettier-ignore
const TIME: readonly Panel[] = [
  { kind: 'timeseries', title: 'Paid an hour, by kind', unit: 'currencyUSD', width: 12, isStacked: true, queries: [{ expr: `sum by (resource) (${paid()})`, legend: '{{resource}}' }],
    description: 'USD an hour for nodes, volumes that pods claim, load balancers and cluster management.' },
  { kind: 'timeseries', title: 'Nodes: allocated and idle', unit: 'currencyUSD', width: 12, isStacked: true, queries: [{ expr: allocatedOnNodes(), legend: 'allocated' }, { expr: IDLE, legend: 'idle' }],
    description: 'USD an hour of nodes, divided into what containers are allocated (the larger of request and usage) and what is left.' },
  { kind: 'timeseries', title: 'Allocated an hour, by namespace', unit: 'currencyUSD', width: 12, isStacked: true, queries: [{ expr: `topk(15, ${BY_NAMESPACE})`, legend: '{{namespace}}' }],
    description: 'USD an hour of CPU, memory, GPUs, volumes and load balancers of the 15 namespaces that cost the most. Idle is not shared among them.' },
  { kind: 'timeseries', title: 'Efficiency', unit: 'percentunit', width: 12, queries: [{ expr: cpuEfficiency(''), legend: 'CPU' }, { expr: ramEfficiency(''), legend: 'memory' }],
    description: 'What containers used of what they are allocated. Low values: requests are too large. What they used is read from cAdvisor\'s series in the same data source.' },
];

// prettier-ignore
const TABLES: readonly Panel[] = [
  { kind: 'table', title: 'Namespaces', unit: 'currencyUSD', width: 24, columns: { namespace: 'Namespace' },
    description: 'Each namespace: USD in the chosen range, an hour now and a month at this rate, and what its containers use of what they are allocated.',
    queries: [
      { expr: overRange(BY_NAMESPACE), legend: 'In this range' },
      { expr: BY_NAMESPACE, legend: 'An hour now' },
      { expr: perMonth(BY_NAMESPACE), legend: 'A month at this rate' },
      { expr: cpuEfficiency(' by (namespace)'), legend: 'CPU used of allocated', unit: 'percentunit' },
      { expr: ramEfficiency(' by (namespace)'), legend: 'Memory used of allocated', unit: 'percentunit' },
    ] },
  { kind: 'table', title: 'Nodes', unit: 'currencyUSD', width: 24, columns: { cluster: 'Cluster', node: 'Node', instance_type: 'Type', region: 'Region' },
    description: 'Each node: USD an hour, what of it is idle, and whether it is a spot node (1).',
    queries: [
      { expr: nodes(own('node_total_hourly_cost')), legend: 'An hour now' },
      { expr: nodes(`${own('node_total_hourly_cost')} - on (cluster, node) group_left () ${allocatedOnNodes(' by (cluster, node)')}`), legend: 'Idle' },
      { expr: nodes(own('kubecost_node_is_spot')), legend: 'Spot', unit: 'short' },
    ] },
];

function nodes(series: string): string {
  return `max by (cluster, node, instance_type, region) (${series})`;
}

export const OVERVIEW: Dashboard = {
  uid: 'prorata-overview',
  title: 'prorata / Overview',
  description: 'What clusters cost, by kind and namespace, and what of it is idle.',
  variables: [CLUSTER],
  rows: [
    { title: 'Now', panels: NOW },
    { title: 'Over time', panels: TIME },
    { title: 'By namespace and node', panels: TABLES },
  ],
};
