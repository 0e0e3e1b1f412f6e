/** Recorded requests of what clouds and others charge. */
import { PUSH_TOKEN } from './stores/pushes.ts';
import { conditional, DAYS, get, gets, otherwise, post, tries, type RecordedRequest, type Tried } from './recorded-request.ts'; // prettier-ignore

const CLOUD = `/model/cloudCost?${DAYS}`;
const VALUES = `/model/cloudCost/autocomplete?${DAYS}`;

const CLOUD_TRIED: readonly Tried[] = [
  ['aggregate', 'service,label:team', 'pod'],
  ['aggregate', 'invoiceEntityName,accountName,regionID,availabilityZone', 'label:'],
  ['accumulate', 'true', 'year'],
  ['accumulate', 'week', 'yes'],
  ['filter', 'service:"AmazonEC2","AmazonS3"', 'service:'],
  ['filter', 'label[team]:"payments"|category:"Compute"', 'pod:"web"'],
  ['filterInvoiceEntityIDs', 'payer', ''],
  ['filterAccountIDs', 'main,data', ''],
  ['filterProviders', 'AWS', ''],
  ['filterProviderIDs', 'i-*', ''],
  ['filterCategories', 'Storage', ''],
  ['filterServices', 'Amazon*', ''],
  ['filterLabels', 'team:payments', 'team'],
  ['filterLabel', 'env:prod', 'env'],
  ['costMetric', 'listCost', 'dearest'],
  ['sortBy', 'kubernetesPercent', 'colour'],
  ['sortByOrder', 'asc', 'up'],
  ['limit', '2', '-2'],
  ['offset', '1', 'one'],
];
const VIEWS = ['table', 'totals', 'graph', 'trends'];

const VIEWED = [
  `?${DAYS}`,
  `?${DAYS}&aggregate=service&costMetric=netCost&limit=3`,
  '?window=5d&aggregate=category&filterProviders=AWS',
  `?${DAYS}&costMetric=x`,
  '',
];

export const CLOUD_REQUESTS: readonly RecordedRequest[] = [
  get(CLOUD),
  ...tries(`${CLOUD}&aggregate=service&`, CLOUD_TRIED),
  ...tries('/model/cloudCost?aggregate=service&', [['window', 'lastmonth', 'lastyear'], ['window', '5d', ''], ['window', 'month', '']]),
  get('/cloudCost'),
  get(`/cloudCost/aggregate?${DAYS}&aggregate=provider`),
  get('/model/cloudCost/aggregate?window=x'),
  ...conditional(`${CLOUD}&accumulate=true`),
  ...otherwise(CLOUD),
  ...VIEWS.flatMap((view) => gets(`/model/cloudCost/view/${view}`, VIEWED)),
  ...VIEWS.flatMap((view) => conditional(`/model/cloudCost/view/${view}?${DAYS}&aggregate=accountID`)),
  ...tries(`/model/cloudCost/view/table?${DAYS}&aggregate=service&`, [['format', 'csv', 'xml'], ['sortBy', 'name', '']]),
  ...tries(`/model/cloudCost/view/trends?${DAYS}&aggregate=service&`, [['names', 'AmazonS3,AmazonEC2,nobody', '']]),
  ...tries(`/model/cloudCost/view/graph?${DAYS}&aggregate=providerID&`, [['accumulate', 'day', 'x']]),
  ...gets(`${VALUES}&field=`, ['service', 'provider', 'accountID', 'category', 'label', 'label:team', 'providerID', 'pod']),
  ...tries(`${VALUES}&field=service&`, [['search', 'S3', ''], ['limit', '1', 'x'], ['filter', 'category:"Storage"', '((']]),
  get(VALUES),
  get('/model/cloudCost/status'),
  ...gets('/model/cloudCost', [`?${DAYS}`, '/status', `/view/table?${DAYS}`, `/autocomplete?${DAYS}&field=service`], { server: 'empty' }),
]; // prettier-ignore

const EXTERNAL_TRIED: readonly Tried[] = [
  ['aggregate', 'domain,costSource', 'pod'],
  ['aggregate', 'zone,accountName,chargeCategory,description', 'label:'],
  ['aggregate', 'resourceName,resourceType,providerId,usageUnit,label:team', 'x'],
  ['filter', 'domain:datadog,openai+zone:"eu"', 'domain'],
  ['accumulate', 'true', 'never'],
  ['costType', 'list', 'dear'],
  ['costType', 'billed', ''],
  ['sortBy', 'aggregate', 'x'],
  ['sortBy', 'costType', ''],
  ['sortDirection', 'asc', 'x'],
  ['limit', '1', 'x'],
  ['offset', '1', '-1'],
];

