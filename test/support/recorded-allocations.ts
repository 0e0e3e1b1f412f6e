/** Recorded requests of allocations: computed, stored, in short, and the values of their fields. */
import { conditional, DAYS, get, gets, otherwise, pair, tries, type RecordedRequest, type Tried } from './recorded-request.ts'; // prettier-ignore

const FILTERS: readonly Tried[] = [
  ['filter', 'namespace:"web","payments"+label[app]!:"nobody"', 'namespace:"'],
  ['filter', '(pod<~:"checkout"|controllerKind:daemonset)+node!~:"nobody"', 'shop:"web"'],
  ['filterClusters', 'production', ''],
  ['filterNodes', 'ip-10-0-0-*', ''],
  ['filterNamespaces', 'web,pay*', ''],
  ['filterControllerKinds', 'deployment', ''],
  ['filterControllers', 'deployment:checkout,storefront', ''],
  ['filterPods', 'catalog-db-0', ''],
  ['filterContainers', 'checkout', ''],
  ['filterServices', 'checkout', ''],
  ['filterLabels', 'app:checkout,team:catalog', 'app'],
  ['filterAnnotations', 'contact:*', 'contact'],
  ['filterDepartments', '__unallocated__', ''],
  ['filterEnvironments', 'production', ''],
  ['filterOwners', 'nobody', ''],
  ['filterProducts', 'checkout', ''],
  ['filterTeams', 'payments', ''],
];

const SHARES: readonly Tried[] = [
  ['idle', 'true', 'maybe'],
  ['includeIdle', 'false', '2'],
  ['splitIdle', 'true', 'yes'],
  ['idleByNode', 'true', 'nodes'],
  ['shareIdle', 'weighted', 'even'],
  ['shareNamespaces', 'kube-system,monitoring', ''],
  ['shareLabels', 'app:fluent-bit', 'fluent-bit'],
  ['shareCost', '30.42', '-1'],
  ['shareSplit', 'even', 'odd'],
  ['includeSharedCostBreakdown', 'true', 'all'],
  ['costMetric', 'hourly', 'weekly'],
];

const SHOWN: readonly Tried[] = [
  ['limit', '3', '-3'],
  ['offset', '2', 'x'],
  ['sortBy', 'cpuCost', 'colour'],
  ['sortByOrder', 'asc', 'up'],
  ['format', 'ndjson', 'xml'],
  ['columns', 'full', 'most'],
  ['decimals', '2', '99'],
];

const STORED: readonly Tried[] = [
  ['aggregate', 'cluster,controllerKind', 'shop'],
  ['aggregate', 'label:app,annotation:contact', 'label:'],
  ['accumulate', 'true', 'quarter'],
  ['accumulate', 'week', 'often'],
  ['external', 'true', 'some'],
  ['reconcile', 'false', 'no'],
  ['shareTenancyCosts', 'false', 'no'],
];

const WINDOWS: readonly Tried[] = [
  ['window', 'today', 'never'],
  ['window', 'yesterday', '-1d'],
  ['window', 'week', '0s'],
  ['window', 'lastweek', '1d,2d'],
  ['window', 'month', '2024-05-03T00:00:00Z,2024-05-02T00:00:00Z'],
  ['window', 'lastmonth', '2024-02-30T00:00:00Z,2024-03-01T00:00:00Z'],
  ['window', '36h', '99999999999d'],
  ['window', '1d offset 1d', '1d offset'],
  ['window', '1714521600,1714608000', '2034-05-01T00:00:00Z,2034-05-02T00:00:00Z'],
];

const FORMS = [
  '&format=csv',
  '&format=csv&columns=full&accumulate=false',
  '&format=csv&columns=full&decimals=4',
  '&format=ndjson',
  '&format=arrow',
];

const ROOT = '/model/allocation';
const BY_NAMESPACE = `${ROOT}?${DAYS}&aggregate=namespace`;

