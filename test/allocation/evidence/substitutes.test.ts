/** Facts that stand in for others are read where a cluster lacks those, and nowhere else. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { query, readPlan } from '../../../src/allocation/index.ts';
import { clockOf } from '../../../src/server/clock.ts';
import { metricsOf, startEngine, type Engine } from '../../../src/server/engine.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { parseQuery } from '../../../src/http/index.ts';
import { FACTS, type Matcher, type MetricsSource } from '../../../src/metrics/index.ts';
import { demo, NOW_MS } from '../../support/fleets/demo-reading.ts';

const REQUESTS = 'kube_pod_container_resource_requests';
const SELECTORS = 'service_selector_labels';
const ALLOCATIONS = ['container_cpu_allocation', 'container_memory_allocation_bytes'];
const ENDPOINTS = [
  'kube_endpoint_address',
  'kube_endpointslice_labels',
  'kube_endpointslice_endpoints',
];

const ALL: Matcher = { label: 'cluster_id', operator: '=', value: 'none' };
const HALF: Matcher = { label: 'cluster_id', operator: '=', value: 'production' };

/** The demo, of whose metrics some show only what matches. */
function showing(only: Readonly<Record<string, Matcher>>, asked: Set<string>): MetricsSource {
  const source = demo();
  return {
    ...source,
    read({ metric, matchers }, ...rest) {
      asked.add(metric);
      const more = only[metric];
      return source.read({ metric, matchers: more ? [...matchers, more] : matchers }, ...rest);
    },
  };
}

const CASES: readonly (readonly [
  what: string,
  only: Readonly<Record<string, Matcher>>,
  read: readonly string[],
])[] = [
  ['nothing', {}, []],
  ['requests', { [REQUESTS]: ALL }, ALLOCATIONS],
  ['requests of one cluster', { [REQUESTS]: HALF }, ALLOCATIONS],
  ['selectors', { [SELECTORS]: ALL }, ENDPOINTS],
  ['selectors of one cluster', { [SELECTORS]: HALF }, ENDPOINTS],
  ['selectors, where no node tells of clusters', {
    [SELECTORS]: ALL, kube_node_info: ALL, node_cpu_hourly_cost: ALL,
  }, ENDPOINTS],
  ['both', { [REQUESTS]: HALF, [SELECTORS]: ALL }, [...ENDPOINTS, ...ALLOCATIONS]],
]; // prettier-ignore

describe('where a store lacks', () => {
  let engine: Engine;
  const { config } = loadConfig(['--workers=1', `--now=${NOW_MS / 1000}`], {}, () => '');
  before(async () => {
    engine = await startEngine(config, { info: () => undefined, error: () => undefined });
  });
  after(() => engine.close());

  for (const [what, only, expected] of CASES)
    test(`${what}: ${expected.join(', ') || 'nothing'} is read instead`, async () => {
      const asked = new Set<string>();
      const metrics = metricsOf(config, showing(only, asked));
      const options = { compute: engine.compute, metrics };
      const parameters = parseQuery('window=30m');
      const plan = readPlan(parameters, clockOf(config).calendar, NOW_MS);
      const { chunks } = await query(options, plan, new AbortController().signal);
      let bytes = 0;
      for await (const chunk of chunks) bytes += chunk.length;
      assert.ok(bytes > 1000, `${bytes} bytes`);
      const substitutes = Object.values(FACTS).filter((fact) => fact.insteadOf !== undefined);
      const read = substitutes
        .map((fact) => fact.selection.metric)
        .filter((name) => asked.has(name));
      assert.deepEqual(read, expected);
    });
});
