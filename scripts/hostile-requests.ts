/**
 * Requests that nobody sends by mistake alone: valid ones, mutated, and bodies made to break parsers.
 * The same seed and number give the same request.
 */
import { HOSTILE_BODIES, TOKEN, validBody } from './hostile-bodies.ts';
import { credentialsOf, LOGIN_ROUTES, loginQuery } from './hostile-logins.ts';
import { Seeded } from './seeded.ts';

export interface HostileRequest {
  readonly number: number;
  readonly method: string;
  /** As it goes on the wire. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** `short` and `long`: the length told is not that of the body. */
  readonly framing: 'none' | 'length' | 'chunks' | 'short' | 'long';
}

type RouteOf = readonly [method: string, path: string];

const under = (root: string, method: string, paths: readonly string[]): RouteOf[] =>
  paths.map((path) => [method, `${root}${path}`]);

/** All routes of the server, those of signing in included. */
export const ROUTES: readonly RouteOf[] = [
  ...under('', 'GET', ['/', '/ui', '/ui/page.js', '/ui/page.css', '/ui/icon.svg', '/openapi.json', '/healthz', '/readyz', '/version', '/metrics', '/admin/log-level', '/admin/doctor', '/whoami', '/audit/events', '/assets']),
  ...under('/assets', 'GET', ['/topline', '/totals', '/graph', '/diff', '/autocomplete']),
  ...under('', 'GET', ['/clusterInfo', '/clusterInfoMap', '/getConfigs', '/productConfigs', '/installInfo', '/allNodePricing', '/pricingSourceSummary', '/pricingSourceCounts', '/pricingSourceStatus', '/diagnostics']),
  ...under('/kubernetes/containers', 'GET', ['/resources', '/resources/timeseries']),
  ...under('/allocation', 'GET', ['', '/compute', '/compute/summary', '/trends', '/summary', '/summary/topline', '/autocomplete']),
  ...under('/cloudCost', 'GET', ['', '/aggregate', '/autocomplete', '/status']),
  ...under('/cloudCost/view', 'GET', ['/table', '/totals', '/trends', '/graph']),
  ...under('/customCost', 'GET', ['/timeseries', '/total', '/status']),
  ...under('/savings', 'GET', ['/requestSizing', '/requestSizing/topline', '/requestSizingV2', '/requestSizingV2/topline', '/clusterSizingETL', '/abandonedWorkloads', '/unclaimedVolumes', '/persistentVolumeSizing', '/localLowDisks', '/resourceQuotaSizing/recommendations', '/nodeGroupSizing/recommendations', '']),
  ...under('/cluster/requestsizer', 'GET', ['/applies']),
  ...under('/cluster/requestsizer', 'POST', ['/plan', '/planV2', '/apply', '/undo']),
  ...['/collections', '/collection'].flatMap((root) => [
    ...['GET', 'POST', 'PUT', 'DELETE'].flatMap((method) => under(root, method, [''])),
    ...['GET', 'POST', 'PUT'].flatMap((method) => under(root, method, ['/configs'])),
    ...under(`${root}/query`, 'GET', ['/total', '/timeseries', '/complement', '/complement/cloud', '/complement/kubernetes']),
    ...under(`${root}/query`, 'POST', ['/total']),
  ]),
  ...under('', 'POST', ['/prediction/speccost', '/customCost', '/api/v1/write', '/mcp']),
  ['PUT', '/admin/log-level'],
  ...LOGIN_ROUTES,
]; // prettier-ignore

const WINDOWS = ['1d', '2d', '24h', 'today', 'yesterday', '3d', '7d', 'week', 'lastweek', 'month', '1h', '12h offset 1h', '2026-11-20,2026-11-21', '2026-11-20', '0s', '-1d', '99999999999d', '1d,2d', '2026-02-30T00:00:00Z,2026-03-01T00:00:00Z', '9999-12-31T23:59:59Z,9999-12-31T23:59:59Z', '1e308', '１d']; // prettier-ignore
const AGGREGATES = ['namespace', 'cluster', 'controller', 'pod', 'container', 'node', 'label:app', 'annotation:a', 'namespace,label:team', 'controllerKind', 'service', 'none', 'all', 'unaggregated', 'type', 'domain', 'provider', 'department,owner,team', 'providerID', 'item', 'label:', ':', 'label:a,label:b,label:c']; // prettier-ignore
const FILTERS = ['namespace:"shop"', 'namespace:shop', 'label[app]:"web"', 'cluster:"production"+namespace!:"kube-system"', '(namespace:a|pod~:b)+node<~:"n"', 'controllerKind:deployment', 'namespace:"', '(((', 'a:b', 'label[', 'namespace:a|b+c', 'namespace!<~:"\\"']; // prettier-ignore
const WORDS = ['true', 'false', '1', '0', 'yes', '', 'csv', 'json', 'ndjson', 'arrow', 'array', 'object', 'full', 'summary', 'exact', '1m', '10m', '1h', 'day', 'week', 'month', 'hour', 'quarter', 'weeknow', 'monthnow', 'all', 'asc', 'desc', 'name', 'totalCost', 'cumulative', 'hourly', 'daily', 'monthly', 'weighted', 'even', 'shareByNode', 'production', 'default', 'Team', 'cost', 'blended', 'p95', 'max', 'average', 'GCP', 'AWS', 'x86']; // prettier-ignore
const NUMBERS = [
  '0',
  '1',
  '20',
  '500',
  '-1',
  '1e9',
  '999999999999999999999',
  'NaN',
  'Infinity',
  '0x10',
  '1.5',
  '9007199254740993',
  '1e-320',
];

