/** Cost events: the cost of a workload that changes, and which events a query lists. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { auditedWorkload, CostEvents, EVENTS_MAX, watchCosts } from '../../src/audit/index.ts';
import { readEventQuery } from '../../src/audit/params.ts';
import { createClusterApi } from '../../src/cluster/index.ts';
import { SimulatedStore, simulatedTransport } from '../../src/demo/index.ts';
import type { ClusterObject } from '../../src/cluster/index.ts';
import { parseQuery } from '../../src/http/index.ts';
import { Fault } from '../../src/query/index.ts';
import { workload, type ContainerAmounts } from '../support/fleets/cluster-objects.ts';

/** 2023-02-28T13:58:44.552788548Z */
const AT_NS = 1_677_592_724_552_788_548n;
const PRICES = {
  cpuCores: 0.031616438356164386,
  ramBytes: 3.94217363775593e-12,
  gpus: 0.95,
};

function objectOf(
  containers: Readonly<Record<string, ContainerAmounts>>,
  replicas?: number,
): ClusterObject {
  const { metadata, ...rest } = workload('kubecost/sample-deployment', containers);
  const spec = { ...rest.spec, ...(replicas === undefined ? {} : { replicas }) };
  return { ...rest, spec, metadata: { ...metadata, uid: 'u', resourceVersion: '1' } };
}

function newEvents(): CostEvents {
  return new CostEvents('cluster-one', () => AT_NS);
}

test("an event shows the workload's requests, prices and monthly costs", () => {
  const added = objectOf({ app: { requests: { cpu: '100m', memory: '32Mi' } } });
  const observed = { eventType: 'add', resourceType: 'deployment', workload: auditedWorkload(added) } as const; // prettier-ignore
  const { costPrediction, ...event } = newEvents().add('u', observed, PRICES);
  assert.deepEqual(event, {
    eventType: 'add',
    resourceType: 'deployment',
    timestamp: '2023-02-28T13:58:44.552788548Z',
    properties: { cluster: 'cluster-one', name: 'sample-deployment', namespace: 'kubecost' },
    totalRequests: { cpu: '100m', memory: '32Mi' },
    resourceCosts: {
      costPerCPUCoreHour: 0.031616438356164386,
      costPerRAMByteHour: 3.94217363775593e-12,
      costPerGPUHour: 0.95,
    },
  });
  const expected = [2.4045625, 2.308, 0.0965625, 0];
  const rates = [
    costPrediction.totalMonthlyRate,
    costPrediction.cpuMonthlyRate,
    costPrediction.ramMonthlyRate,
    costPrediction.gpuMonthlyRate,
  ];
  rates.forEach((rate, i) => assert.ok(Math.abs(rate - (expected[i] ?? NaN)) < 1e-12, `${rate}`));
});

type Requests = readonly [cpu: string, memory: string, gpus: number];

const WORKLOADS: readonly [string, ClusterObject, Requests][] = [
  ['all replicas', objectOf({ app: { requests: { cpu: '500m', memory: '1Gi' } } }, 3), ['1500m', '3072Mi', 0]], // prettier-ignore
  ['all containers', objectOf({ a: { requests: { cpu: 1 } }, b: { requests: { cpu: '0.25', memory: '1.5Gi' } } }), ['1250m', '1536Mi', 0]], // prettier-ignore
  ['no replicas', objectOf({ app: { requests: { cpu: '500m' } } }, 0), ['0m', '0Mi', 0]],
  ['limits where there are no requests', objectOf({ app: { limits: { cpu: '2', memory: '64Mi' }, requests: { cpu: '1' } } }), ['1000m', '64Mi', 0]], // prettier-ignore
  ['GPUs', objectOf({ app: { limits: { 'nvidia.com/gpu': '2' } } }, 2), ['0m', '0Mi', 4]],
  ['amounts that are no whole millicores and mebibytes', objectOf({ app: { requests: { cpu: '1500u', memory: '1000k' } } }), ['1500u', '1000000', 0]], // prettier-ignore
  ['nothing requested', objectOf({ app: {} }), ['0m', '0Mi', 0]],
];

for (const [name, object, [cpu, memory, gpus]] of WORKLOADS) {
  test(`requests of a workload: ${name}`, () => {
    const added = auditedWorkload(object);
    const event = newEvents().add('u', { eventType: 'add', resourceType: 'deployment', workload: added }, PRICES); // prettier-ignore
    assert.deepEqual(event.totalRequests, { cpu, memory });
    assert.equal(event.costPrediction.gpuMonthlyRate, gpus * 0.95 * 730);
  });
}