const DAY = 'window=2024-05-02T00:00:00Z,2024-05-03T00:00:00Z';
const PUSH = `/model/customCost?source=bot&${DAY}`;
const TOKEN = { headers: { authorization: `Bearer ${PUSH_TOKEN}` } };
const PUSHED = {
  start: '2024-05-02T00:00:00Z',
  end: '2024-05-03T00:00:00Z',
  domain: 'vendor',
  billedCost: 12.5,
};
const FULL = {
  ...PUSHED,
  billedCost: 3,
  listCost: 4,
  list_unit_price: 2,
  usage_quantity: 2,
  usage_unit: 'seats',
  cost_source: 'SaaS',
  zone: 'eu',
  account_name: 'a',
  charge_category: 'usage',
  description: 'seats',
  resource_name: 'r',
  resource_type: 't',
  provider_id: 'p',
  labels: { team: 'web' },
};
const lines = (...costs: readonly object[]): string =>
  costs.map((cost) => JSON.stringify(cost)).join('\n');

export const EXTERNAL_REQUESTS: readonly RecordedRequest[] = [
  ...['total', 'timeseries'].flatMap((name) => {
    const path = `/model/customCost/${name}?${DAYS}`;
    return [
      get(path),
      ...tries(`${path}&`, EXTERNAL_TRIED),
      get(`/customCost/${name}`),
      get(`/customCost/${name}?window=x`),
      ...conditional(`${path}&aggregate=domain`),
      get(path, { server: 'empty' }),
    ];
  }),
  ...otherwise(`/model/customCost/total?${DAYS}`),
  get('/model/customCost/status'),
  get('/model/customCost/status', { server: 'empty' }),
  get('/customCost/status'),
  get('/customCost/status', { server: 'empty' }),
  post(PUSH, lines(PUSHED), { note: 'without a token' }),
  post(PUSH, lines(PUSHED), { headers: { authorization: 'Bearer x' }, note: 'another token' }),
  post(PUSH, lines(PUSHED), { ...TOKEN, server: 'empty', note: 'nothing is taken' }),
  post(PUSH, lines(PUSHED, FULL), { ...TOKEN, note: 'two costs' }),
  get(`/model/customCost/total?${DAYS}`, { note: 'once pushed' }),
  post(PUSH, lines({ ...PUSHED, billedCost: 20 }), { ...TOKEN, note: 'in place of two' }),
  post(PUSH, '', { ...TOKEN, note: 'no line' }),
  post(PUSH, '{"start":', { ...TOKEN, note: 'no JSON' }),
  post(PUSH, lines(PUSHED, { ...PUSHED, billedCost: 'x' }), { ...TOKEN, note: 'a cost that is a text' }),
  post(PUSH, lines({ ...PUSHED, domain: undefined }), { ...TOKEN, note: 'no domain' }),
  post(PUSH, lines({ ...PUSHED, colour: 'red' }), { ...TOKEN, note: 'an unknown field' }),
  post(PUSH, lines({ ...PUSHED, start: '2024-05-01T00:00:00Z' }), { ...TOKEN, note: 'outside of the window' }),
  post(`/model/customCost?source=bot&${DAYS}`, lines(PUSHED), { ...TOKEN, note: 'across another window' }),
  post('/customCost?window=yesterday', lines(PUSHED), TOKEN),
  post('/customCost?source=bot', lines(PUSHED), TOKEN),
  post('/customCost?source=A B&window=yesterday'.replace(' ', '%20'), lines(PUSHED), TOKEN),
  post('/customCost?source=bot&window=2020-01-01T00:00:00Z,2024-01-01T00:00:00Z', lines(PUSHED), TOKEN),
  get(`/model/customCost/timeseries?${DAYS}&aggregate=domain`, { note: 'once pushed again' }),
  get('/model/customCost/status', { note: 'once pushed' }),
  get('/model/customCost', { method: 'OPTIONS' }),
  get('/model/customCost'),
]; // prettier-ignore