export const STORED_REQUESTS: readonly RecordedRequest[] = [
  ...tries(`${BY_NAMESPACE}&`, [...STORED, ...FILTERS, ...SHARES, ...SHOWN]),
  ...tries(`${ROOT}?aggregate=namespace&`, WINDOWS),
  ...gets(`${ROOT}?${DAYS}`, ['', ...FORMS]),
  ...gets(`${ROOT}?${DAYS}&aggregate=pod`, FORMS),
  ...gets(`${ROOT}?${DAYS}&accumulate=true`, [
    '&aggregate=container&limit=20&sortBy=name&sortByOrder=desc',
    '&aggregate=node&idle=true&idleByNode=true&splitIdle=true',
    '&aggregate=cluster&shareIdle=true&shareNamespaces=kube-system&shareSplit=even',
    '&aggregate=namespace&shareIdle=true&idleByNode=true&includeSharedCostBreakdown=true',
    '&aggregate=namespace&shareIdle=true&idle=false&shareCost=100&shareLabels=app:fluent-bit',
    '&aggregate=department,environment,owner,product,team',
    '&aggregate=deployment',
    '&aggregate=statefulset',
    '&aggregate=daemonset',
    '&aggregate=job',
    '&aggregate=providerID',
    '&aggregate=service&costMetric=monthly',
    '&aggregate=controller&costMetric=daily&limit=5&offset=5',
    '&aggregate=namespace&external=true&format=csv',
    '&aggregate=pod&external=true&format=arrow',
    '&external=true&idle=false&filterNamespaces=payments',
    '&aggregate=label:team&reconcile=false&shareTenancyCosts=false&format=csv&columns=full',
  ]),
  ...gets(`${ROOT}?window=2024-05-02T00:00:00Z,2024-05-03T00:00:00Z&accumulate=hour`, [
    '&aggregate=cluster',
    '&aggregate=namespace&shareIdle=true&format=ndjson',
  ]),
  get(`${ROOT}?window=2024-04-20T00:00:00Z,2024-04-22T00:00:00Z&aggregate=namespace`),
  get(`${ROOT}?window=2024-04-29T00:00:00Z,2024-05-04T00:00:00Z&format=csv&aggregate=cluster`),
  get(ROOT),
  get(`${BY_NAMESPACE}&order=asc&idle=false`),
  ...tries(`${BY_NAMESPACE}&`, [['accumulateBy', 'weeknow', 'weekly'], ['exactWindow', 'true', 'treu'], ['aggregate', 'all', 'al'], ['sharelb', 'no', 'x'], ['includeProportionalAssetResourceCosts', 'yes', 'x']]),
  ...gets(`${ROOT}?aggregate=cluster&window=`, ['2d&exactWindow=true', '2024-05-01', '2024-05-01,2024-05-03', '2024-05-32']),
  get(`${BY_NAMESPACE}&filterNamespaces=web&filternamespaces=catalog&IDLE=no`),
  ...tries(`${BY_NAMESPACE}&accumulate=week&`, [['order', 'desc', 'up']]),
  ...[`${BY_NAMESPACE}&idle=false`, `${BY_NAMESPACE}&format=csv`].flatMap((path) => conditional(path)),
  ...['application/x-ndjson', 'application/vnd.apache.arrow.stream', 'text/html'].map((accept) => get(BY_NAMESPACE, { headers: { accept }, note: accept })),
  ...otherwise(BY_NAMESPACE),
  ...gets(`${ROOT}?${DAYS}&includeProportionalAssetResourceCosts=true`, [
    '&aggregate=namespace&accumulate=true',
    '&aggregate=cluster&idleByNode=true&accumulate=true&filterNamespaces=web',
    '&idleByNode=true&limit=3&offset=2&format=ndjson',
    '&aggregate=namespace&format=csv',
    '&aggregate=namespace&idle=false',
  ]),
  get(`${ROOT}?window=2d&aggregate=namespace`, { server: 'empty' }),
  get(`${ROOT}?window=2d&aggregate=namespace&format=csv`, { server: 'empty' }),
]; // prettier-ignore

const SUMMARY = `${ROOT}/summary?${DAYS}`;
const TOPLINE = `${ROOT}/summary/topline?${DAYS}`;
const VALUES = `${ROOT}/autocomplete?${DAYS}`;

export const SHORT_REQUESTS: readonly RecordedRequest[] = [
  ...gets(SUMMARY, ['', '&aggregate=namespace', '&aggregate=pod&accumulate=true', '&aggregate=controller&shareIdle=true&limit=4']),
  ...gets(`${SUMMARY}&aggregate=namespace,label:app`, FORMS),
  ...tries(`${SUMMARY}&aggregate=namespace&`, [['accumulate', 'day', 'year'], ['external', 'true', '-'], ['sortBy', 'totalCost', 'x'], ['costMetric', 'daily', 'x']]),
  get(`${ROOT}/summary`),
  get(`${SUMMARY}&aggregate=cluster&includeProportionalAssetResourceCosts=true`),
  ...conditional(SUMMARY),
  get(`${SUMMARY}&aggregate=cluster&order=desc`),
  get(`${ROOT}/summary/topline?window=2d&exactWindow=true`),
  ...otherwise(`${SUMMARY}&aggregate=cluster`),
  ...gets(TOPLINE, ['', '&aggregate=namespace', '&aggregate=pod&idle=false', '&aggregate=pod&filterNamespaces=web&limit=1']),
  ...tries(`${TOPLINE}&`, [['format', 'json', 'csv'], ['filter', 'cluster:"production"', 'cluster'], ['shareIdle', 'true', 'x']]),
  get(`${ROOT}/summary/topline`),
  get(TOPLINE, { server: 'empty' }),
  ...conditional(`${TOPLINE}&aggregate=cluster`),
  ...gets(`${VALUES}&field=`, ['cluster', 'node', 'namespace', 'controllerKind', 'controller', 'pod', 'container', 'service', 'providerID', 'label', 'label:app', 'annotation', 'annotation:contact', 'department', 'team', 'shop']),
  ...tries(`${VALUES}&field=pod&`, [['search', 'CHECK', ''], ['limit', '2', '0'], ['limit', '1000', '1001'], ['filter', 'namespace:"web"', '('], ['filterNamespaces', 'ci', '']]),
  get(VALUES),
  get(`${ROOT}/autocomplete?field=pod`),
  get(`${VALUES}&field=pod`, { server: 'empty' }),
  get(`${VALUES}&field=pod`, { method: 'HEAD' }),
]; // prettier-ignore

