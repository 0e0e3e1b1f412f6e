/** Following through random histories and random faults, without sockets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as breath } from 'node:timers/promises';
import fc from 'fast-check';
import { createClusterApi, follow, type Followed } from '../../src/cluster/index.ts';
import { SimulatedStore, simulatedTransport } from '../../src/demo/index.ts';
import { workload } from '../support/fleets/cluster-objects.ts';
import {
  FAILURES,
  failing,
  replay,
  type Failure,
  type Plan,
} from '../support/servers/failing-transport.ts';
import { ofRuns } from '../support/property-runs.ts';

type Step =
  | { readonly does: 'put' | 'remove'; readonly name: string }
  | { readonly does: 'compact' | 'breathe' }
  /** The server closes the open watch, or its connection is lost. */
  | { readonly does: 'close' | 'lose' }
  /** The next call fails. */
  | { readonly does: 'fail'; readonly how: Failure };

const NAMES = ['a', 'b', 'c'];

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      does: fc.constantFrom('put' as const, 'remove' as const),
      name: fc.constantFrom(...NAMES),
    }),
    fc.constant({ does: 'compact' as const }),
    fc.constant({ does: 'breathe' as const }),
    fc.constant({ does: 'breathe' as const }),
    fc.record({ does: fc.constantFrom('close' as const, 'lose' as const) }),
    fc.record({ does: fc.constant('fail' as const), how: fc.constantFrom(...FAILURES) }),
  ),
  { maxLength: 25 },
);

test('P-K2: through any failures the changes add up to the objects that are there', async () => {
  let synced = 0;
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (all, mayForget) => {
      const script = mayForget ? all : all.filter((step) => !isForgetting(step));
      const store = new SimulatedStore({ nowMs: () => 0 });
      const plan: Plan = { failures: [], end: () => undefined };
      const api = createClusterApi(failing(simulatedTransport(store), plan), {
        pageObjects: 2,
        callsPerSecond: Infinity,
        pause: () => breath(),
      });
      store.put('Deployment', workload('x/a'));
      const stop = new AbortController();
      const followed: Followed<string>[] = [];
      let last = 'none yet';
      const following = follow(api, {
        kind: 'Deployment',
        valueOf: ({ metadata }) => metadata.resourceVersion,
        signal: stop.signal,
        pause: () => breath(),
      });
      const ended = (async () => {
        for await (const change of following) {
          followed.push(change);
          if (change.type === 'synced') synced++;
          if (change.type !== 'synced' && change.value === last) stop.abort();
        }
      })();
      for (const step of script) {
        if (step.does === 'put') store.put('Deployment', workload(`x/${step.name}`));
        if (step.does === 'remove') store.remove('Deployment', { namespace: 'x', name: step.name });
        if (step.does === 'compact') store.compact();
        if (step.does === 'fail') plan.failures.push(step.how);
        if (step.does === 'close' || step.does === 'lose') plan.end(step.does);
        if (step.does === 'breathe') await breath();
      }
      last = String(store.version + 1);
      store.put('Deployment', workload('x/z'));
      await ended;
      const there = store
        .list('Deployment')
        .map(({ metadata: { uid, resourceVersion } }) => [uid, resourceVersion] as const);
      assert.deepEqual(new Map(replay(followed)), new Map(there));
      if (mayForget) return;
      // The server's history was never lost: each change since the first list has come.
      const begin = followed.findIndex(({ type }) => type === 'synced');
      const first = firstVersion(followed.slice(0, begin));
      const versions = followed.slice(begin + 1).map(versionOf);
      const changes = store.changesAfter('Deployment', first).map(({ version }) => String(version));
      assert.deepEqual(versions, changes.slice(changes.length - versions.length));
    }),
    { numRuns: 10_000, includeErrorInReport: true },
  );
  assert.ok(synced > ofRuns(8000), `${synced} lists`);
});

/** The step loses the server's history: objects that came and went meanwhile do not appear. */
function isForgetting(step: Step): boolean {
  return step.does === 'compact' || (step.does === 'fail' && step.how === '410');
}

function firstVersion(present: readonly Followed<string>[]): number {
  return Math.max(0, ...present.map((change) => Number(versionOf(change))));
}

function versionOf(change: Followed<string>): string {
  return change.type === 'synced' ? '' : change.value;
}
