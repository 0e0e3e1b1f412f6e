/**
 * Lives and requests of a cluster that follows a random plan, by the samples of its objects alone, beside
 * the plan's closed form: pods that complete, fail, are deleted, by force too, restart and are resized.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seeded } from '../../../scripts/seeded.ts';
import { KINDS, type Kind } from '../../../src/cluster/index.ts';
import { FOLLOWED } from '../../../src/agent/objects/kinds.ts';
import { expectedRows } from '../../support/clusters/closed-form.ts';
import { followedSeries, type ObjectChange } from '../../support/clusters/followed-series.ts';
import { asStored, timeText } from '../../support/clusters/plain-object.ts';
import type { ClusterPlan, PlannedPod } from '../../support/clusters/plan.ts';
import { changeTimesMs, podObject } from '../../support/clusters/pod-object.ts';
import { planOf } from '../../support/clusters/random-plan.ts';
import { nodeObject, standingObjects } from '../../support/clusters/standing-objects.ts';
import { startBundleServer } from '../../support/servers/bundle-server.ts';
import { startScriptedStore } from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';

const START_MS = Date.UTC(2026, 0, 5, 8);
const HOUR_MS = 3_600_000;
const SPAN = { startMs: START_MS, endMs: START_MS + 2 * HOUR_MS };
const WINDOW = { fromMs: START_MS + HOUR_MS / 3, untilMs: SPAN.endMs - HOUR_MS / 4 };
const SEED = 2;
const SECOND_MS = 1000;

/** One that is removed by force, and its successor on another node, which starts in that millisecond. */
function succession({ nodes: [first, second], pods }: ClusterPlan): PlannedPod[] {
  const like = pods.find(({ ending }) => ending === 'stays');
  assert.ok(first && second && like);
  const beganMs = START_MS + HOUR_MS / 2;
  const replacedMs = beganMs + 32 * SECOND_MS;
  const life = (number: number, startMs: number, endMs: number): Omit<PlannedPod, 'node'> => ({
    namespace: 'team-0',
    name: 'replaced-0',
    uid: `00000000-0000-4000-9000-00000000000${number}`,
    owner: { kind: 'StatefulSet', name: 'replaced' },
    createdMs: startMs,
    startMs,
    endMs,
    removedMs: endMs,
    ending: endMs === Infinity ? 'stays' : 'forced',
    containers: like.containers.map((one) => ({
      ...one,
      requests: one.requests.slice(0, 1),
      restartsMs: [],
    })),
  });
  return [
    { ...life(1, beganMs, replacedMs), node: first },
    { ...life(2, replacedMs, Infinity), node: second },
  ];
}

function changesOf(plan: ClusterPlan): ObjectChange[] {
  const isFollowed = (kind: string): boolean => FOLLOWED.some((one) => one.kind === kind);
  const place = { address: '10.0.0.1', port: 10_250 };
  const standing = standingObjects(plan).flatMap(({ kind, object }): ObjectChange[] => {
    const known = KINDS.find((one) => one === kind);
    if (known === undefined || !isFollowed(kind)) return [];
    return [{ atMs: 0, apply: (store) => void store.put(known, asStored(object)) }];
  });
  const remove = (
    atMs: number,
    kind: Kind,
    of: { name: string; namespace?: string },
  ): ObjectChange => ({
    atMs,
    apply: (store) => store.remove(kind, { namespace: '', ...of }),
  });
  const nodes = plan.nodes.flatMap((node): ObjectChange[] => [
    remove(node.endMs, 'Node', { name: node.name }),
    {
      atMs: node.startMs,
      apply: (store) => void store.put('Node', asStored(nodeObject(node, place))),
    },
  ]);
  const pods = plan.pods.flatMap((pod): ObjectChange[] => [
    remove(pod.removedMs, 'Pod', { name: pod.name, namespace: pod.namespace }),
    ...changeTimesMs(pod).map((atMs): ObjectChange => ({
      atMs,
      apply: (store) => void store.put('Pod', asStored(podObject(pod, atMs))),
    })),
  ]);
  // What goes makes room for what comes.
  return [...nodes, ...pods, ...standing];
}

interface Row {
  readonly cpuCoreHours: number;
  readonly ramByteHours: number;
}

test('lives and requests of a random plan are those of its closed form to 1e-9', async () => {
  const random = planOf(new Seeded(SEED), { ...SPAN, nodes: 4, pods: 24, restless: 0.7 });
  const plan = { ...random, pods: [...random.pods, ...succession(random)] };
  const series = await followedSeries(changesOf(plan), SPAN);
  const store = await startScriptedStore(remoteReads(() => series));
  const flags = [`--metrics-url=${store.url}`, `--now=${timeText(SPAN.endMs + HOUR_MS)}`];
  const server = await startBundleServer([...flags, '--workers=1', '--cluster-id=c']);
  const window = `${timeText(WINDOW.fromMs)},${timeText(WINDOW.untilMs)}`;
  const answer = await server.compute(`window=${window}&resolution=exact`);
  await server.stop();
  await store.stop();
  assert.equal(answer.status, 200, answer.text);
  const { data: [set = {}] } = JSON.parse(answer.text) as { data: Record<string, Row>[] }; // prettier-ignore
  const expected = expectedRows(plan, { ...WINDOW, gapMs: () => 60_000 });
  const told = Object.keys(set).filter((key) => !key.includes('__unmounted__'));
  assert.deepEqual(told.toSorted(), [...expected.keys()].map((key) => `c/${key}`).toSorted());
  for (const [key, lives] of expected) {
    const row = set[`c/${key}`];
    const sum = (of: 'cpuRequestHours' | 'ramRequestByteHours'): number =>
      lives.reduce((hours, life) => hours + life[of], 0);
    near(row?.cpuCoreHours, sum('cpuRequestHours'), key);
    near(row?.ramByteHours, sum('ramRequestByteHours'), key);
  }
  assert.ok(expected.size > 40, `${expected.size} containers`);
  const endings = new Set(plan.pods.map(({ ending }) => ending));
  assert.equal(endings.size, 5, [...endings].join());
});

function near(actual: number = NaN, expected: number, key: string): void {
  const off = Math.abs(actual - expected);
  assert.ok(off <= 1e-9 * expected, `${key}: ${actual}, not ${expected}`);
}
