/** Recorded requests of what requests and nodes should be, what manifests will cost, and the cluster. */
import { conditional, DAYS, get, gets, otherwise, post, tries, type RecordedRequest, type Tried } from './recorded-request.ts'; // prettier-ignore
import { row } from './servers/sizing-cluster.ts';

const V1 = `/model/savings/requestSizing?${DAYS}`;
const V2 = `/model/savings/requestSizingV2?${DAYS}`;

const SIZING_TRIED: readonly Tried[] = [
  ['algorithmCPU', 'quantile', 'best'],
  ['algorithmRAM', 'quantileOfMaxes', 'best'],
  ['qCPU', '0.5', '0'],
  ['qRAM', '99', '101'],
  ['targetCPUUtilization', '0.8', '1.5'],
  ['targetRAMUtilization', '1', 'x'],
  ['targetGPUUtilization', '0.5', '1.5'],
  ['minRecCPUMillicores', '100', '-1'],
  ['minRecRAMBytes', '1e8', 'x'],
  ['filter', 'namespace:"web"', 'namespace'],
  ['filter', 'label[app]:"checkout"', 'x:"y"'],
  ['filterNamespaces', 'web,data', ''],
  ['filterLabels', 'app:*', 'app'],
  ['sortBy', 'cpuRecommended', 'x'],
  ['sortBy', 'gpuSavings', 'gpu'],
  ['sortBy', 'currentEfficiency', ''],
  ['sortByOrder', 'ascending', 'x'],
  ['limit', '1', 'x'],
  ['offset', '3', '-1'],
  ['includeLabelsAndAnnotations', 'true', 'x'],
  ['shape', 'array', 'circle'],
  ['format', 'csv', 'xml'],
];

export const REQUEST_SIZING_REQUESTS: readonly RecordedRequest[] = [
  get(V1),
  get(V2),
  ...tries(`${V2}&limit=5&`, SIZING_TRIED.filter(([name]) => name !== 'limit')),
  ...tries(`${V1}&`, [['limit', '2', 'x'], ['algorithmCPU', 'quantileOfAverages', 'x'], ['format', 'csv', 'x'], ['shape', 'object', 'x']]),
  get(`${V2}&algorithmCPU=quantileOfAverages&algorithmRAM=quantile&qCPU=0.8&qRAM=0.9&format=csv`),
  ...tries('/model/savings/requestSizingV2?limit=2&', [['window', '6h', 'x'], ['window', 'today', ''], ['window', '2024-05-02T10:00:00Z,2024-05-02T12:00:00Z', '2024-05-02T10:00:00Z,x']]),
  ...gets('/savings/requestSizing', ['', 'V2', '/topline', 'V2/topline']),
  ...gets('/model/savings/requestSizing', [`/topline?${DAYS}`, `/topline?${DAYS}&filterNamespaces=web`, `V2/topline?${DAYS}`, `V2/topline?${DAYS}&limit=1&shape=array`, `/topline?${DAYS}&qCPU=x`, `V2/topline?${DAYS}&sortBy=x`]),
  get(V2, { server: 'empty' }),
  ...conditional(`${V2}&limit=1`),
  ...conditional(`/model/savings/requestSizing/topline?${DAYS}`),
  ...otherwise(`${V2}&limit=3`),
]; // prettier-ignore

const NODES = '/model/savings/clusterSizingETL';

const NODE_TRIED: readonly Tried[] = [
  ['window', '', 'x'],
  ['range', '', 'x'],
  ['targetUtilization', '', '0'],
  ['minNodeCount', '', '0'],
  ['allowSharedCore', '', 'x'],
  ['architecture', '', 'arm'],
  ['includeOverhead', '', 'x'],
];

/** Questions for which no node fits and nothing is searched. */
export const CLUSTER_SIZING_REQUESTS: readonly RecordedRequest[] = [
  ...gets(`${NODES}?architecture=ARM&`, ['window=yesterday', 'range=2d&includeOverhead=false&allowSharedCore=true&minNodeCount=7', 'targetUtilization=0.8']),
  get(`${NODES}?targetUtilization=0.001&minNodeCount=5&allowSharedCore=true&architecture=x86&includeOverhead=false`),
  ...conditional(`${NODES}?architecture=ARM`),
  ...tries(`${NODES}?`, NODE_TRIED),
  get(`${NODES}?window=1d&range=2d`),
  get(`${NODES}?window=2024-04-01T00:00:00Z,2024-04-02T00:00:00Z`),
  get(NODES, { server: 'empty' }),
  get(NODES, { method: 'OPTIONS' }),
]; // prettier-ignore

const SPEC = '/model/prediction/speccost';
const ASKED = `${SPEC}?clusterID=production&defaultNamespace=web`;

const container = (name: string, cpu: string, memory: string): object => ({
  name,
  resources: { requests: { cpu, memory } },
});
const deployment = (name: string, replicas: number, ...containers: readonly object[]): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { replicas, template: { spec: { containers } } },
});
const STOREFRONT = deployment('storefront', 4, container('storefront', '500m', '512Mi'));
const YAML = `apiVersion: v1
kind: Pod
metadata: {name: lone, namespace: ops}
spec:
  containers:
    - name: a
      resources: {limits: {cpu: 1, memory: 1Gi}}
---
apiVersion: v1
kind: Service
metadata: {name: none}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: catalog-db, namespace: catalog}
spec:
  replicas: 3
  template: {spec: {containers: [{name: postgres, resources: {requests: {cpu: "2", memory: 8Gi}}}]}}
`;