test('the 1,000 latest events are listed, newest first, no two at the same time', () => {
  const events = newEvents();
  const added = auditedWorkload(objectOf({ app: {} }));
  for (let i = 0; i < EVENTS_MAX + 5; i++) {
    events.add(`u${i}`, { eventType: 'add', resourceType: 'deployment', workload: { ...added, name: `w${i}` } }, PRICES); // prettier-ignore
  }
  const list = events.list(readEventQuery(parseQuery('')));
  assert.equal(list.length, EVENTS_MAX);
  assert.deepEqual([list[0]?.properties.name, list.at(-1)?.properties.name], ['w1004', 'w5']);
  const times = list.map(({ timestamp }) => timestamp);
  assert.deepEqual(times, [...new Set(times)].toSorted().toReversed());
});

const FILTERS: readonly [query: string, names: string][] = [
  ['', 'd c b a'],
  ['count=2', 'd c'],
  ['count=0', ''],
  ['count=', 'd c b a'],
  ['filterNamespaces=one', 'b a'],
  ['filterNamespaces=one, two', 'd c b a'],
  ['filterEventTypes=delete', 'd b'],
  ['filterEventTypes=ADD,delete', 'd c b a'],
  ['filterResourceTypes=deployment', 'c a'],
  ['filterTotalCostLowerBound=73', 'd c b'],
  ['filterTotalCostUpperBound=73', 'b a'],
  ['filterTotalCostLowerBound=73&filterTotalCostUpperBound=73', 'b'],
  ['filterEventTypes=add&filterNamespaces=two', 'c'],
];

for (const [query, names] of FILTERS) {
  test(`events selected by '${query}'`, () => {
    const events = newEvents();
    const prices = { cpuCores: 0.1, ramBytes: 0, gpus: 0 };
    [
      ['a', 'one', 'add', 'deployment', '0.5'],
      ['b', 'one', 'delete', 'statefulset', '1'],
      ['c', 'two', 'add', 'deployment', '2'],
      ['d', 'two', 'delete', 'statefulset', '3'],
    ].forEach(([name = '', namespace = '', eventType, resourceType, cpu = '']) => {
      const added = auditedWorkload(objectOf({ app: { requests: { cpu } } }));
      events.add(
        name,
        {
          eventType: eventType as 'add',
          resourceType: resourceType as 'deployment',
          workload: { ...added, name, namespace },
        },
        prices,
      );
    });
    const list = events.list(readEventQuery(parseQuery(encodeURI(query))));
    assert.equal(list.map(({ properties }) => properties.name).join(' '), names);
  });
}

const MISTAKES: readonly [query: string, parameter: string, message: RegExp][] = [
  ['count=-1', 'count', /'-1' is not a whole number/],
  ['count=1.5', 'count', /whole number/],
  ['count=abc', 'count', /whole number/],
  ['filterEventTypes=update', 'filterEventTypes', /'update' is not one of add, delete/],
  ['filterEventTypes=add,update', 'filterEventTypes', /'update'/],
  ['filterResourceTypes=statefulset', 'filterResourceTypes', /is not one of deployment$/],
  ['filterTotalCostLowerBound=abc', 'filterTotalCostLowerBound', /USD/],
  ['filterTotalCostUpperBound=1e999', 'filterTotalCostUpperBound', /USD/],
  ['filterTotalCostUpperBound=NaN', 'filterTotalCostUpperBound', /USD/],
  ['filterTotalCostLowerBound=2&filterTotalCostUpperBound=1', 'filterTotalCostUpperBound', /lower bound, 2/], // prettier-ignore
];

for (const [query, parameter, message] of MISTAKES) {
  test(`'${query}' is refused, and the parameter is named`, () => {
    assert.throws(
      () => readEventQuery(parseQuery(query)),
      (error) => {
        assert.ok(error instanceof Fault, 'a Fault');
        assert.equal(error.parameter, parameter);
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

test('each workload that is added or deleted makes one event, those there at the start make none', async () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom('Deployment', 'StatefulSet'), async (list, kind) => {
      const store = new SimulatedStore({ nowMs: () => 0 });
      store.put(kind, workload('here/a'));
      const stop = new AbortController();
      const events = newEvents();
      const following = new Set<string>();
      const watching = watchCosts({
        api: createClusterApi(simulatedTransport(store)),
        events,
        prices: () => PRICES,
        onEvent: () => undefined,
        onState: (type, { state }) => void (state === 'following' && following.add(type)),
        signal: stop.signal,
      });
      while (following.size < 2) await sleep(1);
      const expected: string[] = [];
      for (const [name, isThere] of list) {
        const place = { namespace: 'here', name };
        const was = store.get(kind, place) !== undefined;
        if (isThere) store.put(kind, workload(`here/${name}`));
        else store.remove(kind, place);
        if (was !== isThere) expected.push(`${isThere ? 'add' : 'delete'} ${name}`);
      }
      const listed = (): string[] =>
        events
          .list(readEventQuery(parseQuery('')))
          .map(({ eventType, properties }) => `${eventType} ${properties.name}`)
          .toReversed();
      for (let i = 0; i < 30_000 && listed().length < expected.length; i++) await sleep(1);
      stop.abort();
      await watching;
      assert.deepEqual(listed(), expected);
    }),
    { numRuns: 50 },
  );
});
