import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FACTS, USAGE } from '../../src/metrics/index.ts';
import { createDemo } from '../../src/demo/index.ts';
import {
  DAY_MS,
  demo,
  equals,
  HOUR_MS,
  NOW_MS,
  readDemo,
  YESTERDAY,
} from '../support/fleets/demo-reading.ts';
import type { ReadSeries } from '../support/references/read-batches.ts';
import { STALE_BITS } from '../support/stores/samples-encoding.ts';

/** Metrics of the catalogue that the demo does not have. */
const ABSENT: readonly string[] = [
  'pod_pvc_allocation',
  'kube_pod_deletion_timestamp',
  'kube_pod_container_status_running',
  'kube_endpoint_address',
  'kube_endpointslice_labels',
  'kube_endpointslice_endpoints',
  'container_cpu_allocation',
  'container_memory_allocation_bytes',
  'container_gpu_allocation',
  'kube_pod_resourceclaim_info',
  'kube_resourceclaim_allocation_device_info',
  'kube_resourceslice_device_info',
  'kube_pod_init_container_info',
  'kube_pod_init_container_status_running',
  'kube_pod_init_container_resource_requests',
  'kube_pod_container_status_resource_requests',
  'kube_pod_overhead_cpu_cores',
  'kube_pod_overhead_memory_bytes',
  'kube_pod_spec_resource_requests',
  'kube_pod_resource_request',
];

const SELECTIONS = [
  ...Object.values(FACTS).map(({ selection }) => selection),
  ...Object.values(USAGE),
];

const METRICS = [
  ...new Set([...SELECTIONS.map(({ metric }) => metric), 'kube_node_status_capacity']),
].filter((metric) => !ABSENT.includes(metric));

const MORNING: readonly [number, number] = [
  YESTERDAY[0] + 5 * HOUR_MS,
  YESTERDAY[0] + 10 * HOUR_MS,
];

/** What of `series` lies in a window. */
function within(
  series: ReadonlyMap<string, ReadSeries>,
  [startMs, endMs]: readonly [number, number],
): Map<string, [number, bigint | undefined][]> {
  const cut = new Map<string, [number, bigint | undefined][]>();
  for (const [key, { timestampsMs, valueBits }] of series) {
    const samples = timestampsMs
      .map((ms, i): [number, bigint | undefined] => [ms, valueBits[i]])
      .filter(([ms]) => ms >= startMs && ms <= endMs);
    if (samples.length > 0) cut.set(key, samples);
  }
  return cut;
}

for (const metric of METRICS)
  test(`${metric} shows the same past in any window, read at any time`, async () => {
    const whole: [number, number] = [YESTERDAY[0] + 7 * HOUR_MS, YESTERDAY[0] + 15 * HOUR_MS];
    const part: [number, number] = [YESTERDAY[0] + 11.3 * HOUR_MS, YESTERDAY[0] + 14.7 * HOUR_MS];
    const later = demo(1, NOW_MS + 30 * DAY_MS);
    const expected = within(await readDemo(metric, whole, [], later), part);
    const read = await readDemo(metric, part);
    assert.ok(read.size > 0, `${read.size} series`);
    assert.deepEqual(within(read, part), expected);
    assert.deepEqual(within(read, part), within(read, [0, Infinity]), 'samples outside the window');
  });

for (const metric of METRICS)
  test(`${metric} comes each minute at its target's phase, ended by a marker`, async () => {
    const phases = new Map<string, number>();
    for (const { labels, timestampsMs, valueBits } of (await readDemo(metric, MORNING)).values()) {
      const isNode = ['kubelet', 'network-costs', 'dcgm-exporter'].includes(labels['job'] ?? '');
      const target = `${labels['cluster_id']} ${labels['job']} ${isNode ? labels['node'] : ''}`;
      const phase = timestampsMs[0] ?? 0;
      const known = phases.get(target) ?? phase;
      phases.set(target, known);
      assert.equal(phase % 60_000, known % 60_000, target);
      assert.notEqual(phase % 60_000, 0);
      timestampsMs.forEach((ms, i) => assert.equal(ms, phase + i * 60_000));
      const marker = valueBits.indexOf(STALE_BITS);
      const ended = (timestampsMs.at(-1) ?? 0) < MORNING[1] - 60_000;
      assert.equal(marker, ended || marker >= 0 ? valueBits.length - 1 : -1);
    }
  });

test('another seed is another fleet', async () => {
  const [one, other] = [
    await readDemo('kube_pod_info', YESTERDAY),
    await readDemo('kube_pod_info', YESTERDAY, [], demo(2)),
  ];
  for (const key of one.keys()) assert.equal(other.has(key), false);
});

