/** A cluster of a simulated month, whose API fails at random: what was followed adds up to what is there. */
import assert from 'node:assert/strict';
import { setImmediate as breath, setTimeout as sleep } from 'node:timers/promises';
import type { Seeded } from '../../../scripts/seeded.ts';
import { createClusterApi, follow, type Followed } from '../../../src/cluster/index.ts';
import { SimulatedStore, simulatedTransport } from '../../../src/demo/index.ts';
import { workload } from '../fleets/cluster-objects.ts';
import { FAILURES, failing, replay, type Plan } from '../servers/failing-transport.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const STEPS = 6;
const SEEN_WITHIN_MS = 20_000;

export class SimulatedCluster {
  readonly #random: Seeded;
  readonly #isDeaf: boolean;
  readonly #store: SimulatedStore = new SimulatedStore({ nowMs: () => 0 });
  #plan: Plan = { failures: [], end: () => undefined };
  #followed: Followed<string>[] = [];
  #stop: AbortController = new AbortController();
  #following: Promise<void> = Promise.resolve();

  /** @param isDeaf for a planted break: deletions are not heard */
  constructor(random: Seeded, isDeaf: boolean) {
    this.#random = random;
    this.#isDeaf = isDeaf;
    this.#store.put('Deployment', workload('x/a'));
  }

  /** A process begins to follow, and knows nothing of those before it. */
  start(): void {
    const plan: Plan = { failures: [], end: () => undefined };
    const api = createClusterApi(failing(simulatedTransport(this.#store), plan), {
      pageObjects: 2,
      callsPerSecond: Infinity,
      pause: () => breath(),
    });
    const followed: Followed<string>[] = [];
    const stop = new AbortController();
    const changes = follow(api, {
      kind: 'Deployment',
      valueOf: ({ metadata }) => metadata.resourceVersion,
      signal: stop.signal,
      pause: () => breath(),
    });
    const all = async (): Promise<void> => {
      for await (const change of changes)
        if (!(this.#isDeaf && change.type === 'delete')) followed.push(change);
    };
    this.#following = all().catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    [this.#plan, this.#followed, this.#stop] = [plan, followed, stop];
  }

  /** Objects come and go, history is forgotten, and calls fail. */
  async turn(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      const [name, kind] = [this.#random.of(NAMES), this.#random.below(10)];
      if (kind < 4) this.#store.put('Deployment', workload(`x/${name}`));
      else if (kind < 6) this.#store.remove('Deployment', { namespace: 'x', name });
      else if (kind === 6) this.#store.compact();
      else if (kind === 7) this.#plan.end(this.#random.is(0.5) ? 'close' : 'lose');
      else this.#plan.failures.push(this.#random.of(FAILURES));
      await breath();
    }
  }

  async check(): Promise<void> {
    const last = this.#store.put('Deployment', workload('x/z')).metadata.resourceVersion;
    const endMs = performance.now() + SEEN_WITHIN_MS;
    const isSeen = (): boolean =>
      this.#followed.some((change) => change.type !== 'synced' && change.value === last);
    while (!isSeen()) {
      assert.ok(performance.now() < endMs, 'the last change of the cluster is not seen');
      await sleep(1);
    }
    const there = this.#store
      .list('Deployment')
      .map(({ metadata }) => [metadata.uid, metadata.resourceVersion] as const);
    assert.deepEqual(
      new Map(replay(this.#followed)),
      new Map(there),
      'what was followed is what is there',
    );
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }
}
