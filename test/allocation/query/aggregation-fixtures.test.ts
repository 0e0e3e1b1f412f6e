/** The allocation query over a saved day of twelve containers, answer by answer. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { describe, test } from 'node:test';
import { readSavedAnswers, type SavedSet } from '../../../src/allocation/index.ts';
import { overheadUsd } from '../../../src/allocation/query/shared-overhead.ts';
import { readAllocationQuery } from '../../../src/allocation/params/set-query-params.ts';
import { querySet } from '../../../src/allocation/query/set-query.ts';
import { compileKernels, createEngine } from '../../../src/columnar/index.ts';
import { parseQuery } from '../../../src/http/index.ts';
import { createCalendar, parseAggregate, type AggregateName } from '../../../src/query/index.ts';
import {
  aggregationCases,
  aggregationDay,
  type AggregationCase,
} from '../../support/aggregation-cases.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { costsByName } from '../../support/references/grouped-rows.ts';

const [OWNER, TASK] = [1, 2];
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), OWNER);
const ALLOWED: readonly AggregateName[] = [
  'cluster', 'node', 'namespace', 'pod', 'container', 'controller', 'controllerKind', 'service',
  'deployment', 'statefulset', 'daemonset', 'label', 'annotation',
]; // prettier-ignore

/** More of the same family: worked out by hand from the formulas. */
const OWN: readonly AggregationCase[] = [
  {
    id: 'containers',
    set: 'cluster-idle',
    query: 'aggregate=container',
    expected: {
      __idle__: 30, container1: 16, container2: 6, container3: 6, container4: 12, container5: 12,
      container6: 12, container7: 6, container8: 6, container9: 6,
    },
  },
  {
    id: 'deployments',
    set: 'cluster-idle',
    query: 'aggregate=deployment',
    expected: { __idle__: 30, __unallocated__: 40, deployment1: 12, deployment2: 24, deployment3: 6 },
  },
  {
    id: 'a namespace with its part of two clusters idle',
    set: 'cluster-idle',
    query: 'aggregate=namespace&filterNamespaces=namespace2&shareIdle=weighted',
    expected: { namespace2: 46.3125 },
  },
  {
    id: 'a namespace and the idle it would bear',
    set: 'cluster-idle',
    query: 'aggregate=namespace&filterNamespaces=namespace2',
    expected: { __idle__: 10.3125, namespace2: 36 },
  },
  {
    id: 'a namespace by cluster, idle told apart',
    set: 'cluster-idle',
    query: 'aggregate=cluster&filterNamespaces=namespace2&splitIdle=true',
    expected: { 'cluster1/__idle__': 5.3125, 'cluster2/__idle__': 5, cluster1: 18, cluster2: 18 },
  },
  {
    id: 'a filter and a shared namespace bear its idle once',
    set: 'cluster-idle',
    query: 'aggregate=namespace&filterNamespaces=namespace2&shareNamespaces=namespace1',
    expected: { __idle__: 20.104167, namespace2: [54.666667, 6, 6, 6, 6, 6, 6, 18.666667] },
  },
  {
    id: 'the same with idle shared',
    set: 'cluster-idle',
    query:
      'aggregate=namespace&filterNamespaces=namespace2&shareNamespaces=namespace1&shareIdle=true',
    expected: { namespace2: 74.770833 },
  },
  {
    id: 'an even split counts namespaces that no filter means',
    set: 'cluster-idle',
    query:
      'aggregate=namespace&filter=namespace:"namespace2"&shareLabels=app:app1&shareSplit=even',
    // namespace1 keeps 12 of its 28; pod1 carries 16 of cpu 1/6 and ram 11/16 of its cluster's idle.
    expected: { namespace2: [41.333333, 6, 6, 6, 6, 6, 6, 5.333333], __idle__: 14.027778 },
  },
  {
    id: 'a filter that means nothing',
    set: 'cluster-idle',
    query: 'aggregate=namespace&filterNamespaces=nothing',
    expected: { __idle__: 0 },
  },
  {
    id: 'a filter that means nothing, idle shared',
    set: 'cluster-idle',
    query: 'aggregate=namespace&filterNamespaces=nothing&shareIdle=true',
    expected: {},
  },
  {
    id: 'where everything is shared nobody is left to share with',
    set: 'cluster-idle',
    query: 'aggregate=namespace&shareNamespaces=namespace*',
    expected: { __idle__: 30, namespace1: 28, namespace2: 36, namespace3: 18 },
  },
  {
    // Who shares namespace1 bears its idle: those are the others, whom this filter does not mean.
    id: 'a filter on what is shared',
    set: 'cluster-idle',
    query: 'aggregate=namespace&filterNamespaces=namespace1&shareNamespaces=namespace1',
    expected: { __idle__: 0 },
  },
  {
    id: 'idle of nodes shared on them',
    set: 'node-idle',
    query: 'aggregate=namespace&shareIdle=true&idleByNode=true',
    expected: { namespace1: 42.6875, namespace2: 46.312501, namespace3: 23.000001 },
  },
  {
    id: 'idle of nodes shared over their cluster',
    set: 'node-idle',
    query: 'aggregate=namespace&shareIdle=true',
    expected: { namespace1: 42.6875, namespace2: 46.312501, namespace3: 23.000001 },
  },
  {
    id: 'idle of clusters where it is asked for by node',
    set: 'cluster-idle',
    query: 'aggregate=namespace&shareIdle=true&idleByNode=true',
    expected: { namespace1: 42.6875, namespace2: 46.3125, namespace3: 23 },
  },
  {
    id: 'nothing aggregated, one cluster',
    set: 'cluster-idle',
    query: 'filterClusters=cluster2&filterNamespaces=namespace3',
    expected: {
      __idle__: 5,
      'cluster2/node2/namespace3/pod-stu/container7': 6,
      'cluster2/node3/namespace3/pod-vwx/container8': 6,
      'cluster2/node3/namespace3/pod-vwx/container9': 6,
    },
  },
]; // prettier-ignore

