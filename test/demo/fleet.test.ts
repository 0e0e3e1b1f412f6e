import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DAY_MS,
  equals,
  HOUR_MS,
  NOW_MS,
  readDemo,
  YESTERDAY,
} from '../support/fleets/demo-reading.ts';
import { numberOf, type ReadSeries } from '../support/references/read-batches.ts';
import { STALE_BITS } from '../support/stores/samples-encoding.ts';

type Row = readonly [ms: number, value: number];

/** Samples without end markers. */
function samplesOf({ timestampsMs, valueBits }: ReadSeries): Row[] {
  return timestampsMs
    .map((ms, i): [number, bigint] => [ms, valueBits[i] ?? 0n])
    .filter(([, bits]) => bits !== STALE_BITS)
    .map(([ms, bits]) => [ms, numberOf(bits)]);
}

function groupBy<T>(items: Iterable<T>, key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

const text = (series: ReadSeries, ...names: string[]): string =>
  names.map((name) => series.labels[name] ?? '').join('/');

const READ = new Map<string, Promise<ReadSeries[]>>();

/** Yesterday's series of a metric, read once. */
function daySeries(metric: string): Promise<ReadSeries[]> {
  const known = READ.get(metric) ?? readDemo(metric, YESTERDAY).then((all) => [...all.values()]);
  READ.set(metric, known);
  return known;
}

test('about 400 pods of every kind run in a day, on 20 nodes at a time', async () => {
  const pods = await daySeries('kube_pod_info');
  assert.ok(pods.length > 330 && pods.length < 470, `${pods.length}`);
  const kinds = [...groupBy(pods, (pod) => text(pod, 'created_by_kind')).keys()].toSorted();
  assert.deepEqual(kinds, ['DaemonSet', 'Job', 'ReplicaSet', 'StatefulSet']);
  const noon = YESTERDAY[0] + 12 * HOUR_MS;
  assert.equal((await readDemo('kube_node_info', [noon, noon + 59_999])).size, 20);
});

test('every pod has a start, an owner and labels, and stands on a node that exists', async () => {
  const uids = async (metric: string): Promise<string[]> =>
    [...groupBy(await daySeries(metric), (one) => text(one, 'uid')).keys()].toSorted();
  const all = await uids('kube_pod_info');
  for (const metric of ['kube_pod_start_time', 'kube_pod_owner', 'kube_pod_labels'])
    assert.deepEqual(await uids(metric), all, metric);
  const nodes = groupBy(await daySeries('kube_node_info'), (node) => text(node, 'node'));
  for (const pod of await daySeries('kube_pod_info'))
    assert.ok(nodes.has(text(pod, 'node')), text(pod, 'pod', 'node'));
});

test('owners lead from replica sets to deployments and from jobs to cron jobs', async () => {
  const sets = groupBy(await daySeries('kube_replicaset_owner'), (one) => text(one, 'replicaset'));
  const jobs = groupBy(await daySeries('kube_job_owner'), (one) => text(one, 'job_name'));
  const above = new Set<string>();
  for (const pod of await daySeries('kube_pod_owner')) {
    const [kind, name] = [text(pod, 'owner_kind'), text(pod, 'owner_name')];
    if (kind === 'ReplicaSet') assert.match(text(pod, 'pod'), new RegExp(`^${name}-[a-z0-9]{5}$`));
    const owners = kind === 'ReplicaSet' ? sets.get(name) : kind === 'Job' ? jobs.get(name) : [pod];
    assert.ok(owners, `${kind} ${name}`);
    for (const owner of owners) above.add(text(owner, 'owner_kind'));
  }
  const expected = ['<none>', 'CronJob', 'DaemonSet', 'Deployment', 'StatefulSet'];
  assert.deepEqual([...above].toSorted(), expected);
});

test('requests fit the nodes at every hour, GPUs too', async () => {
  const capacity = new Map(
    (await daySeries('kube_node_status_capacity')).map((one) => [
      text(one, 'node', 'resource'),
      samplesOf(one)[0]?.[1] ?? 0,
    ]),
  );
  const lives = (await daySeries('container_cpu_usage_seconds_total')).map((one) => ({
    name: text(one, 'pod', 'container'),
    firstMs: one.timestampsMs[0] ?? 0,
    lastMs: one.timestampsMs.at(-1) ?? 0,
  }));
  let gpus = 0;
  for (let atMs = YESTERDAY[0]; atMs < YESTERDAY[1]; atMs += HOUR_MS) {
    const alive = lives.filter(({ firstMs, lastMs }) => firstMs <= atMs + 60_000 && lastMs > atMs);
    const names = new Set(alive.map(({ name }) => name));
    const sums = new Map<string, number>();
    for (const one of await daySeriesAt('kube_pod_container_resource_requests', atMs)) {
      if (!names.has(text(one, 'pod', 'container'))) continue;
      const key = text(one, 'node', 'resource');
      sums.set(key, (sums.get(key) ?? 0) + (samplesOf(one)[0]?.[1] ?? 0));
      if (key.endsWith('nvidia_com_gpu')) gpus++;
    }
    for (const [key, sum] of sums) assert.ok(sum <= (capacity.get(key) ?? 0), `${key} ${sum}`);
  }
  assert.ok(gpus >= 24, `${gpus} requests of GPUs`);
});

async function daySeriesAt(metric: string, atMs: number): Promise<ReadSeries[]> {
  return [...(await readDemo(metric, [atMs, atMs + 59_999])).values()];
}

test('counters never fall, begin near zero, and a restart begins a new one', async () => {
  const started = groupBy(await daySeries('kube_pod_container_state_started'), (one) =>
    text(one, 'cluster_id', 'pod', 'container'),
  );
  const series = await daySeries('container_cpu_usage_seconds_total');
  let restarts = 0;
  for (const [key, runs] of groupBy(series, (one) => text(one, 'cluster_id', 'pod', 'container'))) {
    const starts = new Set((started.get(key) ?? []).flatMap(samplesOf).map(([, value]) => value));
    for (const run of runs) {
      const samples = samplesOf(run);
      samples.reduce((before, next) => (assert.ok(next[1] >= before[1], key), next));
      const [firstMs = 0, first = 0] = samples[0] ?? [];
      const startS = [...starts].filter((s) => s * 1000 <= firstMs).at(-1) ?? Number.NaN;
      assert.ok(first <= (firstMs / 1000 - startS) * 8, `${key} ${first} after its start`);
    }
    const ids = runs.filter((run) => samplesOf(run).length > 0).map((run) => text(run, 'id'));
    assert.equal(new Set(ids).size, ids.length);
    if (key.includes('fraud-scoring') || key.includes('stream-worker')) restarts += ids.length - 1;
  }
  assert.ok(restarts > 0, 'no container was restarted');
});

test('usage goes beyond the request in bursts, and some pods request nothing', async () => {
  const requests = new Map(
    (await daySeries('kube_pod_container_resource_requests')).map((one) => [
      text(one, 'uid', 'container', 'resource'),
      samplesOf(one)[0]?.[1] ?? 0,
    ]),
  );
  const uidOf = new Map(
    (await daySeries('kube_pod_info')).map((one) => [
      text(one, 'cluster_id', 'namespace', 'pod'),
      text(one, 'uid'),
    ]),
  );
  const cpu = await daySeries('container_cpu_usage_seconds_total');
  const ram = await daySeries('container_memory_working_set_bytes');
  const requestOf = (one: ReadSeries, resource: string): number | undefined =>
    requests.get(
      [
        uidOf.get(text(one, 'cluster_id', 'namespace', 'pod')),
        text(one, 'container'),
        resource,
      ].join('/'),
    );
  const peak = (one: ReadSeries): number =>
    samplesOf(one).reduce(
      (most, [, value], i, all) => Math.max(most, (value - (all[i - 1]?.[1] ?? value)) / 60),
      0,
    );
  assert.ok(
    cpu.filter((one) => peak(one) > (requestOf(one, 'cpu') ?? Infinity)).length > 10,
    'few go beyond their CPU',
  );
  const top = (one: ReadSeries): number => Math.max(...samplesOf(one).map(([, value]) => value));
  assert.ok(
    ram.filter((one) => top(one) > (requestOf(one, 'memory') ?? Infinity)).length > 10,
    'few go beyond their memory',
  );
  const bare = cpu.filter((one) => requestOf(one, 'cpu') === undefined);
  assert.ok(groupBy(bare, (one) => text(one, 'pod')).size > 40, `${bare.length} containers`);
});

test('completed pods linger ten minutes with their completion time, others have none', async () => {
  const completions = await daySeries('kube_pod_completion_time');
  const info = groupBy(await daySeries('kube_pod_info'), (one) => text(one, 'uid'));
  let whole = 0;
  for (const one of completions) {
    const [pod] = info.get(text(one, 'uid')) ?? [];
    assert.ok(pod && text(pod, 'created_by_kind') === 'Job', text(one, 'pod'));
    const endMs = (samplesOf(one)[0]?.[1] ?? 0) * 1000;
    const seenMs = samplesOf(pod).map(([ms]) => ms);
    assert.ok(
      seenMs.every((ms) => ms < endMs + 600_000),
      text(one, 'pod'),
    );
    if (endMs < YESTERDAY[0] || endMs > YESTERDAY[1] - HOUR_MS) continue;
    assert.equal(seenMs.filter((ms) => ms >= endMs).length, 10);
    whole++;
  }
  assert.ok(whole > 150, `${whole}`);
});

test('a stateful set keeps its names and changes its uids', async () => {
  const matchers = [equals('created_by_kind', 'StatefulSet')];
  const pods = await readDemo('kube_pod_info', [NOW_MS - 21 * DAY_MS, NOW_MS], matchers);
  for (const [name, lives] of groupBy(pods.values(), (one) => text(one, 'cluster_id', 'pod'))) {
    assert.ok(new Set(lives.map((one) => text(one, 'uid'))).size >= 3, name);
    const spans = lives
      .map((one) => samplesOf(one).map(([ms]) => ms))
      .filter((ms) => ms.length > 0);
    spans.sort(([a = 0], [b = 0]) => a - b);
    spans.reduce((before, next) => (assert.ok((before.at(-1) ?? 0) < (next[0] ?? 0), name), next));
  }
});

test('the price of spot nodes changes once a week, others never', async () => {
  const spot = groupBy(await daySeries('kubecost_node_is_spot'), (one) =>
    String(samplesOf(one)[0]?.[1]),
  );
  assert.ok(
    (spot.get('1')?.length ?? 0) >= 4 && (spot.get('0')?.length ?? 0) === 16,
    [...spot.keys()].join(),
  );
  const week: [number, number] = [NOW_MS - 7 * DAY_MS, NOW_MS];
  const byType = groupBy((await readDemo('node_cpu_hourly_cost', week)).values(), (one) =>
    text(one, 'instance_type'),
  );
  for (const [type, nodes] of byType) {
    const prices = new Set(nodes.flatMap(samplesOf).map(([, usd]) => usd));
    assert.equal(prices.size, type === 'c6i.2xlarge' ? 2 : 1, type);
  }
});
