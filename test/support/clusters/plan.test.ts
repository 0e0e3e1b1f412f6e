/** Plans of simulated clusters: curves, closed forms, and what kubelets show of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Seeded } from '../../../scripts/seeded.ts';
import { expectedRows } from './closed-form.ts';
import { cadvisorText, resourceText } from './kubelet-text.ts';
import { timeText } from './plain-object.ts';
import {
  isRunningAt,
  lifeEndMs,
  requestAt,
  type ClusterPlan,
  type PlannedContainer,
} from './plan.ts';
import { changeTimesMs, podObject } from './pod-object.ts';
import { planOf } from './random-plan.ts';
import { burst, integral, steady, wave, type UsageCurve } from './usage-curves.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 4, 1, 10);
const level = fc.integer({ min: 0, max: 40 }).map((tenths) => tenths / 10);
const curve: fc.Arbitrary<UsageCurve> = fc.oneof(
  level.map(steady),
  fc.tuple(level, level).map(([low, more]) => burst(low, low + more, 10 * MINUTE_MS, 0.25)),
  fc.tuple(level, level).map(([least, swing]) => wave(least + swing + 0.1, swing + 0.1, 7 * MINUTE_MS)),
); // prettier-ignore

function planFrom(seed: number, hours: number = 3): ClusterPlan {
  const size = { nodes: 4, pods: 20, restless: 0.6 };
  return planOf(new Seeded(seed), {
    ...size,
    startMs: START_MS,
    endMs: START_MS + hours * HOUR_MS,
  });
}

test('the integral of a curve above a floor is the sum of small steps', () => {
  const minutes = fc.integer({ min: 0, max: 40 });
  fc.assert(
    fc.property(curve, level, minutes, minutes, (of, floor, from, length) => {
      const [fromMs, untilMs] = [START_MS + from * 31_000, START_MS + (from + length) * 31_000];
      const stepMs = 100;
      let sum = 0;
      for (let atMs = fromMs; atMs < untilMs; atMs += stepMs)
        sum += Math.max(0, of.at(atMs + stepMs / 2) - floor) * stepMs;
      const got = integral(of, fromMs, untilMs, floor);
      // A step within which the curve crosses the floor is off by its own share.
      const most = 1 + of.most * (untilMs - fromMs);
      assert.ok(Math.abs(got - sum) <= 1e-5 * most, `${got} for ${sum}`);
    }),
    { numRuns: 60 },
  );
});

test('closed forms of lives are what counting seconds gives', () => {
  const { pods } = planFrom(5);
  const window = { fromMs: START_MS + 20 * MINUTE_MS, untilMs: START_MS + 95 * MINUTE_MS };
  const rows = expectedRows({ pods }, { ...window, gapMs: () => 30_000 });
  const counted = new Map<string, { minutes: number; cpu: number; ram: number; used: number }>();
  for (const pod of pods)
    for (const container of pod.containers) {
      const key = [pod.node.name, pod.namespace, pod.name, container.name].join('/');
      const row = counted.get(key) ?? { minutes: 0, cpu: 0, ram: 0, used: 0 };
      for (let atMs = window.fromMs; atMs < window.untilMs; atMs += 1000) {
        if (atMs < pod.startMs || atMs >= lifeEndMs(pod)) continue;
        const { cores, ramBytes } = requestAt(container, atMs);
        const used = isRunningAt(pod, atMs) ? container.cpu.at(atMs + 500) : 0;
        row.minutes += 1 / 60;
        row.cpu += Math.max(cores, used) / 3600;
        row.ram += ramBytes / 3600;
        row.used += used / 3600;
      }
      if (row.minutes > 0) counted.set(key, row);
    }
  assert.deepEqual([...rows.keys()].toSorted(), [...counted.keys()].toSorted());
  for (const [key, lives] of rows) {
    const total = (of: (row: (typeof lives)[number]) => number): number =>
      lives.reduce((sum, row) => sum + of(row), 0);
    const { minutes, cpu, ram, used } = counted.get(key) ?? assert.fail(key);
    const pairs: [got: number, wanted: number, relative: number][] = [
      [total((row) => row.minutes), minutes, 1e-9],
      [total((row) => row.ramRequestByteHours), ram, 1e-9],
      [total((row) => row.cpuHours.value), cpu, 1e-3],
      [total((row) => row.cpuUsageHours.value), used, 1e-3],
    ];
    for (const [got, wanted, relative] of pairs) near(got, wanted, relative);
  }
});

test('a plan has lives of all ends, resizes, restarts, and pods that follow each other by one name', () => {
  const { pods, nodes } = planFrom(7, 6);
  const endings = new Set(pods.map(({ ending }) => ending));
  assert.deepEqual([...endings].toSorted(), ['completes', 'deleted', 'fails', 'forced', 'stays']);
  const containers = pods.flatMap((pod) => pod.containers);
  assert.ok(containers.some(({ requests }) => requests.length > 1));
  assert.ok(containers.some(({ restartsMs }) => restartsMs.length > 0));
  assert.ok(pods.some((pod) => lifeEndMs(pod) - pod.startMs < 30_000));
  assert.ok(new Set(pods.map(({ name }) => name)).size < pods.length);
  assert.ok(pods.every(({ node, startMs }) => node.startMs <= startMs && node.endMs > startMs));
  assert.ok(nodes.length > 1);
});

test('counters of kubelets rise by what is used between their own times', () => {
  const { pods, nodes } = planFrom(11);
  const views = nodes.map((node) => ({ node, pods: pods.filter((pod) => pod.node === node) }));
  const [fromMs, untilMs] = [START_MS + 40 * MINUTE_MS, START_MS + 70 * MINUTE_MS];
  let compared = 0;
  for (const view of views) {
    const before = cpuSamples(cadvisorText(view, fromMs));
    for (const [id, [seconds, atMs]] of cpuSamples(cadvisorText(view, untilMs))) {
      const [earlier, earlierMs] = before.get(id) ?? [NaN, NaN];
      const [, uid = '', name = ''] = id.split(' ');
      const pod = view.pods.find((one) => one.uid === uid);
      const container = pod?.containers.find((one) => one.name === name);
      if (container === undefined || Number.isNaN(earlier)) continue;
      near((seconds - earlier) * 1000, integral(container.cpu, earlierMs, atMs), 1e-6);
      assert.ok(untilMs - atMs <= 10_000, 'a sample is no older than a housekeeping');
      compared++;
    }
    const shorter = resourceText(view, untilMs);
    assert.match(shorter, /resource_scrape_error 0/);
  }
  assert.ok(compared > 5);
});

/** By id of the cgroup, uid and container. */
function cpuSamples(text: string): Map<string, readonly [seconds: number, timeMs: number]> {
  const line = /^container_cpu_usage_seconds_total\{container="([^"]+)",cpu="total",id="[^"]*pod([^./]+)\.slice\/([^"]+)".*\} (\S+) (\d+)$/gm; // prettier-ignore
  return new Map(
    [...text.matchAll(line)].map(([, name = '', uid = '', id = '', seconds, timeMs]) => [
      `${id} ${uid.replaceAll('_', '-')} ${name}`,
      [Number(seconds), Number(timeMs)],
    ]),
  );
}