async function answer({ set: day, query }: AggregationCase): Promise<Map<string, number[]>> {
  const params = parseQuery(query.replaceAll('"', '%22'));
  const keys = params.parsed('aggregate', (text) => parseAggregate(text, ALLOWED), []);
  const request = readAllocationQuery(params, keys, { idleByDefault: true, showsPaid: false });
  const file = aggregationDay(day);
  const sets: SavedSet[] = [];
  for await (const set of readSavedAnswers(createReadStream(file), file)) sets.push(set);
  assert.equal(sets.length, 1);
  const [set] = sets;
  assert.ok(set, 'one set');
  const calendar = createCalendar('UTC');
  const usd = overheadUsd(request.shareUsdPerMonth, set, Infinity, calendar);
  const overheads = usd > 0 ? [{ name: 'overheadCost', usd }] : [];
  const grouped = querySet(engine, TASK, [set.table(engine.arena, TASK)], {
    ...request.query,
    overheads,
  });
  const { frame } = grouped;
  assert.deepEqual(new Set(frame.f64('startMs')), new Set(frame.rows > 0 ? [set.startMs] : []));
  assert.deepEqual(new Set(frame.f64('endMs')), new Set(frame.rows > 0 ? [set.endMs] : []));
  const costs = costsByName(grouped);
  engine.arena.release(TASK);
  return costs;
}

describe('a saved day', () => {
  for (const one of [...aggregationCases(), ...OWN])
    test(`${one.id}: ${one.query}`, async () => {
      const costs = await answer(one);
      assert.deepEqual([...costs.keys()].toSorted(), Object.keys(one.expected).toSorted());
      for (const [name, wanted] of Object.entries(one.expected)) {
        const got = costs.get(name) ?? [];
        (typeof wanted === 'number' ? [wanted] : wanted).forEach((value, i) => {
          const off = Math.abs((got[i] ?? NaN) - value);
          assert.ok(off < 1e-5, `${name}[${i}]: ${got[i]} for ${value}`);
        });
      }
    });
});
