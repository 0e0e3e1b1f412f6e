/** Who is behind a name, owned by whom, billed from when to when. Times are minutes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FACT_NAMES, Inventory } from '../../src/allocation/inventory.ts';
import { readFact } from '../../src/allocation/readers.ts';
import { decideWorkloads, type Workload } from '../../src/allocation/workloads.ts';
import type { SeriesRecord } from '../../src/columnar/index.ts';
import type { FactName } from '../../src/metrics/index.ts';
import { PRICES } from '../../src/settings.ts';
import type { PriceBook } from '../../src/pricing/index.ts';

const MINUTE_MS = 60_000;
const GAP_MS = 10 * MINUTE_MS;

interface Series {
  readonly fact: FactName;
  readonly labels?: Readonly<Record<string, string>>;
  /** First and last sample. */
  readonly seen?: readonly [number, number];
  /** Pairs (from, value). */
  readonly values?: readonly (readonly [number, number])[];
}

function recordOf({ labels = {}, seen = [0, 100], values = [] }: Series): SeriesRecord {
  const named = { namespace: 'team', pod: 'web', ...labels };
  return {
    label: (name) => new Map(Object.entries(named)).get(name) ?? '',
    labels: () => Object.entries(named),
    firstMs: seen[0] * MINUTE_MS,
    lastMs: seen[1] * MINUTE_MS,
    staleMs: NaN,
    intervalMs: MINUTE_MS,
    runs: values.length,
    pairs: Float64Array.from(values.flatMap(([at, value]) => [at * MINUTE_MS, value])),
  };
}

/** At a time in minutes, as state metrics have it: seconds. */
function seconds(from: number, minutes: number): readonly (readonly [number, number])[] {
  return [[from, minutes * 60]];
}

const BOOK: PriceBook = Object.fromEntries(
  Object.entries(PRICES).map(([name, row]) => [name, row.fallback({ cores: 1, memoryBytes: 1 })]),
) as unknown as PriceBook;

function decide(series: readonly Series[]): readonly Workload[] {
  const inventory = new Inventory({ clusterLabels: ['cluster'], clusterId: 'c', gapMs: GAP_MS });
  for (const fact of FACT_NAMES)
    for (const one of series) if (one.fact === fact) readFact(inventory, fact, recordOf(one));
  return decideWorkloads(inventory, {
    book: BOOK,
    readStartMs: 0,
    readEndMs: 1000 * MINUTE_MS,
    windowStartMs: 0,
    windowEndMs: 1000 * MINUTE_MS,
    gapMs: GAP_MS,
    onGrid: false,
  }).list;
}

function requests(labels: Readonly<Record<string, string>>, seen?: Series['seen']): Series {
  const container = { container: 'app', resource: 'cpu', ...labels };
  const values = [[seen?.[0] ?? 0, 0.5]] as const;
  return { fact: 'requests', labels: container, values, ...(seen ? { seen } : {}) };
}

/** `uid? controller lives`, a line each. */
function shown(workloads: readonly Workload[]): string[] {
  return workloads.map(({ container, stretches }) => {
    const lives = stretches.map((s) => `${s.startMs / MINUTE_MS}-${s.endMs / MINUTE_MS}`);
    return `${container} ${lives.join(' ')}`;
  });
}

interface Owned {
  readonly what: string;
  readonly series: readonly Series[];
  readonly kind: string;
  readonly name: string;
}

function owner(fact: FactName, kind: string, name: string, labels: object = {}): Series {
  return { fact, labels: { owner_kind: kind, owner_name: name, ...labels } };
}

