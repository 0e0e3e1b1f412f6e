/** Predicted costs of manifests over a real socket: Kubecost's sample, and variations of it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { predictionRoutes, type Prediction } from '../../src/prediction/index.ts';
import { allocationColumns, startSetsServer, type SetsServer, type SizedPod } from '../support/servers/sets-server.ts'; // prettier-ignore

const MONTH = 730;
/** USD for an hour of a core and a byte: those of the sample's new deployment. */
const CORE = 0.6982178951518654 / 21.9;
const BYTE = 0.09138491126165506 / 22963814400;

/** The sample's analyzer: 73 core-hours and 304,653,271,040 byte-hours a month. */
const ANALYZER = { cpuCores: 0.1, ramBytes: 304653271040 / MONTH, usedCores: 0.027 };

function pod(given: {
  readonly pod: string;
  readonly cpuCores: number;
  readonly ramBytes: number;
  readonly usedCores?: number;
  readonly usedBytes?: number;
  readonly dear?: number;
  readonly of?: Partial<SizedPod>;
}): SizedPod {
  const { cpuCores, ramBytes, usedCores = 0, usedBytes = 0, dear = 1 } = given;
  return {
    pod: given.pod,
    cpuCores,
    ramGiB: ramBytes / 2 ** 30,
    ...given.of,
    more: {
      cpuCoreUsageHours: 24 * usedCores,
      ramByteUsageHours: 24 * usedBytes,
      cpuCost: 24 * cpuCores * CORE * dear,
      ramCost: 24 * ramBytes * BYTE * dear,
    },
  };
}

const PODS: readonly SizedPod[] = [
  pod({
    pod: 'analyzer-1',
    ...ANALYZER,
    of: { namespace: 'kubecost', controller: 'kubecost-cost-analyzer', container: 'model' },
  }),
  pod({ pod: 'web-1', cpuCores: 1, ramBytes: 2 ** 30, usedCores: 0.5, usedBytes: 2 ** 29 }),
  pod({ pod: 'web-2', cpuCores: 1, ramBytes: 2 ** 30, usedCores: 0.7, usedBytes: 2 ** 29 }),
  pod({ pod: 'lone', cpuCores: 0.5, ramBytes: 0, of: { controller: '', controllerKind: '' } }),
  pod({ pod: 'far-1', cpuCores: 1, ramBytes: 2 ** 30, dear: 2, of: { cluster: 'far' } }),
];

let server: SetsServer;
before(async () => {
  const days = [0, 1].map((day) => ({ allocations: allocationColumns(day, PODS) }));
  server = await startSetsServer(days, predictionRoutes);
});
after(async () => {
  assert.deepEqual(server.failures, []);
  await server.stop();
});

const PATH = '/model/prediction/speccost';
const QUERY = 'clusterID=cluster-one&defaultNamespace=customdefault&window=2d';

