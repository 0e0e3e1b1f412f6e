/** How long pods hold their requests, by all that real exporters tell of them. Times are minutes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Workload } from '../../../src/allocation/ledger/workloads.ts';
import { decide, MINUTE_MS, requests, seconds, type Series } from '../../support/fleets/decided.ts';

/** Container and stretches, a line each. */
function shown(workloads: readonly Workload[]): string[] {
  return workloads.map(({ container, stretches }) => {
    const lives = stretches.map((s) => `${s.startMs / MINUTE_MS}-${s.endMs / MINUTE_MS}`);
    return `${container} ${lives.join(' ')}`;
  });
}

const A = { uid: 'a' };
const B = { uid: 'b' };

const LIVES: readonly (readonly [what: string, series: readonly Series[], lives: string[]])[] = [
  [
    'a pod of two containers, one of which finished early: both hold to its end',
    [
      requests(A),
      requests({ ...A, container: 'job' }),
      phase('Succeeded', A, [0, 0]),
      { fact: 'podCompletion', labels: A, values: seconds(20, 19) },
    ],
    ['app 0-101', 'job 0-101'],
  ],
  [
    'a pod that completed: to the latest end of its containers',
    [
      requests(A),
      phase('Succeeded', A, [0, 0], [80, 1]),
      { fact: 'podCompletion', labels: A, values: [...seconds(20, 19), ...seconds(80, 79.25)] },
    ],
    ['app 0-79.25'],
  ],
  [
    'an evicted pod without a completion: to the middle before the sample that shows it',
    [requests(A), phase('Failed', A, [0, 0], [80, 1])],
    ['app 0-79.5'],
  ],
  [
    'a pod that was rejected: nothing',
    [
      requests(A),
      { fact: 'podStart', labels: A, values: seconds(0, 0) },
      phase('Failed', A, [0, 1]),
    ],
    [],
  ],
  [
    'a pod that failed before it was first seen, of which a container ran: to its completion',
    [
      requests(A, [5, 100]),
      { fact: 'podStart', labels: A, values: seconds(5, 0) },
      phase('Failed', A, [5, 1]),
      { fact: 'containerInfo', labels: { ...A, container: 'app' }, seen: [5, 100] },
      { fact: 'podCompletion', labels: A, values: seconds(5, 4) },
    ],
    ['app 0-4'],
  ],
  [
    'a crash loop without phases, whose completion is told now and then: to its end',
    [requests(A), { fact: 'podCompletion', labels: A, seen: [20, 21], values: seconds(20, 19) }],
    ['app 0-101'],
  ],
  [
    'a pod without phases, of which a container runs after a completion: to its end',
    [
      requests(A),
      { fact: 'podCompletion', labels: A, seen: [20, 100], values: seconds(20, 19) },
      { fact: 'containerRunning', labels: { ...A, container: 'app' }, values: [[0, 1]] },
    ],
    ['app 0-101'],
  ],
  [
    'a completed pod without phases, whose containers run no more: to its completion',
    [
      requests(A),
      { fact: 'podCompletion', labels: A, seen: [20, 100], values: seconds(20, 19) },
      {
        fact: 'containerRunning',
        labels: { ...A, container: 'app' },
        values: [
          [0, 1],
          [20, 0],
        ],
      },
    ],
    ['app 0-19'],
  ],
  [
    'a pod whose node has a clock that is ahead: from the sample that first tells its start',
    [requests(A), { fact: 'podStart', labels: A, seen: [2, 100], values: seconds(2, 50) }],
    ['app 2-100.5'],
  ],
  [
    'a pod whose start lies beyond all that was read: from the sample that first tells it',
    [requests(A), { fact: 'podStart', labels: A, seen: [0, 100], values: seconds(0, 1e9) }],
    ['app 0-100.5'],
  ],
  [
    'a pod that completed before it started, by a clock that was set: to the phase that shows it',
    [
      requests(A, [10, 100]),
      { fact: 'podStart', labels: A, seen: [10, 100], values: seconds(10, 9) },
      phase('Succeeded', A, [10, 0], [80, 1]),
      { fact: 'podCompletion', labels: A, values: seconds(80, 5) },
    ],
    ['app 9-79.5'],
  ],
  [
    'a deleted pod: it was to be gone before the scrape that lacked it',
    [requests(A), { fact: 'podDeletion', labels: A, values: seconds(100, 100.25) }],
    ['app 0-100.25'],
  ],
  [
    'a pod that outlives its node in the store: to the end of its node',
    [requests({ ...A, node: 'n1' }), { fact: 'nodeInfo', labels: { node: 'n1' }, seen: [0, 60] }],
    ['app 0-61'],
  ],
  [
    'a pod whose node is still told of by another exporter: to its own end',
    [
      requests({ ...A, node: 'n1' }),
      { fact: 'nodeInfo', labels: { node: 'n1' }, seen: [0, 60] },
      { fact: 'nodeCpuPrice', labels: { node: 'n1' }, values: [[0, 1]] },
    ],
    ['app 0-101'],
  ],
  [
    'a pod that OpenCost shows with a claim after it is gone: to its end',
    [
      requests(A, [0, 60]),
      { fact: 'podClaims', labels: { ...A, persistentvolumeclaim: 'disk' }, seen: [0, 100] },
    ],
    ['app 0-61'],
  ],
  [
    'two pods with uids, the first seen until the next had started: they do not overlap',
    [
      requests(A, [0, 60]),
      requests(B, [60, 100]),
      { fact: 'podStart', labels: B, seen: [60, 100], values: seconds(60, 59.75) },
    ],
    ['app 0-59.75', 'app 59.75-100.5'],
  ],
  [
    'two pods with uids seen side by side, as of two clusters without a name: both',
    [requests(A, [0, 80]), requests(B, [20, 100])],
    ['app 0-81', 'app 20-101'],
  ],
];

