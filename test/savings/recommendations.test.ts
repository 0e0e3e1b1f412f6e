/** Abandoned pods, disks and quotas, from facts whose savings are plain to see. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { abandonedPods, monthlyCost } from '../../src/savings/abandoned.ts';
import {
  nodeDisksWithUse,
  smallerDisks,
  volumesWithUse,
  type Gauge,
} from '../../src/savings/disk-use.ts';
import { disksOf, unclaimedVolumes, type Disk } from '../../src/savings/disks.ts';
import { lastMoments, livingPods, podsOf, workloadOf } from '../../src/savings/pods.ts';
import { sizedQuotas } from '../../src/savings/quotas.ts';
import { tableOf } from '../support/stores/stored-sets.ts';

const GIB = 2 ** 30;
const HOUR = 3_600_000;

interface Row {
  readonly pod: string;
  readonly container?: string;
  readonly controller?: string;
  readonly endMs: number;
  readonly cpuCost?: number;
  readonly bytes?: number;
}

/** A day of rows of one cluster that begin at its start. */
function day(...rows: readonly Row[]) {
  const text = (value: (row: Row) => string): string[] => rows.map(value);
  const number = (value: (row: Row) => number): number[] => rows.map(value);
  return tableOf({
    cluster: text(() => 'c'),
    namespace: text(() => 'n'),
    pod: text(({ pod }) => pod),
    container: text(({ container = 'k' }) => container),
    controller: text(({ controller = '' }) => controller),
    controllerKind: text(({ controller }) => (controller === undefined ? '' : 'deployment')),
    startMs: number(() => 0),
    endMs: number(({ endMs }) => endMs),
    cpuCost: number(({ cpuCost = 0 }) => cpuCost),
    networkReceiveBytes: number(({ bytes = 0 }) => bytes),
  });
}

const all = () => undefined;

describe('a pod', () => {
  const newest = day(
    { pod: 'idle', endMs: 10 * HOUR, cpuCost: 5, bytes: 100 },
    { pod: 'idle', container: 'side', endMs: 10 * HOUR, cpuCost: 5, bytes: 0 },
    { pod: 'busy', endMs: 10 * HOUR, cpuCost: 1, bytes: 1e9, controller: 'web' },
    { pod: 'silent', endMs: 10 * HOUR, cpuCost: 1 },
    { pod: 'gone', endMs: 2 * HOUR, cpuCost: 1, bytes: 1 },
    { pod: '', container: '__idle__', endMs: 10 * HOUR, cpuCost: 9 },
  );
  const older = day({ pod: 'idle', endMs: 10 * HOUR, cpuCost: 10, bytes: 100 });
  const tables = [newest, older];
  const pods = livingPods(podsOf(tables, all), lastMoments(tables));

  test('is there at the last moment of its cluster, and its containers and days are one', () => {
    assert.deepEqual(
      pods.map(({ name }) => name),
      ['idle', 'busy', 'silent'],
    );
    const [idle] = pods;
    assert.ok(idle);
    assert.deepEqual([idle.hours, idle.sums.cpuCost], [20, 20]);
    assert.equal(monthlyCost(idle), 730);
  });

  test('is abandoned where little talks with it, unless nothing is known of its traffic', () => {
    const { pods: abandoned, withoutTraffic } = abandonedPods(pods, { threshold: 500 });
    assert.deepEqual(
      abandoned.map(({ pod, usdPerMonth }) => [pod.name, usdPerMonth]),
      [['idle', 730]],
    );
    assert.equal(withoutTraffic, 1);
    const rate = 200 / (20 * 3600);
    assert.equal(abandonedPods(pods, { threshold: rate }).pods.length, 1);
    assert.equal(abandonedPods(pods, { threshold: rate * 0.99 }).pods.length, 0);
  });

  test('is of its controller; pods of a namespace without one are one workload', () => {
    const [idle, busy, silent] = pods.map(workloadOf);
    assert.equal(idle, silent);
    assert.notEqual(idle, busy);
  });
});

