/** A simulated cluster over real HTTP: what is followed is what its plan says, through its faults. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Seeded } from '../../../scripts/seeded.ts';
import { createClusterApi, follow, openHttpTransport } from '../../../src/cluster/index.ts';
import { planOf } from './random-plan.ts';
import { startSimulatedCluster } from './simulated-cluster.ts';
import type { Trouble } from '../servers/scripted-cluster.ts';

const START_MS = Date.UTC(2026, 4, 1, 10);
const HOUR_MS = 3_600_000;
const END_MS = START_MS + 2 * HOUR_MS;
const size = { startMs: START_MS, endMs: END_MS, nodes: 3, pods: 20, restless: 0.6 };
const plan = planOf(new Seeded(4), size);
let trouble: Trouble;
const grants = ['list', 'watch'].flatMap((verb) =>
  ['pods', 'nodes'].map((resource) => ({ verb, group: '', resource, namespace: '' })),
);
const cluster = await startSimulatedCluster(plan, { api: () => trouble, grants });
const transport = await openHttpTransport(cluster.api.kubeconfig);
after(async () => {
  transport.close();
  await cluster.stop();
});

test('pods are followed over HTTP as planned, through refusals, resets and a lost history', async () => {
  const stop = new AbortController();
  const pause = (): Promise<unknown> => turn();
  const api = createClusterApi(transport, { pageObjects: 7, callsPerSecond: Infinity, pause });
  const names = new Map<string, string>();
  const seen = { adds: 0, deletes: 0, lists: 0 };
  const following = (async () => {
    const valueOf = ({ metadata }: { metadata: { name: string } }): string => metadata.name;
    for await (const change of follow(api, { kind: 'Pod', valueOf, signal: stop.signal, pause })) {
      if (change.type === 'synced') seen.lists++;
      else if (change.type === 'delete') {
        seen.deletes++;
        names.delete(change.uid);
      } else names.set(change.uid, change.value);
    }
  })();
  const planned = (): string[] =>
    plan.pods
      .filter(
        ({ createdMs, removedMs }) => createdMs <= cluster.nowMs() && removedMs > cluster.nowMs(),
      )
      .map(({ uid }) => uid)
      .toSorted();
  const untilSeen = async (): Promise<void> => {
    const wanted = planned().join();
    while (seen.lists === 0 || !cluster.hasTold() || [...names.keys()].toSorted().join() !== wanted)
      await turn();
  };
  for (let step = 0; step < 24; step++) {
    await untilSeen();
    if (step === 6) trouble = { does: 'refuse', status: 429, headers: { 'retry-after': '0' } };
    if (step === 12 || step === 18) trouble = { does: 'reset' };
    if (step === 6 || step === 12 || step === 18) cluster.api.cut();
    cluster.advance(START_MS + ((step + 1) * (END_MS - START_MS)) / 24);
    if (step === 18) cluster.store.compact();
    if (trouble !== undefined) for (let turns = 0; turns < 50; turns++) await turn();
    trouble = undefined;
  }
  await untilSeen();
  stop.abort();
  await following;
  assert.ok(seen.lists >= 2, 'the history was lost once');
  assert.ok(seen.deletes > 10);
  const watches = cluster.api.calls.filter(({ path }) => path.includes('watch=true'));
  assert.ok(watches.length >= 4);
});
