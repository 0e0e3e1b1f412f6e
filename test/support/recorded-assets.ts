/** Recorded requests of assets, and of the server itself. */
import { conditional, DAYS, get, gets, otherwise, send, tries, type RecordedRequest } from './recorded-request.ts'; // prettier-ignore

const ASSETS = `/model/assets?${DAYS}`;
const TOPLINE = `/model/assets/topline?${DAYS}`;

export const ASSET_REQUESTS: readonly RecordedRequest[] = [
  ...gets(ASSETS, ['', '&format=csv', '&accumulate=true', '&disableAdjustments=true&accumulate=true', '&aggregate=cluster,type&accumulate=true&format=csv', '&aggregate=name,providerID&limit=5&offset=2']),
  ...gets(`${ASSETS}&aggregate=`, ['type', 'category', 'cluster', 'provider', 'account', 'project', 'service', 'department,environment,owner,product,team', 'label:region']),
  ...tries(`${ASSETS}&aggregate=type&`, [
    ['accumulate', 'week', 'hour'],
    ['filter', 'assetType:"node"+cluster:"production"', 'assetType'],
    ['filter', 'category:"Storage"|name~:"10-0-0"', 'namespace:"web"'],
    ['filterTypes', 'Node,disk', 'Nod'],
    ['filterCategories', 'compute', ''],
    ['filterClusters', 'dev*', ''],
    ['filterNames', 'EKS', ''],
    ['filterProviders', 'gcp', ''],
    ['filterProviderIDs', 'vol-*', ''],
    ['filterProjects', 'nobody', ''],
    ['filterAccounts', 'nobody', ''],
    ['filterServices', 'kubernetes', ''],
    ['filterLabels', 'region:*', 'region'],
    ['limit', '2', '-1'],
    ['offset', '1', '1.5'],
    ['sortBy', 'minutes', 'hours'],
    ['sortByOrder', 'asc', 'down'],
    ['disableAdjustments', 'true', 'perhaps'],
    ['format', 'json', 'arrow'],
    ['aggregate', 'category,type', 'pod'],
  ]),
  ...tries('/model/assets?aggregate=type&', [['window', 'yesterday', 'soon'], ['window', 'today', '']]),
  get('/assets'),
  get(`/assets?${DAYS}&aggregate=cluster`),
  get(`/assets?${DAYS}&aggregate=cluster`, { server: 'empty' }),
  get(`/assets?${DAYS}&format=csv`, { server: 'empty' }),
  ...conditional(`${ASSETS}&sortBy=totalCost`),
  ...otherwise(`${ASSETS}&aggregate=cluster`),
  ...gets(TOPLINE, ['', '&aggregate=type', '&filterTypes=Disk', '&aggregate=cluster&disableAdjustments=true', '&filterTypes=Dusk', '&limit=none']),
  get('/assets/topline'),
  get(TOPLINE, { server: 'empty' }),
  ...conditional(`${TOPLINE}&aggregate=cluster`),
]; // prettier-ignore

const BUILT = 'it is built of the sources as they are';
const WATCHED = 'the cluster is followed by a loop of its own, which may not be through yet';
const MCP = { accept: 'application/json, text/event-stream' };

export const OWN_REQUESTS: readonly RecordedRequest[] = [
  ...(['filled', 'empty'] as const).flatMap((server) => gets('/', ['', 'healthz', 'readyz', 'version'], { server })),
  get('/readyz?verbose', { server: 'empty' }),
  get('/readyz?verbose', { varies: WATCHED }),
  get('/metrics', { varies: 'it counts what was asked, and how long that took' }),
  ...gets('/model/', ['healthz', 'readyz', 'version']),
  ...['/', '/healthz', '/readyz', '/version', '/whoami'].flatMap((path) => otherwise(path)),
  ...gets('/', ['nowhere', 'model', 'model/', 'healthz/', 'model/allocation/', 'Model/allocation', 'model/model/healthz', `long/${'x'.repeat(200)}`, 'model/allocation/compute/x', '%68ealthz', '..', 'healthz?%zz', 'allocation?window=%zz', 'allocation?window=2d&window=3d', 'allocation?&&=', 'favicon.ico']),
  get('/openapi.json', { varies: 'it grows with the routes' }),
  get('/', { headers: { accept: 'text/html' }, note: 'a browser', varies: BUILT }),
  ...gets('/ui', ['', '/page.js?v=0', '/page.css?v=0', '/icon.svg?v=0'], { varies: BUILT }),
  send('POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { note: 'is it there', headers: MCP }),
  send('POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { note: 'without accept' }),
  send('POST', '/mcp', '[', { note: 'no JSON', headers: MCP }),
  get('/admin/log-level'),
  send('PUT', '/admin/log-level', '{"level":"loud"}'),
  send('PUT', '/admin/log-level', '{"level":"info"}', { note: 'as it is' }),
  get('/admin/doctor', { varies: 'it tells of the machine and the moment' }),
  ...['PUT', 'POST', 'DELETE'].map((method) => send(method, '/healthz', 'x')),
  send('DELETE', '/nowhere', ''),
  get('//model/allocation/?window=7d'),
  get('/model/cloudcost'),
  get('//evil.example/model/allocation'),
  get('/nowhere', { method: 'HEAD' }),
  get('/nowhere', { method: 'OPTIONS' }),
]; // prettier-ignore
