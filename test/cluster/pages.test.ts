import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClusterApi } from '../../src/cluster/index.ts';
import { SimulatedStore, simulatedTransport } from '../../src/demo/index.ts';
import { workload } from '../support/fleets/cluster-objects.ts';
import { measured } from '../support/measured.ts';

const OBJECTS = 1201;
const CALLS = 30;
const [PER_SECOND, BURST_CALLS] = [20, 20];

test('P-K6: a kind is listed in pages of 500, and calls beyond a second’s worth wait', async (t) => {
  const store = new SimulatedStore({ nowMs: () => 0 });
  for (let i = 0; i < OBJECTS; i++) store.put('Deployment', workload(`web/app-${i}`));
  const paths: string[] = [];
  const inner = simulatedTransport(store);
  const api = createClusterApi({
    ...inner,
    send: (call, ended) => {
      paths.push(call.path);
      return inner.send(call, ended);
    },
  });
  const { signal } = new AbortController();
  const pages: number[] = [];
  const beganMs = performance.now();
  for await (const { objects } of api.list('Deployment', signal)) pages.push(objects.length);
  assert.deepEqual(pages, [500, 500, 201]);
  assert.equal(paths.length, 3);
  const place = { namespace: 'web', name: 'app-1' };
  while (paths.length < CALLS) await api.get('Deployment', place, signal);
  const tookMs = performance.now() - beganMs;
  // Timers may fire a millisecond early.
  const least = ((CALLS - BURST_CALLS - 1) * 1000) / PER_SECOND - 2;
  assert.ok(tookMs >= least, `${CALLS} calls in ${tookMs} ms`);
  measured(t, 'P-K6', `pages of ${pages.join(', ')}; ${CALLS} calls in ${Math.round(tookMs)} ms`);
});