function phase(
  name: string,
  labels: Readonly<Record<string, string>>,
  ...values: readonly (readonly [number, number])[]
): Series {
  return { fact: 'podPhase', labels: { ...labels, phase: name }, values };
}

function price(...given: readonly (readonly [number, number] | string)[]): Series {
  const values = given.filter((one) => typeof one !== 'string');
  const node = given.find((one) => typeof one === 'string') ?? 'n1';
  return { fact: 'nodeCpuPrice', labels: { node }, values };
}

describe('requests are held by', () => {
  for (const [what, series, lives] of LIVES)
    test(what, () => assert.deepEqual(shown(decide(series)), lives));
});

test('pods of one name without uids have each its own node, price, containers and requests', () => {
  const [first, second, third] = decide([
    requests({ node: 'n1' }, [0, 40]),
    requests({ node: 'n1', container: 'old' }, [0, 40]),
    { ...requests({ node: 'n2' }, [60, 100]), values: [[60, 2]] },
    { fact: 'podStart', seen: [0, 40], values: seconds(0, -5) },
    { fact: 'podStart', seen: [60, 100], values: seconds(60, 59.5) },
    price([0, 0.02], [1, 0.02], 'n1'),
    price([0, 0.09], [1, 0.09], 'n2'),
  ]);
  const facts = [first, second, third].map((one) => [
    one?.container, one?.pod.node, one?.requests.cpu[1], one?.pod.prices.cpu[1],
  ]); // prettier-ignore
  assert.deepEqual(facts, [
    ['app', 'n1', 0.5, 0.02],
    ['app', 'n2', 2, 0.09],
    ['old', 'n1', 0.5, 0.02],
  ]);
});

const SHOWN_BESIDE: readonly (readonly [what: string, machine: Readonly<Record<string, string>>, nodeOfB: string, lives: string[]])[] = [
  ['on one machine: an exporter shows the first after it was deleted', { provider_id: 'aws:///us-east-1a/i-0a' }, 'n1', ['app 0-40', 'app 40-100.5']],
  ['on a machine without an id: they may be of two clusters', {}, 'n1', ['app 0-101', 'app 40-100.5']],
  ['on two machines: they may be of two clusters', { provider_id: 'aws:///us-east-1a/i-0a' }, 'n2', ['app 0-101', 'app 40-100.5']],
]; // prettier-ignore

describe('pods of one name at the same time', () => {
  for (const [what, machine, nodeOfB, lives] of SHOWN_BESIDE)
    test(what, () => {
      const decided = decide([
        { fact: 'nodeInfo', labels: { node: 'n1', ...machine } },
        { fact: 'nodeInfo', labels: { node: 'n2', provider_id: 'aws:///us-east-1a/i-0b' } },
        requests({ ...A, node: 'n1' }),
        requests({ ...B, node: nodeOfB }, [40, 100]),
        { fact: 'podStart', labels: B, seen: [40, 100], values: seconds(40, 40) },
      ]);
      assert.deepEqual(shown(decided), lives);
    });
});

test('pods of one name without uids and starts are told apart by their nodes', () => {
  const pods = decide([requests({ node: 'n1' }, [0, 40]), requests({ node: 'n2' }, [42, 100])]);
  assert.deepEqual(shown(pods), ['app 0-41', 'app 42-101']);
  assert.deepEqual(
    pods.map(({ pod }) => pod.node),
    ['n1', 'n2'],
  );
});