const NAMES = ['aggregate', 'accumulate', 'filter', 'filterNamespaces', 'filterClusters', 'filterLabels', 'filterControllers', 'filterPods', 'filterServices', 'filterAnnotations', 'idle', 'includeIdle', 'splitIdle', 'idleByNode', 'shareIdle', 'shareNamespaces', 'shareLabels', 'shareCost', 'shareSplit', 'shareTenancyCosts', 'includeSharedCostBreakdown', 'includeProportionalAssetResourceCosts', 'costMetric', 'limit', 'offset', 'sortBy', 'sortByOrder', 'sortDirection', 'format', 'columns', 'decimals', 'step', 'resolution', 'reconcile', 'external', 'order', 'accumulateBy', 'exactWindow', 'sharelb', 'AGGREGATE', 'shape', 'search', 'field', 'category', 'id', 'source', 'names', 'costType', 'qCPU', 'qRAM', 'algorithmCPU', 'algorithmRAM', 'targetCPUUtilization', 'minRecCPUMillicores', 'includeLabelsAndAnnotations', 'targetUtilization', 'minNodeCount', 'allowSharedCore', 'architecture', 'range', 'clusterID', 'defaultNamespace', 'noUsage', 'windowAvgUsage', 'windowResourceCost', 'disableAdjustments', 'includeOverhead', 'verbose', 'count', 'eventType']; // prettier-ignore

const REQUIRED: Readonly<Record<string, string>> = {
  '/allocation/autocomplete': 'field=namespace&window=3d',
  '/assets/autocomplete': 'field=name&window=3d',
  '/assets/diff': 'before=yesterday&after=today',
  '/cloudCost/autocomplete': 'field=service&window=3d',
  '/prediction/speccost': 'clusterID=production&defaultNamespace=default',
  '/customCost': 'source=fuzz&window=yesterday',
};

/** @param number from 0 */
export function hostileRequest(seed: number, number: number): HostileRequest {
  const random = new Seeded(seed * 1_000_003 + number);
  const [method, path] = random.of(ROUTES);
  const takesBody = method === 'POST' || method === 'PUT' || random.is(0.01);
  const body = takesBody ? bodyOf(random, path) : Buffer.alloc(0);
  return {
    number,
    method: random.is(0.01) ? random.of(['HEAD', 'OPTIONS', 'PATCH', 'DELETE', 'TRACE', 'BREW']) : method, // prettier-ignore
    target: targetOf(random, path),
    headers: headersOf(random, path, takesBody),
    body,
    framing: !takesBody
      ? 'none'
      : random.is(0.9)
        ? 'length'
        : random.of(['chunks', 'short', 'long']),
  };
}

function targetOf(random: Seeded, path: string): string {
  const spelled = pathOf(random, path);
  return `${spelled}${queryOf(random, path, COMPUTED.test(spelled))}`;
}

/** Paths of what is computed from samples: without the prefix allocations are. */
const COMPUTED = /^(\/model)?\/allocation\/compute|^\/allocation(\/summary)?\/*$/;

function pathOf(random: Seeded, path: string): string {
  const prefixed = `${random.is(0.6) ? '/model' : ''}${path}`;
  if (random.is(0.97)) return prefixed;
  return random.of([
    () => `${prefixed}/`,
    () => `/${prefixed}`,
    () => prefixed.toUpperCase(),
    () => `//evil.example${prefixed}`,
    () => `${prefixed}${'/'.repeat(random.below(5000))}`,
    () => `/model${prefixed}/%2e%2e/%00`,
    () => prefixed.replaceAll('o', '%6F'),
    () => `${prefixed}${'a'.repeat(random.below(30_000))}`,
    () => `${prefixed}%ff%fe`,
  ])();
}

function queryOf(random: Seeded, path: string, isComputed: boolean): string {
  const ofLogin = loginQuery(random, path);
  const pairs: string[] = ofLogin === undefined ? [] : [ofLogin];
  if (ofLogin === undefined && random.is(0.95))
    pairs.push(REQUIRED[path] ?? `window=${encode(windowOf(random, isComputed))}`);
  for (let more = random.below(5); more > 0; more--) {
    pairs.push(`${random.of(NAMES)}=${encode(valueOf(random))}`);
  }
  if (random.is(0.05)) pairs.push(longPair(random));
  if (random.is(0.02)) pairs.push(...pairs);
  const query = pairs.join('&');
  if (random.is(0.97)) return `?${query}`;
  const broken = [
    () => flipped(random, query),
    () => `${query}&%zz=%`,
    () => `${query}&a=%00`,
    () => '&'.repeat(20_000),
    () => 'a&'.repeat(15_000),
    () => '%'.repeat(3000),
  ];
  return `?${random.of(broken)()}`;
}

/** What is computed from samples takes seconds for a week. */
function windowOf(random: Seeded, isComputed: boolean): string {
  return isComputed && random.is(0.98)
    ? random.of(['1h', '2h', '24h', 'today', '1d'])
    : random.of(WINDOWS);
}