const disk = (more: Partial<Disk>): Disk => ({
  cluster: 'c',
  name: 'pv',
  volume: 'pv',
  node: '',
  claim: 'data',
  claimNamespace: 'db',
  storageClass: 'gp3',
  providerID: '',
  bytes: 100 * GIB,
  usdPerMonth: 10,
  ...more,
});
const gauge = (labels: Record<string, string>, max: number, last = max): Gauge => ({
  cluster: 'c',
  labels,
  max,
  last,
});

describe('a volume', () => {
  test('is unclaimed where no claim held it in any of the days', () => {
    const days = ['', 'data'].map((claim) =>
      tableOf({
        type: ['Disk', 'Disk'],
        cluster: ['c', 'c'],
        name: ['a', 'b'],
        volume: ['a', 'b'],
        claim: [claim, ''],
        startMs: [0, 0],
        endMs: [HOUR, HOUR],
        byteHours: [GIB, 2 * GIB],
        cost: [1, 2],
      }),
    );
    const disks = disksOf(days, null);
    assert.deepEqual(
      disks.map(({ name, claim, bytes, usdPerMonth }) => [name, claim, bytes, usdPerMonth]),
      [
        ['a', 'data', GIB, 730],
        ['b', '', 2 * GIB, 1460],
      ],
    );
    assert.deepEqual(
      unclaimedVolumes(disks).map(({ name }) => name),
      ['b'],
    );
  });

  test('is sized by what was on it at most, with room, in whole GiB', () => {
    const { used, unknown } = volumesWithUse(
      [disk({}), disk({ name: 'other', claim: 'other' }), disk({ claim: '' })],
      [gauge({ namespace: 'db', persistentvolumeclaim: 'data' }, 10.2 * GIB)],
    );
    assert.deepEqual([used.length, unknown], [1, 1]);
    const [smaller] = smallerDisks(used, 0.5);
    assert.equal(smaller?.recommendedBytes, 16 * GIB);
    assert.ok(Math.abs((smaller?.usdPerMonth ?? NaN) - 8.4) < 1e-12);
    assert.deepEqual(smallerDisks(used, 20), []);
  });
});

test('the disk of a node is found by its name, by its host or by its address', () => {
  const local = disk({ volume: '', claim: '', name: 'n1', node: 'n1' });
  const address = [gauge({ node: 'n1', internal_ip: '10.0.0.1' }, 1)];
  for (const labels of [
    { node: 'n1' },
    { kubernetes_io_hostname: 'n1' },
    { instance: '10.0.0.1:10250' },
  ]) {
    const { used } = nodeDisksWithUse(
      [local],
      [gauge({ ...labels, device: '/dev/sda1' }, GIB)],
      address,
    );
    assert.deepEqual(used, [[local, GIB]], JSON.stringify(labels));
  }
  assert.equal(nodeDisksWithUse([local], [], address).unknown, 1);
});

test('a quota allows what was used at most, by the part that may be used', () => {
  const quota = (resource: string, type: string): Record<string, string> => ({
    namespace: 'n',
    resourcequota: 'q',
    resource,
    type,
  });
  const sized = sizedQuotas(
    [
      gauge(quota('requests.cpu', 'hard'), 9, 4),
      gauge(quota('requests.cpu', 'used'), 1, 0.5),
      gauge(quota('pods', 'hard'), 5),
      gauge(quota('pods', 'used'), 4),
      gauge(quota('requests.memory', 'hard'), 100),
      gauge(quota('secrets', 'used'), 3),
    ],
    0.8,
  );
  assert.deepEqual(sized, [
    {
      clusterId: 'c',
      namespace: 'n',
      resourceQuota: 'q',
      resource: 'requests.cpu',
      hard: 4,
      maxUsed: 1,
      utilization: 0.25,
      recommendedHard: 1.3,
    },
  ]);
});
