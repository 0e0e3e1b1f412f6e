/** Following through random histories and random faults, without sockets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as breath } from 'node:timers/promises';
import fc from 'fast-check';
import {
  createClusterApi,
  follow,
  type ApiAnswer,
  type Followed,
  type Transport,
} from '../../src/cluster/index.ts';
import { SimulatedStore, simulatedTransport } from '../../src/demo/index.ts';
import { Unavailable } from '../../src/query/index.ts';
import { workload } from '../support/fleets/cluster-objects.ts';

type Step =
  | { readonly does: 'put' | 'remove'; readonly name: string }
  | { readonly does: 'compact' | 'breathe' }
  /** The server closes the open watch, or its connection is lost. */
  | { readonly does: 'close' | 'lose' }
  /** The next call fails. */
  | { readonly does: 'fail'; readonly how: Failure };

type Failure = 'unreachable' | '401' | '403' | '410' | '429' | '500' | 'cut' | 'end' | 'garbage';

const FAILURES: readonly Failure[] = [
  'unreachable',
  '401',
  '403',
  '410',
  '429',
  '500',
  'cut',
  'end',
  'garbage',
];
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

/** Planned failures. */
interface Plan {
  readonly failures: Failure[];
  /** Ends the open watch. */
  end: (how: 'close' | 'lose') => void;
}

/** A transport whose next calls fail as planned. */
function failing(inner: Transport, plan: Plan): Transport {
  return {
    ...inner,
    async send(call, signal) {
      const how = plan.failures.shift();
      if (how === 'unreachable') throw new Unavailable('planned');
      if (how !== undefined && /^\d+$/.test(how)) {
        return { status: Number(how), header: () => '', body: spoken('') };
      }
      const own = new AbortController();
      signal.addEventListener('abort', () => own.abort(), { once: true });
      const answer = await inner.send(call, own.signal);
      if (how !== undefined) return { ...answer, body: spoilt(answer.body, how, own) };
      if (!call.path.includes('watch=true')) return answer;
      const ended = { how: 'lose' };
      plan.end = (end) => {
        ended.how = end;
        own.abort();
      };
      return { ...answer, body: untilEnded(answer.body, ended) };
    },
  };
}

async function* untilEnded(
  body: ApiAnswer['body'],
  ended: { readonly how: string },
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (error) {
    if (ended.how === 'lose') throw error;
  }
}

async function* spoken(text: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(text);
}

/** The chunks of the next few turns, half of the last one, then a failure. */
async function* spoilt(
  body: ApiAnswer['body'],
  how: Failure,
  own: AbortController,
): AsyncGenerator<Uint8Array> {
  if (how === 'garbage') yield Buffer.from('garbage\n');
  const chunks: Uint8Array[] = [];
  const reading = (async () => {
    for await (const chunk of body) chunks.push(chunk);
  })().catch(() => undefined);
  await breath();
  await breath();
  own.abort();
  await reading;
  yield* chunks.slice(0, -1);
  const [last] = chunks.slice(-1);
  if (last !== undefined) yield how === 'end' ? last : last.subarray(0, last.length / 2);
  if (how === 'cut') throw new Error('ECONNRESET');
}

/** Replays the changes. @returns the objects that are left, by uid */
function replay(followed: readonly Followed<string>[]): ReadonlyMap<string, string> {
  const there = new Map<string, string>();
  const gone = new Set<string>();
  for (const change of followed) {
    if (change.type === 'synced') continue;
    const { type, uid, value } = change;
    assert.ok(!gone.has(uid), `${type} of ${uid} after its deletion`);
    assert.equal(there.has(uid), type === 'update' || type === 'delete', `${type} of ${uid}`);
    // A deletion that only a list shows has the last version seen.
    const least = Number(there.get(uid) ?? 0) + (type === 'update' ? 1 : 0);
    assert.ok(Number(value) >= least, `${type} of ${uid} to ${value} after ${there.get(uid)}`);
    if (type === 'delete') gone.add(uid);
    if (type === 'delete') there.delete(uid);
    else there.set(uid, value);
  }
  return there;
}

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
  assert.ok(synced > 10_000, `${synced} lists`);
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
