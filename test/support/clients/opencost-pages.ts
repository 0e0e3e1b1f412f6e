/** Pages that ask without a prefix: OpenCost's own, Headlamp's and Backstage's. */
import assert from 'node:assert/strict';
import {
  alike,
  dateOf,
  jsonOf,
  list,
  members,
  near,
  NOW,
  number,
  query,
  sets,
  text,
  type Ask,
  type Client,
  type Members,
  type Replay,
} from './client.ts';

/** Days of a window as the pages label them. */
const DAYS = {
  today: ['2024-05-03'],
  yesterday: ['2024-05-02'],
  '3d': ['2024-05-01', '2024-05-02', '2024-05-03'],
  week: ['2024-04-28', '2024-04-29', '2024-04-30', '2024-05-01', '2024-05-02', '2024-05-03'],
} as const;

type Window = keyof typeof DAYS;

const rows = (set: Members): Members[] => Object.values(set).map(members);

const isIdle = (row: Members): boolean => text(row, 'name').includes('__idle__');

/** The chart of costs: a bar a set, labelled by the start of its first row's window. */
function bars(answer: Members): readonly { readonly day: string; readonly usd: number }[] {
  return sets(answer['data'])
    .map(rows)
    .filter(({ length }) => length > 0)
    .map((set) => ({
      day: dateOf(members(set[0]?.['window']), 'start'),
      usd: set.reduce((sum, row) => sum + number(row, 'totalCost'), 0),
    }));
}

const OPENCOST = '/allocation/compute';

async function chart(
  ask: Ask,
  window: Window,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  const params = { window, aggregate: 'namespace', includeIdle: 'true', step: '1d', ...more };
  const daily = bars(await jsonOf(ask, `${OPENCOST}?${query({ ...params, accumulate: 'false' })}`));
  assert.deepEqual(
    daily.map(({ day }) => day),
    DAYS[window],
  );
  const all = bars(await jsonOf(ask, `${OPENCOST}?${query({ ...params, accumulate: 'true' })}`));
  assert.equal(all.length, 1);
  const sum = daily.reduce((usd, each) => usd + each.usd, 0);
  alike(sum, all[0]?.usd ?? 0, `days of ${window}`);
  assert.ok(sum > 0);
}

/** The table of assets out of a map by their keys. */
async function assetTable(ask: Ask): Promise<void> {
  const params = {
    window: '3d',
    aggregate: 'type',
    includeIdle: 'true',
    accumulate: 'true',
    step: '1d',
  };
  const { data } = await jsonOf(ask, `/assets?${query(params)}`);
  const found = Object.entries(members(data)).map(([id, value]) => {
    const asset = members(value);
    const breakdowns = ['cpuBreakdown', 'ramBreakdown'].flatMap((name) =>
      asset[name] === undefined ? [] : [number(members(asset[name]), 'idle')],
    );
    for (const idle of breakdowns) assert.ok(idle >= 0 && idle <= 1, `${id} is idle by ${idle}`);
    members(asset['properties']);
    return {
      id,
      type: text(asset, 'type'),
      usd: number(asset, 'totalCost'),
      until: dateOf(asset, 'end'),
    };
  });
  assert.deepEqual(
    found.map(({ id }) => id),
    found.map(({ type }) => type),
  );
  assert.ok(found.some(({ type, usd }) => type === 'Node' && usd > 0));
  for (const { until } of found) assert.match(until, /^2024-05-0[34]$/);
}

/** Suggestions: the list, wherever one or two `data` lead. */
async function suggestions(
  ask: Ask,
  path: string,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  const { data } = await jsonOf(ask, `${path}?${query({ window: '3d', limit: '25', ...params })}`);
  const found = list(members(data)['data']);
  assert.ok(found.length > 0 && found.every((value) => typeof value === 'string'), path);
}

async function cloudCosts(ask: Ask): Promise<void> {
  const params = query({
    window: '3d',
    aggregate: 'service',
    costMetric: 'AmortizedNetCost',
    filter: '',
    limit: '1000',
  });
  const [table, totals, graph] = await Promise.all(
    ['table', 'totals', 'graph'].map(
      async (view) => (await jsonOf(ask, `/cloudCost/view/${view}?${params}`))['data'],
    ),
  );
  const tableUsd = sets(table).map(
    (row) => (text(row, 'name'), number(row, 'kubernetesPercent'), number(row, 'cost')),
  );
  assert.ok(tableUsd.length > 0);
  near(
    tableUsd.reduce((sum, usd) => sum + usd, 0),
    number(members(members(totals)['combined']), 'cost'),
    'rows',
  );
  const days = sets(graph).map(
    (bar) => (sets(bar['items']).map((item) => number(item, 'value')), dateOf(bar, 'start')),
  );
  assert.deepEqual(days, days.toSorted());
  const { data: status } = await jsonOf(ask, '/cloudCost/status');
  for (const source of sets(status)) text(source, 'connectionStatus');
}

async function externalCosts(ask: Ask): Promise<void> {
  const params = query({
    window: '3d',
    aggregate: 'domain',
    costType: 'blended',
    filter: '',
    sortBy: 'cost',
    sortDirection: 'desc',
  });
  const total = members((await jsonOf(ask, `/customCost/total?${params}`))['data']);
  const items = sets(total['customCosts']).map(
    (item) => (text(item, 'domain'), number(item, 'cost')),
  );
  assert.deepEqual(
    items,
    items.toSorted((a, b) => b - a),
  );
  near(
    items.reduce((sum, usd) => sum + usd, 0),
    number(total, 'totalCost'),
    'items',
  );
  const series = sets(
    members((await jsonOf(ask, `/customCost/timeseries?${params}`))['data'])['timeseries'],
  );
  const days = series.map(
    (entry) => (list(entry['customCosts']), dateOf(members(entry['window']), 'start')),
  );
  assert.deepEqual(days, days.toSorted());
  const { data: status } = await jsonOf(ask, '/customCost/status');
  assert.equal(members(status)['enabled'], true);
}