function near(got: number, wanted: number, relative: number): void {
  const isNear = Math.abs(got - wanted) <= relative * Math.max(1, Math.abs(wanted));
  assert.ok(isNear, `${got} for ${wanted}`);
}

test('the API shows a pod as pending, running, resized and ended, each at its time', () => {
  const pods = planFrom(7, 6).pods;
  const completed = pods.filter(({ ending }) => ending === 'completes');
  const isResized = ({ requests }: PlannedContainer): boolean => requests.length > 1;
  const done = completed.find(({ containers }) => containers.some(isResized)) ?? assert.fail();
  const stages = changeTimesMs(done).map((atMs) => {
    const { spec, status, metadata } = podObject(done, atMs) as unknown as Shown;
    const [first] = status.containerStatuses ?? [];
    return `${status.phase} ${spec.nodeName ?? '-'} ${status.startTime ?? '-'} ${first?.state.terminated?.finishedAt ?? '-'} ${metadata.creationTimestamp}`;
  });
  const [created, start, end] = [done.createdMs, done.startMs, done.endMs].map(timeText);
  const node = done.node.name;
  assert.equal(stages[0], `Pending - - - ${created}`);
  assert.equal(stages.at(-1), `Succeeded ${node} ${start} ${end} ${created}`);
  assert.ok(stages.filter((stage) => stage === `Running ${node} ${start} - ${created}`).length > 1);
});

interface Shown {
  readonly metadata: { readonly creationTimestamp: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly startTime?: string;
    readonly containerStatuses?: readonly {
      readonly state: { readonly terminated?: { readonly finishedAt: string } };
    }[];
  };
}
