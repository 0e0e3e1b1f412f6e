/** A cluster of two nodes and two pods over real HTTP, and what follows its objects. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { followObjects, type ObjectFacts } from '../../../src/agent/index.ts';
import { createClusterApi, httpTransport, type Transport } from '../../../src/cluster/index.ts';
import { SimulatedStore } from '../../../src/demo/index.ts';
import { readyNode, runningPod, stored } from '../fleets/api-objects.ts';
import {
  startScriptedCluster,
  type ScriptedCluster,
  type SeenCall,
  type Trouble,
} from './scripted-cluster.ts';

const WITHIN_MS = 20_000;
/** When nodes and pods began. */
export const START_MS: number = Date.UTC(2026, 0, 5);

export async function until(isSo: () => boolean, what: string): Promise<void> {
  const beganMs = performance.now();
  while (!isSo()) {
    assert.ok(performance.now() - beganMs < WITHIN_MS, `not within ${WITHIN_MS} ms: ${what}`);
    await sleep(2);
  }
}

export interface ObjectWorld {
  readonly store: SimulatedStore;
  readonly cluster: ScriptedCluster;
  readonly facts: ObjectFacts;
  /** The clock of whoever follows. */
  readonly clock: { ms: number };
  /** Settles when a kind has had so many changes. */
  readonly changed: (kind: string, changes: number) => Promise<void>;
}

export async function inObjectWorld(
  work: (world: ObjectWorld) => Promise<void>,
  options: {
    readonly script?: (call: SeenCall) => Trouble;
    readonly node?: string;
    /** Some kind is never listed. */
    readonly isPartial?: boolean;
  } = {},
): Promise<void> {
  const store = new SimulatedStore({ nowMs: () => START_MS });
  for (const name of ['n1', 'n2']) store.put('Node', stored(readyNode(name, START_MS)));
  store.put('Pod', stored(runningPod({ path: 'shop/web', startMs: START_MS })));
  store.put('Pod', stored(runningPod({ path: 'shop/db', node: 'n2', startMs: START_MS })));
  const cluster = await startScriptedCluster(store, options.script, { bookmarkMs: 20 });
  const api = createClusterApi(plainTransport(cluster.url), {
    pageObjects: 1,
    silenceMs: 150,
    callsPerSecond: Infinity,
    pause: () => sleep(1),
  });
  const stop = new AbortController();
  const clock = { ms: START_MS };
  const facts = await followObjects(api, {
    ...(options.node === undefined ? {} : { node: options.node }),
    signal: stop.signal,
    nowMs: () => clock.ms,
    pause: () => sleep(1),
  });
  const changed = (kind: string, changes: number): Promise<void> =>
    until(
      () => facts.figures().kinds.some((one) => one.kind === kind && one.changes >= changes),
      `${changes} changes of ${kind}`,
    );
  try {
    if (options.isPartial !== true) await until(() => facts.isComplete, 'every kind is listed');
    await work({ store, cluster, facts, clock, changed });
  } finally {
    stop.abort();
    api.close();
    await cluster.stop();
  }
}

/** Without the package that reads kubeconfigs, which takes most of a second to load. */
function plainTransport(url: string): Transport {
  const server = new URL(url);
  const credentials = { server, headers: {}, tls: {}, proxyAgent: undefined };
  const config = { server, credentials: () => Promise.resolve(credentials) };
  return httpTransport(config, () => Promise.resolve(config));
}