const charts: Replay[] = (Object.keys(DAYS) as Window[]).map((window) => ({
  name: `costs of ${window} are on their days`,
  run: (ask) => chart(ask, window, {}),
}));

const ROW: Readonly<Record<string, string>> = {
  filter: 'namespace:"web"+cluster:"production"',
  includeIdle: 'false',
};
const ALLOCATIONS = '/allocation/autocomplete';
const NAMESPACES = { field: 'namespace', search: 'w', filter: 'cluster:"production"' };

export const OPENCOST_UI: Client = {
  name: "OpenCost's page",
  read: 'opencost/opencost-ui 156c5f02 (app/services), e34df498 (app/lib), 06156518 (charts)',
  replays: [
    ...charts,
    { name: 'a row is opened by a filter', run: (ask) => chart(ask, '3d', ROW) },
    { name: 'assets are a table', run: assetTable },
    { name: 'namespaces are suggested', run: (ask) => suggestions(ask, ALLOCATIONS, NAMESPACES) },
    {
      name: 'controllers are suggested',
      run: (ask) => suggestions(ask, ALLOCATIONS, { field: 'controllerName' }),
    },
    {
      name: 'services of the cloud are suggested',
      run: (ask) => suggestions(ask, '/cloudCost/autocomplete', { field: 'service' }),
    },
    {
      name: 'types of assets are suggested',
      run: (ask) => suggestions(ask, '/assets/autocomplete', { field: 'type' }),
    },
    { name: 'cloud costs are a table and a graph', run: cloudCosts },
    { name: 'external costs are a table and a graph', run: externalCosts },
  ],
};

/** Sets have no dates of their own there: the last is of today, yesterday, or the last Saturday. */
async function headlampDays(ask: Ask, timespan: Window | 'lastweek'): Promise<void> {
  const path = `/allocation?window=${timespan}&aggregate=namespace&step=1d&accumulate=`;
  const daily = sets((await jsonOf(ask, `${path}false`))['data']);
  const last = new Date(NOW);
  if (timespan === 'yesterday') last.setUTCDate(last.getUTCDate() - 1);
  if (timespan === 'lastweek') last.setUTCDate(last.getUTCDate() - last.getUTCDay() - 1);
  for (const [place, set] of daily.entries()) {
    assert.ok(!('__idle__' in set), 'idle is no namespace');
    const day = new Date(last);
    day.setUTCDate(last.getUTCDate() - daily.length + 1 + place);
    for (const row of rows(set)) {
      assert.equal(dateOf(members(row['window']), 'start'), day.toISOString().slice(0, 10));
    }
  }
  const [all] = sets((await jsonOf(ask, `${path}true`))['data']);
  const whole = members(all?.['web']);
  for (const name of ['cpuCost', 'ramCost', 'pvCost', 'gpuCost', 'totalCost']) {
    const usd = daily.map((set) => ('web' in set ? number(members(set['web']), name) : 0));
    alike(
      usd.reduce((sum, each) => sum + each, 0),
      number(whole, name),
      `${name} of ${timespan}`,
    );
  }
  number(whole, 'totalEfficiency');
}

export const HEADLAMP: Client = {
  name: "Headlamp's plug-in of OpenCost",
  read: 'headlamp-k8s/plugins 0d30f3cd (opencost/src/request.tsx), 02f2a070 (detail.tsx)',
  replays: (['today', 'yesterday', '3d', 'lastweek'] as const).map((timespan) => ({
    name: `costs of ${timespan} are drawn on the dates that it counts`,
    run: (ask) => headlampDays(ask, timespan),
  })),
};

/** Bars are labelled by the start of the rows, the last of a set deciding. */
async function backstageDays(ask: Ask, window: Window): Promise<void> {
  const params = query({ window, aggregate: 'namespace', step: '1d', accumulate: 'false' });
  const daily = sets((await jsonOf(ask, `${OPENCOST}?${params}`))['data']);
  const labels = daily.map((set) => {
    const sorted = rows(set).toSorted((a, b) => number(a, 'totalCost') - number(b, 'totalCost'));
    const [top] = sorted.slice(-1);
    assert.ok(top !== undefined);
    for (const name of [
      'cpuCoreUsageAverage',
      'cpuCoreRequestAverage',
      'ramByteUsageAverage',
      'ramByteRequestAverage',
      'minutes',
    ])
      number(top, name);
    return dateOf(top, 'start');
  });
  assert.deepEqual(labels, DAYS[window]);
  assert.deepEqual(daily.flatMap(rows).filter(isIdle), []);
}

export const BACKSTAGE_OPENCOST: Client = {
  name: "Backstage's plug-in of OpenCost",
  read: 'backstage/community-plugins 25877ce6 (services/allocation.js), 3f3c4b36 (RangeChart.jsx)',
  replays: (['today', 'yesterday', '3d'] as const).map((window) => ({
    name: `bars of ${window} rise by date`,
    run: (ask) => backstageDays(ask, window),
  })),
};
