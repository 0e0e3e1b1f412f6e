/** Pages and scripts that ask below `/model`: Backstage's card, dashboards of Grafana, a script that saves a CSV. */
import assert from 'node:assert/strict';
import jsonata from 'jsonata';
import {
  dateOf,
  jsonOf,
  members,
  near,
  number,
  query,
  sets,
  text,
  type Ask,
  type Client,
  type Members,
} from './client.ts';

/** The one row of a set that is accumulated. */
async function card(ask: Ask, shareIdle: string): Promise<void> {
  const filter = 'filter=label%5Bapp%5D:%22checkout%22+controllerKind:deployment';
  const { data } = await jsonOf(
    ask,
    `/model/allocation?window=1w&accumulate=true&shareIdle=${shareIdle}&${filter}`,
  );
  const shown = Object.values(sets(data)).map((set) => members(Object.values(set)[0]));
  assert.equal(shown.length, 1);
  for (const row of shown) {
    for (const name of [
      'cpuCost',
      'ramCost',
      'networkCost',
      'pvCost',
      'gpuCost',
      'totalCost',
      'sharedCost',
      'minutes',
      'totalEfficiency',
    ])
      number(row, name);
    assert.ok(dateOf(row, 'start') <= dateOf(row, 'end'));
  }
}

export const BACKSTAGE_KUBECOST: Client = {
  name: "Backstage's plug-in of Kubecost",
  read: 'suxess-it/backstage-plugin-kubecost 06818975 (KubecostFetchComponent.tsx)',
  replays: ['weighted', 'weightedd'].map((shareIdle) => ({
    name: `the card of a deployment is filled, shareIdle=${shareIdle}`,
    run: (ask) => card(ask, shareIdle),
  })),
};

/** From Monday's noon to Friday's morning: the edges of a time picker lie anywhere. */
const PICKED = '1714478400,1714723200';

interface Panel {
  readonly title: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** In JSONata. */
  readonly selector: string;
  readonly columns: readonly string[];
}

const PANELS: readonly Panel[] = [
  {
    title: 'costs of namespaces as a treemap',
    path: '/model/allocation/summary',
    params: { window: PICKED, aggregate: 'namespace', idle: 'false', accumulate: 'true' },
    selector: '$.data.sets[].allocations.*.{"Name": name, "Total Cost": totalCost, "Time": end}',
    columns: ['Name', 'Total Cost', 'Time'],
  },
  {
    title: 'costs of apps over time',
    path: '/model/allocation/summary',
    params: { window: PICKED, aggregate: 'label:app', idle: 'false', label: 'label:"app"' },
    selector: '$.data.sets[].allocations.*.{name: totalCost, "Time": end}',
    columns: ['app=checkout', 'Time'],
  },
  {
    title: 'costs of clusters as bars',
    path: '/model/assets',
    params: { window: PICKED, aggregate: 'cluster', accumulate: 'true' },
    selector: '$.data[].*.{"Cluster": properties.cluster, "Cost": totalCost}',
    columns: ['Cluster', 'Cost'],
  },
  {
    title: 'costs of clusters over time',
    path: '/model/assets',
    params: { window: PICKED, aggregate: 'cluster' },
    selector: '$.data[].*.{"Cluster": properties.cluster, "Cost": totalCost, "Time": end}',
    columns: ['Cluster', 'Cost', 'Time'],
  },
];

const IS_USD = /Cost|=/;

async function panel(ask: Ask, { path, params, selector, columns }: Panel): Promise<void> {
  const answer = await jsonOf(ask, `${path}?${query(params)}`);
  const found = sets([...((await jsonata(selector).evaluate(answer)) as readonly unknown[])]);
  assert.ok(found.length > 0);
  for (const name of columns) {
    const of = found.filter((row) => name in row);
    assert.ok(of.length > 0, `no row has ${name}`);
    for (const row of of) {
      if (name === 'Time') dateOf(row, name);
      else if (IS_USD.test(name)) number(row, name);
      else text(row, name);
    }
  }
}

export const GRAFANA: Client = {
  name: "Kubecost's dashboards of Grafana",
  read: 'kubecost/kubecost-success 2a75666c, 104e9e23 (grafana/dashboards), by the Infinity data source',
  replays: PANELS.map((each) => ({ name: each.title, run: (ask) => panel(ask, each) })),
};

/** All that the script sends, also what is empty or of a page alone. */
const CSV = {
  accumulate: 'true', aggregate: 'namespace,pod', chartType: 'costovertime', costUnit: 'daily', external: 'false', filter: '',
  idle: 'true', idleByNode: 'false', includeSharedCostBreakdown: 'false', shareCost: '0', shareIdle: 'false', shareLabels: '',
  shareNamespaces: '', shareSplit: 'weighted', shareTenancyCosts: 'false',
  window: '2024-05-01T00:00:00Z,2024-05-01T23:59:59Z', offset: '0', limit: '25', format: 'csv',
}; // prettier-ignore

async function savedCsv(ask: Ask): Promise<void> {
  const { status, contentType, text: csv } = await ask(`/model/allocation/summary?${query(CSV)}`);
  assert.equal(status, 200, csv);
  assert.match(contentType, /^text\/csv/);
  const [head = '', ...lines] = csv.trimEnd().split('\n');
  assert.match(head, /^namespace,pod,cpuCost,.*,totalCost\b/);
  // A page of 25 beside idle.
  assert.equal(lines.length, 26);
  const places = head.split(',');
  const usd = lines.map((line): Members =>
    Object.fromEntries(line.split(',').map((cell, i) => [places[i] ?? '', cell])),
  );
  for (const row of usd) {
    const parts = places.filter((name) => name.endsWith('Cost') && name !== 'totalCost');
    near(
      parts.reduce((sum, name) => sum + Number(row[name]), 0),
      Number(row['totalCost']),
      text(row, 'pod'),
    );
  }
}

export const CSV_SCRIPT: Client = {
  name: 'a script that saves the CSV of a day',
  read: 'kubecost/kubecost-success 014c8dcf (scripts/allocation-query-reconciled-csv.py)',
  replays: [{ name: 'the day before yesterday is one page of rows', run: savedCsv }],
};