const OWNED: readonly Owned[] = [
  { what: 'nothing', series: [], kind: '', name: '' },
  {
    what: 'a stateful set',
    series: [owner('podOwner', 'StatefulSet', 'db')],
    kind: 'statefulset',
    name: 'db',
  },
  {
    what: "a replica set: its deployment's",
    series: [
      owner('podOwner', 'ReplicaSet', 'web-7d9'),
      owner('replicaSetOwner', 'Deployment', 'web', { replicaset: 'web-7d9' }),
    ],
    kind: 'deployment',
    name: 'web',
  },
  {
    what: 'a replica set that nobody owns',
    series: [
      owner('podOwner', 'ReplicaSet', 'web-7d9'),
      owner('replicaSetOwner', '<none>', '<none>', { replicaset: 'web-7d9' }),
    ],
    kind: 'replicaset',
    name: 'web-7d9',
  },
  {
    what: "a replica set of the same name elsewhere: not that one's",
    series: [
      owner('podOwner', 'ReplicaSet', 'web-7d9'),
      owner('replicaSetOwner', 'Deployment', 'x', { replicaset: 'web-7d9', namespace: 'other' }),
    ],
    kind: 'replicaset',
    name: 'web-7d9',
  },
  {
    what: "a job: its cron job's, by the job's owner",
    series: [
      owner('podOwner', 'Job', 'nightly-x'),
      owner('jobOwner', 'CronJob', 'nightly', { job_name: 'nightly-x' }),
    ],
    kind: 'job',
    name: 'nightly',
  },
  {
    what: "a job whose own owner a scrape label hides: its cron job's",
    series: [
      owner('podOwner', 'Job', 'nightly-x'),
      owner('jobOwner', 'CronJob', 'nightly', {
        job_name: 'kube-state-metrics',
        exported_job_name: 'nightly-x',
      }),
    ],
    kind: 'job',
    name: 'nightly',
  },
  {
    what: "a job named as cron jobs name theirs: the cron job's",
    series: [owner('podOwner', 'Job', 'nightly-28473120')],
    kind: 'job',
    name: 'nightly',
  },
  {
    what: 'a job of its own',
    series: [owner('podOwner', 'Job', 'import-42')],
    kind: 'job',
    name: 'import-42',
  },
  { what: 'a node (a static pod)', series: [owner('podOwner', 'Node', 'n1')], kind: '', name: '' },
  {
    what: 'its creator, where no owner is told',
    series: [
      { fact: 'podInfo', labels: { created_by_kind: 'DaemonSet', created_by_name: 'agent' } },
    ],
    kind: 'daemonset',
    name: 'agent',
  },
  {
    what: 'a controller before a mere owner',
    series: [
      owner('podOwner', 'Workflow', 'mere', { owner_is_controller: 'false' }),
      owner('podOwner', 'StatefulSet', 'db', { owner_is_controller: 'true' }),
      owner('podOwner', 'Other', 'mere', { owner_is_controller: 'false' }),
    ],
    kind: 'statefulset',
    name: 'db',
  },
];

describe('a pod owned by', () => {
  for (const { what, series, kind, name } of OWNED)
    test(what, () => {
      const [workload] = decide([requests({}), ...series]);
      assert.equal(workload?.pod.controllerKind, kind);
      assert.equal(workload?.pod.controller, name);
    });
});

const A = { uid: 'a' };
const B = { uid: 'b' };