function valueOf(random: Seeded): string {
  const made = random.of([WINDOWS, AGGREGATES, FILTERS, WORDS, WORDS, NUMBERS]);
  const value = random.of(made);
  return random.is(0.9) ? value : flipped(random, value + value);
}

/** One that fills the query. */
function longPair(random: Seeded): string {
  const times = (text: string, characters: number): string =>
    text.repeat(Math.ceil(characters / text.length));
  const size = random.of([1000, 10_000, 30_000, 31_900, 60_000]);
  const filter = random.of(['filter', 'filter', 'filterNamespaces', 'filterLabels', 'shareLabels', 'aggregate', 'names', 'columns', 'window', 'field', 'search', random.of(NAMES)]); // prettier-ignore
  const value = random.of([
    () => times('(', size),
    () => `${times('(', 95)}namespace:a${times(')', 95)}`,
    () => times('pod:a|', size).slice(0, -1),
    () => times('pod~:abc%2B', size).slice(0, -3),
    () => `pod:${times('a,', size)}b`,
    () => `pod:"${times('%5C"', size)}`,
    () => times('namespace,', size),
    () => times('label:a,', size),
    () => Array.from({ length: size / 10 }, (_, i) => `label:l${i}`).join(','),
    () => times('a:b,', size),
    () => times('a', size),
    () => times('%F0%9F%98%80', size),
    () => times('(a%2B)%2B', size),
    () => times('%20', size),
    () => `namespac${times('e', random.below(60))}:a`,
    () => `${times('9', size)}d`,
    () => times('label[a]!:', size),
    () => times('%5B', size),
  ])();
  return `${filter}=${value}`;
}

/** Blanks and signs that a URL takes are left as they are, now and then. */
function encode(value: string): string {
  return encodeURIComponent(value);
}

function flipped(random: Seeded, text: string): string {
  const letters = text.split('');
  for (let times = 1 + random.below(4); times > 0; times--) {
    letters[random.below(letters.length)] = String.fromCharCode(33 + random.below(94));
  }
  return letters.join('').replaceAll('#', '%23');
}

function headersOf(random: Seeded, path: string, takesBody: boolean): [string, string][] {
  const headers = credentialsOf(random, path).map(([name, value]): [string, string] => [
    name,
    value,
  ]);
  if (random.is(0.2))
    headers.push([
      'accept-encoding',
      random.of(['gzip', 'gzip;q=0.5, *;q=0', 'br', `${'gzip,'.repeat(2000)}x`]),
    ]);
  if (random.is(0.1))
    headers.push(['if-none-match', random.of(['*', '"x"', `${'"a",'.repeat(3000)}"b"`, 'W/""'])]);
  if (random.is(0.05))
    headers.push([
      'accept',
      random.of([
        'application/x-ndjson',
        'application/vnd.apache.arrow.stream',
        'text/csv',
        '*/*',
        'x'.repeat(5000),
      ]),
    ]);
  if (random.is(0.01))
    headers.push(
      ...Array.from({ length: 60 }, (_, i): [string, string] => [`x-${i}`, 'y'.repeat(200)]),
    );
  if (path === '/customCost')
    headers.push(['authorization', random.is(0.9) ? `Bearer ${TOKEN}` : 'Bearer x']);
  if (!takesBody) return headers;
  if (random.is(0.95))
    headers.push([
      'content-type',
      random.of([
        ...Array.from({ length: 12 }, () => 'application/json'),
        'application/yaml',
        'text/plain',
        'application/json; charset=utf-16',
        'x'.repeat(3000),
      ]),
    ]);
  if (random.is(0.03)) headers.push(['content-encoding', random.of(['gzip', 'deflate', 'br'])]);
  return headers;
}

function bodyOf(random: Seeded, path: string): Buffer {
  const valid = validBody(random, path);
  if (random.is(0.25)) return Buffer.from(valid);
  if (random.is(0.5)) return mutated(random, Buffer.from(valid));
  const made = random.of(HOSTILE_BODIES)(random);
  return typeof made === 'string' ? Buffer.from(made) : made;
}

function mutated(random: Seeded, body: Buffer): Buffer {
  if (body.length === 0) return body;
  for (let times = 1 + random.below(6); times > 0; times--) {
    body[random.below(body.length)] = random.below(256);
  }
  return random.is(0.2) ? body.subarray(0, random.below(body.length)) : body;
}