/** Short, as each of them is computed. */
const NOW = 'window=2024-05-02T10:00:00Z,2024-05-02T10:20:00Z';
const COMPUTE = `${ROOT}/compute?${NOW}`;
const onlyBad = (tried: readonly Tried[]): RecordedRequest[] =>
  tries(
    `${COMPUTE}&`,
    tried.filter(([, , bad]) => bad !== '').map(([name, , bad]): Tried => [name, '', bad]),
  );

const STREAMED = ['application/x-ndjson', 'application/vnd.apache.arrow.stream'];
const accepting = (accept: string): RecordedRequest =>
  get(`${COMPUTE}&aggregate=namespace`, { headers: { accept }, note: accept });

/** Without the prefix, as OpenCost answers. */
const UNPREFIXED = ['', '/compute', '/summary', '/compute/summary'].flatMap((path) =>
  gets(`/allocation${path}?${NOW}&aggregate=cluster`, [
    '',
    '&step=8m&includeIdle=true',
    '&step=8m&order=desc&format=ndjson',
    '&accumulate=true&format=csv',
  ]),
);

export const COMPUTED_REQUESTS: readonly RecordedRequest[] = [
  ...onlyBad([...FILTERS, ...SHARES, ...SHOWN, ...STORED.slice(0, 5)]),
  ...tries(`${ROOT}/compute?aggregate=namespace&`, WINDOWS.map(([name, , bad]): Tried => [name, '', bad])),
  ...tries(`${COMPUTE}&aggregate=namespace&`, [['resolution', '5m', '1x'], ['resolution', 'exact', '0s'], ['step', '10m', '-1m'], ['step', '5m', '0'], ['accumulate', 'hour', 'x'], ['accumulate', 'day', 'nights']]),
  ...gets(COMPUTE, ['', ...FORMS]),
  ...gets(`${COMPUTE}&aggregate=`, [
    'namespace&idle=true&splitIdle=true',
    'namespace&shareIdle=true&idleByNode=true',
    'node&idle=true&splitIdle=true&idleByNode=true&resolution=10m',
    'controller&shareNamespaces=kube-system&shareCost=73&shareSplit=even&includeSharedCostBreakdown=true',
    'cluster&costMetric=monthly&includeIdle=true',
    'pod&limit=5&offset=3&sortBy=ramCost&sortByOrder=asc',
    'label:app,namespace&filterLabels=team:payments&format=csv&decimals=3',
    'service&step=10m&accumulate=false&format=ndjson',
    'namespace&step=5m&accumulate=true&format=csv&columns=full',
    'container&external=true&filterNamespaces=web,payments',
    'job,statefulset,daemonset,deployment&filter=cluster%3A%22production%22&format=arrow',
    'team&accumulate=hour',
  ]),
  ...gets(`${COMPUTE}&includeProportionalAssetResourceCosts=true`, [
    '',
    '&includeIdle=true&aggregate=cluster',
    '&includeIdle=true&idleByNode=true&aggregate=namespace&step=10m',
    '&includeIdle=true&format=arrow',
  ]),
  ...gets(`/allocation?${NOW}&aggregate=cluster&includeProportionalAssetResourceCosts=true`, ['&includeIdle=false', '&includeIdle=true&step=10m&accumulate=true']),
  get(`/allocation/summary?${NOW}&aggregate=cluster&includeProportionalAssetResourceCosts=true`),
  get(`${COMPUTE}&step=20m&accumulate=day`),
  get(`${COMPUTE}&resolution=2h`),
  get(`${ROOT}/compute?${pair('window', '20m offset 30m')}&aggregate=cluster`),
  get(`${ROOT}/compute`),
  get(`${ROOT}/compute?window=1h&window=2h`),
  get(`${COMPUTE}&aggregat=namespace`),
  get(`/allocation/compute?${NOW}&aggregate=cluster`, { headers: { accept: 'text/csv' }, note: 'text/csv' }),
  ...STREAMED.map(accepting),
  ...UNPREFIXED,
  get('/allocation'),
  get(`/allocation?${NOW}&aggregate=cluster&order=up`),
  ...gets(`${COMPUTE}&aggregate=namespace`, ['&idle=true', '&format=csv'], { server: 'empty' }),
  ...otherwise(`${COMPUTE}&aggregate=namespace`),
]; // prettier-ignore