const BEHIND: readonly (readonly [what: string, series: readonly Series[], lives: string[]])[] = [
  ['one pod', [requests(A)], ['app 0-101']],
  [
    'two pods with uids, one after the other',
    [requests(A, [0, 40]), requests(B, [42, 100])],
    ['app 0-41', 'app 42-101'],
  ],
  [
    'two pods without uids, told apart by their starts',
    [
      requests({}, [0, 100]),
      { fact: 'podStart', values: [...seconds(0, -5), ...seconds(60, 59.5)] },
    ],
    ['app -5-59.5', 'app 59.5-101'],
  ],
  [
    'two pods without uids, the first completed',
    [
      requests({}, [0, 100]),
      { fact: 'podStart', values: [...seconds(0, -5), ...seconds(60, 58)] },
      { fact: 'podCompletion', seen: [40, 60], values: seconds(40, 39) },
    ],
    ['app -5-39', 'app 58-101'],
  ],
  [
    'one pod whose requests came without its uid',
    [requests({}, [0, 100]), { fact: 'podInfo', labels: A, seen: [0, 100] }],
    ['app 0-101'],
  ],
  [
    'one pod that only facts without its uid show for long',
    [requests({}, [0, 100]), { fact: 'podInfo', labels: A, seen: [50, 60] }],
    ['app 0-101'],
  ],
  [
    'two pods whose requests came without uids',
    [
      requests({}, [0, 100]),
      { fact: 'podInfo', labels: A, seen: [0, 40] },
      { fact: 'podInfo', labels: B, seen: [60, 100] },
    ],
    ['app 0-41', 'app 60-101'],
  ],
  [
    'a pod never scheduled, beside one that was',
    [requests({ pod: 'pending' }), requests({ node: 'n1' })],
    ['app 0-101'],
  ],
  ['a pod without a node, in a store that tells none', [requests({})], ['app 0-101']],
  [
    'a pod whose second container started later',
    [
      requests(A),
      requests({ ...A, container: 'late' }),
      { fact: 'podStart', labels: A, values: seconds(0, -1) },
      { fact: 'containerStart', labels: { ...A, container: 'late' }, values: seconds(30, 29.5) },
    ],
    ['app -1-101', 'late 29.5-101'],
  ],
  [
    'a pod whose container restarted',
    [
      requests(A),
      {
        fact: 'containerStart',
        labels: { ...A, container: 'app' },
        values: [...seconds(0, 0), ...seconds(50, 49)],
      },
    ],
    ['app 0-101'],
  ],
  [
    'a pod seen by two exporters, apart in time',
    [requests(A, [0, 60]), requests(A, [30, 100])],
    ['app 0-101'],
  ],
];

describe('behind a name is', () => {
  for (const [what, series, lives] of BEHIND)
    test(what, () => assert.deepEqual(shown(decide(series)), lives));
});

test('requests of pods that share facts without a uid are each of its own', () => {
  const [first, second] = decide([
    requests({}, [0, 100]),
    { fact: 'podInfo', labels: A, seen: [0, 40] },
    { fact: 'podInfo', labels: B, seen: [60, 100] },
  ]);
  assert.deepEqual(first?.requests.cpu, [0, 0.5]);
  assert.deepEqual(second?.requests.cpu, [0, 0.5]);
});

test('clusters, namespaces and names are told apart, and workloads come in their order', () => {
  const series = ['z', 'a'].flatMap((cluster) =>
    ['y', 'b'].flatMap((namespace) =>
      ['x', 'c'].map((pod) => requests({ cluster, namespace, pod })),
    ),
  );
  const names = decide(series).map(({ pod }) => [pod.cluster, pod.namespace, pod.name].join('/'));
  assert.deepEqual(names, names.toSorted());
  assert.equal(new Set(names).size, 8);
});

const PRICED: readonly (readonly [what: string, series: readonly Series[], cpu: number[]])[] = [
  ['no price series: the book', [], [0, 0.031611]],
  ['a spot node: the book for spot', [spot(1)], [0, 0.006655]],
  ['a node that is not spot: the book', [spot(0)], [0, 0.031611]],
  ['a price that changes', [price([0, 0.02], [50, 0.03])], [0, 0.02, 50 * MINUTE_MS, 0.03]],
  ['a price of 0, which is unknown: the book', [price([0, 0])], [0, 0.031611]],
  ['a negative price: the book', [price([0, -1])], [0, 0.031611]],
  ["another node's price: the book", [price([0, 0.02], [1, 0.02], 'n2')], [0, 0.031611]],
];

function spot(value: number): Series {
  return { fact: 'nodeIsSpot', labels: { node: 'n1' }, values: [[0, value]] };
}

function price(...given: readonly (readonly [number, number] | string)[]): Series {
  const values = given.filter((one) => typeof one !== 'string');
  const node = given.find((one) => typeof one === 'string') ?? 'n1';
  return { fact: 'nodeCpuPrice', labels: { node }, values };
}

describe('the price of CPU on a node with', () => {
  for (const [what, series, cpu] of PRICED)
    test(what, () => {
      const [workload] = decide([requests({ node: 'n1' }), ...series]);
      assert.deepEqual(workload?.pod.prices.cpu, cpu);
    });
});