test('nothing lies in the future, and nothing before the ninetieth day', async () => {
  const source = demo();
  const earliestMs = (await source.earliestSampleMs?.(new AbortController().signal)) ?? 0;
  assert.equal(earliestMs, Date.UTC(2026, 7, 22));
  const matchers = [equals('cluster_id', 'development')];
  const read = await readDemo('node_cpu_hourly_cost', [0, NOW_MS + 9 * DAY_MS], matchers);
  for (const { timestampsMs } of read.values()) {
    const first = timestampsMs[0] ?? 0;
    assert.ok(first >= earliestMs && first < earliestMs + 60_000, `first at ${first}`);
    const last = timestampsMs.at(-1) ?? 0;
    assert.ok(last <= NOW_MS && last > NOW_MS - 60_000, `last at ${last}`);
  }
  assert.equal((await readDemo('node_cpu_hourly_cost', [0, earliestMs - 1])).size, 0);
  assert.equal((await readDemo('node_cpu_hourly_cost', [NOW_MS + 1, NOW_MS + DAY_MS])).size, 0);
});

test('matchers choose among labels of the target and of the workload', async () => {
  const matchers = [
    equals('cluster_id', 'production'),
    { label: 'pod', operator: '=~', value: 'kafka-[01]' } as const,
  ];
  const read = await readDemo('kube_pod_info', YESTERDAY, matchers);
  const pods = new Set([...read.values()].map(({ labels }) => labels['pod']));
  assert.deepEqual(pods, new Set(['kafka-0', 'kafka-1']));
});

test('a metric the fleet does not have is no batch', async () => {
  assert.equal((await readDemo('no_such_metric', YESTERDAY)).size, 0);
  assert.equal((await readDemo('constructor', YESTERDAY)).size, 0);
  for (const metric of ABSENT) assert.equal((await readDemo(metric, YESTERDAY)).size, 0, metric);
});

test('batches are about 1 MiB, and other work has its turn between them', async () => {
  const controller = new AbortController();
  let turns = 0;
  const count = (): void => {
    turns++;
    if (!controller.signal.aborted) setImmediate(count);
  };
  setImmediate(count);
  const sizes: number[] = [];
  const selection = { metric: 'kube_pod_container_resource_requests', matchers: [] };
  const range = { startMs: YESTERDAY[0] - 3 * DAY_MS, endMs: YESTERDAY[1] };
  for await (const batch of demo().read(selection, range, controller.signal)) {
    sizes.push(batch.bytes.length);
    assert.ok(turns >= sizes.length - 1, `${turns} turns in ${sizes.length} batches`);
  }
  controller.abort();
  assert.ok(sizes.length > 10, `${sizes.length} batches`);
  for (const size of sizes.slice(0, -1))
    assert.ok(size > 900_000 && size <= 1024 * 1024, `${size}`);
});

test('reads side by side have turns one after the other, and other work comes in between', async () => {
  const done = new AbortController();
  let turns = 0;
  const count = (): void => {
    turns++;
    if (!done.signal.aborted) setImmediate(count);
  };
  setImmediate(count);
  const store = demo();
  const range = { startMs: YESTERDAY[0] - 2 * DAY_MS, endMs: YESTERDAY[1] };
  const turnsOfBatches: number[] = [];
  const readAll = async (metric: string): Promise<void> => {
    const batches = store.read({ metric, matchers: [] }, range, done.signal);
    for await (const batch of batches) if (batch.bytes.length > 0) turnsOfBatches.push(turns);
  };
  const metrics = ['kube_pod_info', 'kube_pod_labels', 'kube_pod_container_resource_requests'];
  await Promise.all(metrics.map(readAll));
  done.abort();
  assert.ok(turnsOfBatches.length > 10, `${turnsOfBatches.length} batches`);
  assert.equal(new Set(turnsOfBatches).size, turnsOfBatches.length);
});

test('a read that matches nothing lets others have their turn as well', async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  const month: [number, number] = [YESTERDAY[0] - 30 * DAY_MS, YESTERDAY[1]];
  const read = await readDemo('kube_pod_info', month, [equals('pod', 'nobody')]);
  clearInterval(counting);
  assert.equal(read.size, 0);
  assert.ok(turns > 3, `${turns}`);
});

test('an abort ends a read with its own reason', async () => {
  const controller = new AbortController();
  const selection = { metric: 'container_cpu_usage_seconds_total', matchers: [] };
  const range = { startMs: YESTERDAY[0] - 30 * DAY_MS, endMs: YESTERDAY[1] };
  const reading = (async () => {
    for await (const batch of createDemo({ seed: 1, nowMs: () => NOW_MS }).read(
      selection,
      range,
      controller.signal,
    )) {
      assert.ok(batch.bytes.length > 0, 'an empty batch');
      controller.abort(new Error('enough'));
    }
  })();
  await assert.rejects(reading, /enough/);
  await assert.rejects(readAborted(), /before/);
});

async function readAborted(): Promise<void> {
  const signal = AbortSignal.abort(new Error('before'));
  const selection = { metric: 'kube_pod_info', matchers: [] };
  for await (const batch of demo().read(selection, { startMs: 0, endMs: NOW_MS }, signal))
    assert.fail(`${batch.bytes.length} bytes came`);
}
