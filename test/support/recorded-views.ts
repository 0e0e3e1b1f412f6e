/** Recorded requests of the installation, and of views of allocations and assets beside their lists. */
import { DAYS, get, gets, tries, type RecordedRequest } from './recorded-request.ts';

const INFOS = ['clusterInfo', 'clusterInfoMap', 'getConfigs', 'productConfigs', 'installInfo', 'allNodePricing', 'pricingSourceSummary', 'pricingSourceCounts', 'pricingSourceStatus']; // prettier-ignore

export const INSTALLATION_REQUESTS: readonly RecordedRequest[] = [
  ...gets('/model/', INFOS),
  ...gets('/', INFOS, { server: 'empty' }),
  get('/model/clusterInfo?window=7d'),
  get('/installInfo?window=7d'),
  get('/diagnostics', { varies: 'it tells of the machine and the moment' }),
];

const TRENDS = '/model/allocation/trends?window=2024-05-02T00:00:00Z,2024-05-03T00:00:00Z';
const RESOURCES = '/model/kubernetes/containers/resources';
const DIFF = '/model/assets/diff?before=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z&after=2024-05-02T00:00:00Z,2024-05-03T00:00:00Z'; // prettier-ignore
const SUMMARY = '/model/allocation/compute/summary?window=3h&step=1h';

export const VIEW_REQUESTS: readonly RecordedRequest[] = [
  ...gets(TRENDS, ['', '&aggregate=controller', '&shareIdle=true', '&filterNamespaces=web', '&aggregate=shop', '&shareIdle=2', '&filter=shop:a']),
  get('/model/allocation/trends'),
  get(TRENDS, { server: 'empty' }),
  ...['', '/timeseries'].flatMap((end) => gets(`${RESOURCES}${end}?${DAYS}`, ['', '&aggregate=namespace', '&filterNamespaces=web', '&aggregate=shop'])),
  ...gets(RESOURCES, ['', '/timeseries']),
  ...gets(SUMMARY, ['', '&aggregate=namespace', '&aggregate=namespace&idle=true&accumulate=true', '&aggregate=cluster&format=csv', '&aggregate=namespace&limit=2', '&aggregate=shop']),
  get('/model/allocation/compute/summary'),
  ...gets(`/model/assets/totals?${DAYS}`, ['', '&aggregate=type', '&filterTypes=Dusk']),
  ...gets(`/model/assets/graph?${DAYS}`, ['', '&aggregate=type', '&aggregate=cluster&accumulate=true', '&limit=none']),
  ...gets(DIFF, ['', '&aggregate=type', '&aggregate=cluster&costChangeRatio=0.001', '&filterTypes=Disk&disableAdjustments=true']),
  ...tries(`${DIFF}&`, [['costChangeRatio', '', '-1'], ['aggregate', '', 'pod'], ['after', '', 'soon'], ['before', '', 'soon']]),
  ...gets('/model/assets/diff', ['', '?before=yesterday']),
  ...gets(`/model/assets/autocomplete?${DAYS}&field=`, ['cluster', 'name&search=10-0&limit=3', 'label', 'label:topology.kubernetes.io/region', 'type&filterTypes=Disk', 'pod', '', 'name&limit=0']),
  get(`/assets/autocomplete?${DAYS}&field=name`, { server: 'empty' }),
]; // prettier-ignore