async function predicted(body: string, query: string = QUERY): Promise<readonly Prediction[]> {
  const answer = await server.ask(PATH, query, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as readonly Prediction[];
}

function assertNearly(actual: number | undefined, expected: number): void {
  const error = Math.abs((actual ?? NaN) - expected);
  assert.ok(error <= 1e-9 * Math.abs(expected) + 1e-12, `${actual} is not ${expected}`);
}

const SAMPLE = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: kubecost-cost-analyzer
  namespace: kubecost
spec:
  template:
    spec:
      containers:
        - name: model
          resources:
            requests: { cpu: 10m, memory: "${501344315550 / MONTH}" }
---
apiVersion: v1
kind: Service
metadata: { name: ignored }
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: default-deployment
spec:
  replicas: 3
  template:
    spec:
      containers:
        - name: nginx
          resources:
            requests: { cpu: 10m, memory: 10Mi }
`;

test('the sample has its costs: a known workload, and a new one at the prices of its cluster', async () => {
  const [analyzer, added, ...others] = await predicted(SAMPLE);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [analyzer?.namespace, analyzer?.controllerKind, analyzer?.controllerName],
    ['kubecost', 'deployment', 'kubecost-cost-analyzer'],
  );
  assertNearly(analyzer?.costBefore.monthlyCPUCoreHours, 73);
  assertNearly(analyzer?.costBefore.monthlyRAMByteHours, 304653271040);
  assertNearly(analyzer?.costBefore.totalMonthlyRate, 3.5397661399108418);
  assertNearly(analyzer?.costAfter.monthlyCPUCoreHours, 19.71);
  assertNearly(analyzer?.costAfter.monthlyRAMByteHours, 501344315550);
  assertNearly(analyzer?.costAfter.totalMonthlyRate, 2.623504800996625);
  assertNearly(analyzer?.costChange.totalMonthlyRate, -0.9162613389142167);
  assert.deepEqual(
    [added?.namespace, added?.controllerName],
    ['customdefault', 'default-deployment'],
  );
  assert.equal(added?.costBefore.totalMonthlyRate, 0);
  assertNearly(added?.costAfter.monthlyCPUCoreHours, 21.9);
  assertNearly(added?.costAfter.cpuMonthlyRate, 0.6982178951518654);
  assertNearly(added?.costAfter.monthlyRAMByteHours, 22963814400);
  assertNearly(added?.costAfter.ramMonthlyRate, 0.09138491126165506);
  assertNearly(added?.costAfter.totalMonthlyRate, 0.7896028064135204);
  assert.deepEqual(added?.costChange, added?.costAfter);
});

function deployment(name: string, requests: object, more: object = {}): string {
  const containers = [{ name: 'main', resources: { requests } }];
  const spec = { replicas: 2, template: { spec: { containers } }, ...more };
  return JSON.stringify({ kind: 'Deployment', metadata: { name, namespace: 'default' }, spec });
}

interface Case {
  readonly what: string;
  readonly body: string;
  readonly query?: string;
  /** Core-hours of one month, after the change. */
  readonly cores: number;
  readonly bytes: number;
  readonly coresBefore?: number;
  /** USD of a core-hour. */
  readonly price?: number;
}

const GIB = 2 ** 30;

const CASES: readonly Case[] = [
  {
    what: 'each replica has the larger of request and average usage',
    body: deployment('web', { cpu: '100m', memory: '1Gi' }),
    cores: 2 * 0.6,
    bytes: 2 * GIB,
    coresBefore: 2,
  },
  {
    what: 'without usage, requests alone count',
    body: deployment('web', { cpu: '100m', memory: '1Gi' }),
    query: `${QUERY}&noUsage=true`,
    cores: 0.2,
    bytes: 2 * GIB,
    coresBefore: 2,
  },
  {
    what: 'a resource that has a limit alone requests its limit',
    body: JSON.stringify({
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: {
        template: {
          spec: {
            containers: [{ name: 'main', resources: { limits: { cpu: 1.5, memory: 2e9 } } }],
          },
        },
      },
    }),
    cores: 1.5,
    bytes: 2e9,
  },
  {
    what: 'a bare pod is found by its name, and sidecars count',
    body: JSON.stringify({
      kind: 'Pod',
      metadata: { name: 'lone', namespace: 'default' },
      spec: {
        containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }],
        initContainers: [
          { name: 'side', restartPolicy: 'Always', resources: { requests: { cpu: '250m' } } },
          { name: 'once', resources: { requests: { cpu: '4' } } },
        ],
      },
    }),
    cores: 1.25,
    bytes: 0,
    coresBefore: 0.5,
  },
  {
    what: 'objects of a list are read one by one',
    body: JSON.stringify({
      kind: 'List',
      items: [{ kind: 'ConfigMap' }, JSON.parse(deployment('new', { cpu: 1 })) as object],
    }),
    cores: 2,
    bytes: 0,
  },
  {
    what: 'another cluster has other prices',
    body: deployment('new', { cpu: 1 }),
    query: QUERY.replace('cluster-one', 'far'),
    cores: 2,
    bytes: 0,
    price: 2 * CORE,
  },
  {
    what: 'usage and costs may be of days of their own',
    body: deployment('web', { cpu: '100m', memory: '1Gi' }),
    query: `${QUERY}&windowAvgUsage=1d&windowResourceCost=1d%20offset%201d`,
    cores: 2 * 0.6,
    bytes: 2 * GIB,
    coresBefore: 2,
  },
  {
    what: 'where costs are of days that are not stored, those of the usage count',
    body: deployment('new', { cpu: 1 }),
    query: `${QUERY}&windowResourceCost=7d%20offset%2060d`,
    cores: 2,
    bytes: 0,
  },
];

describe('a prediction for one workload', () => {
  for (const { what, body, query, cores, bytes, coresBefore = 0, price = CORE } of CASES)
    test(what, async () => {
      const [only] = await predicted(body, query);
      assertNearly(only?.costAfter.monthlyCPUCoreHours, cores * MONTH);
      assertNearly(only?.costAfter.monthlyRAMByteHours, bytes * MONTH);
      assertNearly(only?.costBefore.monthlyCPUCoreHours, coresBefore * MONTH);
      assertNearly(only?.costAfter.cpuMonthlyRate, cores * MONTH * price);
      assertNearly(only?.costChange.monthlyCPUCoreHours, (cores - coresBefore) * MONTH);
    });
});

test('a header warns of days that are not stored', async () => {
  const { headers } = await server.ask(PATH, QUERY.replace('2d', '4d'), deployment('web', {}));
  assert.match(headers.get('x-prorata-warnings') ?? '', /are not stored/);
});

const MISTAKES: readonly (readonly [what: string, query: string, body: string, message: RegExp])[] =
  [
    ['no cluster', 'defaultNamespace=x', SAMPLE, /'clusterID' is missing/],
    ['no namespace', 'clusterID=cluster-one', SAMPLE, /'defaultNamespace' is missing/],
    ['a cluster misspelt', QUERY.replace('-one', '-on'), SAMPLE, /'cluster-on' is no cluster/],
    ['a window in words', QUERY.replace('2d', 'soon'), SAMPLE, /'soon'/],
    ['usage of words', `${QUERY}&windowAvgUsage=soon`, SAMPLE, /'windowAvgUsage'.*'soon'/],
    ['nothing', QUERY, '', /the body has no Deployment/],
    ['no workload', QUERY, 'kind: Service\nmetadata: {name: x}', /the body has no Deployment/],
    ['broken YAML', QUERY, 'kind: [', /the body is no YAML/],
    ['no name', QUERY, '{"kind":"Deployment","metadata":{},"spec":{}}', /lacks '(name|template)'/],
    [
      'half a replica',
      QUERY,
      deployment('w', {}, { replicas: 1.5 }),
      /'spec.replicas' of the body/,
    ],
    ['less than nothing', QUERY, deployment('w', { cpu: -1 }), /'-1' is no amount of cpu/],
    [
      'an amount in words',
      QUERY,
      deployment('w', { memory: 'much' }),
      /'much' is no amount of memory/,
    ],
    ['aliases without end', QUERY, bomb(), /is no YAML/],
  ];

/** Ten lists of ten of the list before. */
function bomb(): string {
  const lines = Array.from({ length: 9 }, (_, i) => {
    const before = Array.from({ length: 10 }, () => (i === 0 ? 'x' : `*a${i - 1}`));
    return `a${i}: &a${i} [${before.join(', ')}]`;
  });
  return lines.join('\n');
}

describe('a wrong request is refused, naming the mistake:', () => {
  for (const [what, query, body, message] of MISTAKES)
    test(what, async () => {
      const answer = await server.ask(PATH, query, body);
      const { code, message: said, hint } = answer.body as { readonly code: number; readonly message: string; readonly hint?: string }; // prettier-ignore
      assert.deepEqual([answer.status, code], [400, 400], said);
      assert.match(said, message);
      assert.ok(hint !== undefined, 'no hint');
    });
});
