import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  openbAmounts,
  openbFleet,
  type OpenbPod,
  TRACE_START_MS,
} from '../../scripts/openb-fleet.ts';
import { isSeen } from '../../scripts/openb-series.ts';

const NODES = `sn,cpu_milli,memory_mib,gpu,model
plain,32000,262144,0,
card,96000,393216,8,T4
`;

const PODS = `name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
done,12000,16384,1,460,,LS,Succeeded,0,3600,60
gone,4000,2048,0,0,,BE,Running,100,200,100
waiting,4000,2048,0,0,,BE,Pending,100,200,
big,30000,2048,0,0,,BE,Failed,150,400,200
`;

const fleet = openbFleet(PODS, NODES);

function podOf(name: string): OpenbPod {
  const pod = fleet.find((candidate) => candidate.name === name);
  assert.ok(pod, name);
  return pod;
}

test('pods never scheduled are left out, the others come in order of start', () => {
  assert.deepEqual(
    fleet.map((pod) => pod.name),
    ['done', 'gone', 'big'],
  );
});

test('only pods that succeeded or failed have a recorded end', () => {
  const ends = fleet.map((pod) => [pod.name, (pod.endMs - TRACE_START_MS) / 1000, pod.endRecorded]);
  assert.deepEqual(ends, [
    ['done', 3600, true],
    ['gone', 200, false],
    ['big', 400, true],
  ]);
});

test('GPU pods stand on GPU nodes, and a pod takes the room another left at its start', () => {
  assert.deepEqual(
    fleet.map((pod) => pod.node.name),
    ['card', 'plain', 'plain'],
  );
});

test('a fleet that does not fit its nodes is refused', () => {
  const more = `${PODS}too,4000,2048,0,0,,BE,Running,150,400,300\n`;
  assert.throws(() => openbFleet(more, NODES), /no node has room/);
});

test('amounts are request × hours × price within the window', () => {
  const pod = podOf('done');
  const startMs = TRACE_START_MS;
  assert.deepEqual(openbAmounts(pod, startMs, startMs + 1_860_000), {
    cpuCoreHours: 6,
    ramByteHours: 2 ** 33,
    gpuHours: 0.5,
    cpuCost: 6 * 0.03301,
    ramCost: 8 * 0.00442,
    gpuCost: 0.5 * 0.35,
  });
});

test('amounts of windows that meet add up, and are nothing outside the life of the pod', () => {
  const pod = podOf('done');
  const at = (second: number): number => TRACE_START_MS + second * 1000;
  const hours = (from: number, to: number): number =>
    openbAmounts(pod, at(from), at(to)).cpuCoreHours;
  assert.equal(hours(3600, 9000), 0);
  assert.equal(hours(-9000, 60), 0);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5000 }), (cut) => {
      assert.ok(
        Math.abs(hours(0, cut) + hours(cut, 5000) - hours(0, 5000)) < 1e-9,
        `cut at ${cut}`,
      );
    }),
  );
});

test('a pod is seen when a scrape falls on its life, a completed one for 5 more minutes', () => {
  // Scrapes come at 7 s, 67 s, 127 s, …
  assert.equal(isSeen({ ...podOf('gone'), endMs: podOf('gone').startMs + 26_000 }, 60_000), false);
  assert.equal(isSeen({ ...podOf('gone'), endMs: podOf('gone').startMs + 28_000 }, 60_000), true);
  assert.equal(isSeen({ ...podOf('done'), endMs: podOf('done').startMs + 4_000 }, 60_000), true);
});

test('uids look like uuids and depend on the name alone', () => {
  const again = openbFleet(PODS, NODES);
  for (const [i, pod] of fleet.entries()) {
    assert.match(pod.uid, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(again[i]?.uid, pod.uid);
  }
});