const PREDICTED = [
  'noUsage=true',
  'window=yesterday',
  'windowAvgUsage=1d&windowResourceCost=2d',
  'noUsage=x',
  'window=x',
  'windowAvgUsage=x',
  'windowResourceCost=x',
];

export const PREDICTION_REQUESTS: readonly RecordedRequest[] = [
  post(ASKED, STOREFRONT, { note: 'JSON' }),
  post(ASKED, [STOREFRONT, deployment('new', 2, container('a', '1', '1Gi'))], { note: 'a list' }),
  post(ASKED, YAML, { note: 'YAML' }),
  post(`/prediction/speccost?clusterID=development&defaultNamespace=ci`, YAML),
  ...PREDICTED.map((query) => post(`${ASKED}&${query}`, STOREFRONT)),
  ...['', '?clusterID=production', '?defaultNamespace=web', '?clusterID=nobody&defaultNamespace=web'].map((query) => post(`${SPEC}${query}`, STOREFRONT)),
  post(ASKED, '', { note: 'nothing' }),
  post(ASKED, '{"kind":', { note: 'no JSON' }),
  post(ASKED, 'a: [1, 2', { note: 'no YAML' }),
  post(ASKED, 'kind: Deployment\n', { note: 'no spec' }),
  post(ASKED, deployment('x', 1, container('a', 'much', '1Gi')), { note: 'no quantity' }),
  post(ASKED, '['.repeat(2000), { note: 'too deep' }),
  post(ASKED, STOREFRONT, { server: 'empty' }),
  get(SPEC),
  get(SPEC, { method: 'OPTIONS' }),
]; // prettier-ignore

const SIZER = '/cluster/requestsizer';
const PLANNED = [row('web/deployment:storefront/storefront', '200m', '256Mi', 'production')];
const PLAN = { production: { web: [{ Name: 'storefront', Kind: 'deployment', ContainerPlans: { storefront: { TargetCPURequestMillicores: 200, TargetRAMRequestBytes: 268_435_456 } } }] } }; // prettier-ignore
const DROPPED = [
  ...PLANNED,
  row('web/deployment:gone/ünï', '1m', '1Mi', 'production'),
  row('kube-system/deployment:coredns/coredns', '1m', '1Mi', 'production'),
  row('web/deployment:storefront/storefront', '1m', '1Mi', 'development'),
];

const NO_PLANS = [
  '',
  '[]',
  JSON.stringify(PLANNED),
  '{"development":{}}',
  '{"production":{"web":[[]]}}',
  '{"production":{"web":[],"w\\u0065b":[]}}',
  '{"production":{}}',
];

export const CLUSTER_REQUESTS: readonly RecordedRequest[] = [
  get(`${SIZER}/applies`, { note: 'at first' }),
  post(`${SIZER}/undo`, '', { note: 'nothing to undo' }),
  ...['plan', 'planV2'].map((path) => post(`${SIZER}/${path}`, DROPPED)),
  post(`/model${SIZER}/plan`, { Recommendations: PLANNED }),
  ...['', '{"Recommendations":', '{"production":{}}', '[1]', '['.repeat(2000)].map((body, i) => post(`${SIZER}/plan`, body, { note: `refused ${i}` })),
  post(`${SIZER}/plan`, '[]', { headers: { 'content-type': 'text/csv' }, note: 'another type' }),
  ...NO_PLANS.map((body, i) => post(`${SIZER}/apply`, body, { note: `no plan ${i}` })),
  post(`/model${SIZER}/apply`, PLAN),
  get(`${SIZER}/applies`, { note: 'once applied' }),
  post(`${SIZER}/plan`, PLANNED, { note: 'once applied' }),
  ...['[]', '{"id":"x"}', '{"ids":"x"}', '{"id":1}'].map((body, i) => post(`${SIZER}/undo`, body, { note: `refused ${i}` })),
  post(`${SIZER}/undo`, ''),
  get(`/model${SIZER}/applies`, { note: 'once undone' }),
  post(`${SIZER}/plan`, PLANNED, { note: 'once undone' }),
  ...['plan', 'planV2', 'apply', 'undo'].map((path) => post(`${SIZER}/${path}`, '[]', { server: 'empty' })),
  get(`${SIZER}/applies`, { server: 'empty' }),
  ...gets(`${SIZER}/`, ['plan', 'apply', 'undo']),
  get(`${SIZER}/apply`, { method: 'OPTIONS' }),
  ...otherwise(`${SIZER}/applies`),
]; // prettier-ignore

const EVENTS = '/model/audit/events';
const COMING = 'previews come and go every ten seconds while the server runs';

export const AUDIT_REQUESTS: readonly RecordedRequest[] = [
  get(EVENTS, { varies: COMING }),
  ...gets(`${EVENTS}?`, ['count=0', 'filterNamespaces=nobody', 'filterTotalCostLowerBound=1e6', 'filterTotalCostUpperBound=-1']),
  ...gets(`${EVENTS}?`, ['count=1', 'filterEventTypes=add', 'filterResourceTypes=deployment', 'filterNamespaces=previews'], { varies: COMING }),
  ...gets('/audit/events?', ['count=x', 'filterEventTypes=update', 'filterResourceTypes=statefulset', 'filterTotalCostLowerBound=x', 'filterTotalCostUpperBound=x', 'filterTotalCostLowerBound=2&filterTotalCostUpperBound=1']),
  get(EVENTS, { server: 'empty' }),
  get(EVENTS, { method: 'OPTIONS' }),
]; // prettier-ignore
