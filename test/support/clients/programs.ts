/** Programs that ask: kubectl cost, and the exporter of Parquet. */
import assert from 'node:assert/strict';
import {
  dateOf,
  jsonOf,
  list,
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

/** Numbers that Go reads into `float64`: any other type ends the program. */
const FLOATS = [
  'minutes', 'cpuCores', 'cpuCoreRequestAverage', 'cpuCoreUsageAverage', 'cpuCoreHours', 'cpuCost', 'cpuCostAdjustment', 'gpuHours',
  'gpuCost', 'gpuCostAdjustment', 'networkCost', 'networkCostAdjustment', 'loadBalancerCost', 'loadBalancerCostAdjustment', 'pvCost',
  'pvCostAdjustment', 'ramBytes', 'ramByteRequestAverage', 'ramByteUsageAverage', 'ramByteHours', 'ramCost', 'ramCostAdjustment',
  'externalCost', 'sharedCost', 'totalCost', 'totalEfficiency',
]; // prettier-ignore

async function currency(ask: Ask): Promise<void> {
  assert.equal(
    text(members((await jsonOf(ask, '/model/getConfigs'))['data']), 'currencyCode'),
    'USD',
  );
}

/** The table of a verb: a row a name, of as many parts as it is aggregated by. */
async function verb(ask: Ask, aggregate: readonly string[], includeIdle: boolean): Promise<void> {
  await currency(ask);
  const idle = String(includeIdle);
  const params = query({
    window: '2d', aggregate: aggregate.join(','), accumulate: 'true', includeIdle: idle, idle, filterNamespaces: '',
  }); // prettier-ignore
  // The first set is taken without looking whether there is one.
  const [found] = sets((await jsonOf(ask, `/model/allocation?${params}`))['data']);
  assert.ok(found !== undefined);
  const table = Object.entries(found).map(([key, value]): [string, Members] => [
    key,
    members(value),
  ]);
  assert.ok(table.length > 1);
  for (const [key, row] of table) {
    assert.equal(text(row, 'name'), key);
    for (const name of FLOATS) number(row, name);
    for (const name of ['start', 'end']) dateOf(row, name);
    for (const name of ['start', 'end']) dateOf(members(row['window']), name);
    if (key !== '__idle__') assert.equal(key.split('/').length, aggregate.length, key);
  }
  assert.equal('__idle__' in found, includeIdle);
}

/** Minutes of a month, as rates are projected. */
const MONTH_MINUTES = 43_200;

/** The table of rates that `tui` draws, and verbs without `--historical`: costs by the minutes that a row was there. */
async function rates(ask: Ask, window: string, aggregate: string): Promise<void> {
  await currency(ask);
  const params = query({ accumulate: 'true', window, aggregate });
  const [found] = sets((await jsonOf(ask, `/model/allocation?${params}`))['data']);
  assert.ok(found !== undefined);
  let rate = 0;
  for (const row of Object.values(found).map(members)) {
    // A name of more parts ends the program.
    if (text(row, 'name') !== '__idle__') assert.equal(text(row, 'name').split('/').length, 1);
    for (const name of FLOATS) number(row, name);
    const [from, to] = ['start', 'end'].map((name) => {
      dateOf(row, name);
      return Date.parse(text(row, name));
    });
    const minutes = ((to ?? NaN) - (from ?? NaN)) / 60_000;
    near(minutes, number(row, 'minutes'), 'minutes');
    const usd = (number(row, 'totalCost') * MONTH_MINUTES) / minutes;
    assert.ok(Number.isFinite(usd), `${text(row, 'name')} was there for ${minutes} minutes`);
    rate += usd;
    // Costs of volumes are added up from what rows pay for.
    const volumes = Object.entries(row['pvs'] === null ? {} : members(row['pvs']));
    for (const [key] of volumes) assert.match(key, /^cluster=[^:]+:name=[^:]+$/);
    const paid = volumes.reduce((sum, [, volume]) => sum + number(members(volume), 'cost'), 0);
    near(paid, number(row, 'pvCost'), `volumes of ${text(row, 'name')}`);
  }
  assert.ok(rate > 0);
}

async function nodes(ask: Ask, type: string): Promise<void> {
  await currency(ask);
  const params = query({
    window: '2d',
    aggregate: '',
    accumulate: 'true',
    disableAdjustments: 'false',
    filterTypes: type,
  });
  const [found] = sets((await jsonOf(ask, `/model/assets?${params}`))['data']);
  const assets = Object.values(found ?? {}).map(members);
  assert.ok(assets.length > 0);
  for (const asset of assets) {
    assert.equal(text(asset, 'type'), type);
    for (const name of ['minutes', 'adjustment', 'totalCost']) number(asset, name);
    for (const name of ['cluster', 'name']) text(members(asset['properties']), name);
    if (type !== 'Node') continue;
    for (const name of [
      'cpuCores',
      'ramBytes',
      'cpuCoreHours',
      'ramByteHours',
      'GPUHours',
      'preemptible',
      'discount',
      'cpuCost',
      'gpuCost',
      'gpuCount',
      'ramCost',
    ])
      number(asset, name);
    for (const name of ['cpuBreakdown', 'ramBreakdown']) number(members(asset[name]), 'idle');
  }
}

const MANIFEST = `apiVersion: apps/v1
kind: Deployment
metadata: {name: new}
spec:
  replicas: 2
  template: {spec: {containers: [{name: a, image: a, resources: {requests: {cpu: 100m, memory: 128Mi}}}]}}
`;

/** Without a cluster's id the server's own is asked for first. */
async function predict(ask: Ask): Promise<void> {
  const clusterID = text(members((await jsonOf(ask, '/model/clusterInfo'))['data']), 'id');
  const params = query({
    noUsage: 'false',
    windowAvgUsage: '2d',
    windowResourceCost: '7d offset 48h',
    clusterID,
    defaultNamespace: 'default',
  });
  const answer = await ask(`/model/prediction/speccost?${params}`, {
    method: 'POST',
    body: MANIFEST,
  });
  assert.equal(answer.status, 200, answer.text);
  // A list without an envelope.
  const [change, ...others] = sets(JSON.parse(answer.text) as unknown);
  assert.ok(change !== undefined && others.length === 0);
  assert.deepEqual([text(change, 'namespace'), text(change, 'controllerName')], ['default', 'new']);
  text(change, 'controllerKind');
  const [before, after, difference] = ['costBefore', 'costAfter', 'costChange'].map((name) =>
    members(change[name]),
  );
  assert.ok(before && after && difference);
  for (const name of [
    'totalMonthlyRate',
    'cpuMonthlyRate',
    'ramMonthlyRate',
    'gpuMonthlyRate',
    'monthlyCPUCoreHours',
    'monthlyRAMByteHours',
    'monthlyGPUHours',
  ]) {
    near(number(after, name) - number(before, name), number(difference, name), name);
  }
  near(number(after, 'monthlyCPUCoreHours'), 2 * 0.1 * 730, 'core hours');
  await currency(ask);
}

/** A list without an envelope, which `--request-sizing-shape array` gives where it is not asked for. */
async function savings(ask: Ask): Promise<void> {
  const { status, text: body } = await ask('/model/savings/requestSizingV2?window=2d');
  assert.equal(status, 200, body);
  const found = sets(JSON.parse(body) as unknown);
  assert.ok(found.length > 0);
  for (const each of found) {
    for (const name of [
      'clusterID',
      'namespace',
      'controllerKind',
      'controllerName',
      'containerName',
    ])
      text(each, name);
    for (const name of ['recommendedRequest', 'latestKnownRequest'])
      for (const of of ['cpu', 'memory']) text(members(each[name]), of);
    for (const of of ['cpu', 'memory']) number(members(each['monthlySavings']), of);
    for (const of of ['cpu', 'memory', 'total']) number(members(each['currentEfficiency']), of);
  }
}

export const KUBECTL_COST: Client = {
  name: 'kubectl cost',
  read: 'kubecost/kubectl-cost 1f45d308 (aggregatedcommandbuilder.go, display/output.go), 5d69c63f (tui.go), 88dc6f0d (predict.go), b5fef02a (assetsapi.go), 63e2b96b (savings.go)',
  replays: [
    ...[['cluster', 'namespace'], ['cluster', 'namespace', 'controller'], ['cluster', 'namespace', 'deployment'], ['cluster', 'namespace', 'pod'], ['cluster', 'label:app']].flatMap(
      (aggregate) =>
        [false, true].map((includeIdle) => ({
          name: `${aggregate.at(-1)}${includeIdle ? ' --include-idle' : ''} is a table`,
          run: (ask: Ask) => verb(ask, aggregate, includeIdle),
        })),
    ),
    ...['namespace', 'deployment', 'controller', 'pod'].flatMap((aggregate) =>
      ['1d', '7d'].map((window) => ({ name: `tui draws rates of ${window} by ${aggregate}`, run: (ask: Ask) => rates(ask, window, aggregate) })),
    ),
    ...['Node', 'Disk'].map((type) => ({ name: `${type} is a table`, run: (ask: Ask) => nodes(ask, type) })),
    { name: 'predict without -c is a table', run: predict },
    { name: 'savings is a table', run: savings },
  ],
}; // prettier-ignore

/** Columns that have to be there, and are read as floats; `minutes` under another name. */
const COLUMNS = [...FLOATS, 'cpuEfficiency', 'gpuCount', 'networkCrossRegionCost', 'networkCrossZoneCost', 'networkInternetCost', 'networkReceiveBytes', 'networkTransferBytes', 'pvByteHours', 'pvBytes', 'ramEfficiency']; // prettier-ignore

async function exported(ask: Ask, step: string, count: number): Promise<void> {
  const params = query({
    window: '2024-05-02T00:00:00Z,2024-05-02T23:59:59Z', includeIdle: 'false', shareIdle: 'false', idleByNode: 'false',
    includeProportionalAssetResourceCosts: 'false', format: 'json', step, aggregate: 'namespace,pod,container',
  }); // prettier-ignore
  const answer = await jsonOf(ask, `/allocation/compute?${params}`);
  assert.equal(
    answer['warnings'] === undefined || !/parameter/.test(String(list(answer['warnings']))),
    true,
  );
  const splits = sets(answer['data']);
  assert.equal(splits.length, count);
  const starts: string[] = [];
  for (const split of splits) {
    const kept = Object.entries(split).filter(
      ([name]) => name !== '__unmounted__/__unmounted__/__unmounted__',
    );
    assert.ok(kept.length > 0);
    for (const [, value] of kept) {
      const row = members(value);
      for (const name of COLUMNS) number(row, name);
      for (const name of ['start', 'end']) dateOf(row, name);
      starts.push(text(members(row['window']), 'start'));
    }
  }
  // Splits begin on the hour, the first with the day.
  assert.equal(starts[0], '2024-05-02T00:00:00Z');
  assert.deepEqual(starts, starts.toSorted());
  for (const start of starts) assert.match(start, /T\d\d:00:00Z$/);
  assert.equal(new Set(starts).size, count);
}

export const PARQUET_EXPORTER: Client = {
  name: "OpenCost's exporter of Parquet",
  read: 'opencost/opencost-parquet-exporter 008411e4 (opencost_parquet_exporter.py), c4238e94 (data_types.json)',
  replays: [
    ['1h', 24],
    ['6h', 4],
    ['1d', 1],
  ].map(([step, count]) => ({
    name: `a day by ${String(step)} is ${String(count)} splits that begin on the hour`,
    run: (ask) => exported(ask, String(step), Number(count)),
  })),
};
