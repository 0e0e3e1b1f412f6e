/** Following through random histories and random faults, without sockets: what is told is true. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as breath } from 'node:timers/promises';
import fc from 'fast-check';
import {
  createClusterApi,
  follow,
  SimulatedStore,
  simulatedTransport,
  type ApiAnswer,
  type Followed,
  type Transport,
} from '../../src/cluster/index.ts';
import { Unavailable } from '../../src/query/index.ts';
import { workload } from '../support/cluster-objects.ts';

type Step =
  | { readonly does: 'put' | 'remove'; readonly name: string }
  | { readonly does: 'compact' | 'breathe' }
  /** The watch that is open is closed, or its connection lost. */
  | { readonly does: 'close' | 'lose' }
  /** Of the next call. */
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

/** What goes wrong, as it is planned. */
interface Plan {
  readonly failures: Failure[];
  /** Ends the watch that is open. */
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

/** What comes within a few turns, the last chunk only half; then trouble. */
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

/** Tells what was said of each object, in order, and what is left of it. */
function replay(told: readonly Followed<string>[]): ReadonlyMap<string, string> {
  const there = new Map<string, string>();
  const gone = new Set<string>();
  for (const change of told) {
    if (change.type === 'synced') continue;
    const { type, uid, value } = change;
    assert.ok(!gone.has(uid), `${type} of ${uid} after its deletion`);
    assert.equal(there.has(uid), type === 'update' || type === 'delete', `${type} of ${uid}`);
    // A deletion that only a list told of has the version that was last seen.
    const least = Number(there.get(uid) ?? 0) + (type === 'update' ? 1 : 0);
    assert.ok(Number(value) >= least, `${type} of ${uid} to ${value} after ${there.get(uid)}`);
    if (type === 'delete') gone.add(uid);
    if (type === 'delete') there.delete(uid);
    else there.set(uid, value);
  }
  return there;
}

test('whatever happens between, what is told adds up to what is there', async () => {
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
      const told: Followed<string>[] = [];
      let last = 'none yet';
      const following = follow(api, {
        kind: 'Deployment',
        keep: ({ metadata }) => metadata.resourceVersion,
        signal: stop.signal,
        pause: () => breath(),
      });
      const ended = (async () => {
        for await (const change of following) {
          told.push(change);
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
      assert.deepEqual(new Map(replay(told)), new Map(there));
      if (mayForget) return;
      // Nothing was forgotten: each change since the first list was told, one by one.
      const begin = told.findIndex(({ type }) => type === 'synced');
      const first = firstVersion(told.slice(0, begin));
      const versions = told.slice(begin + 1).map(versionOf);
      const changes = store.changesAfter('Deployment', first).map(({ version }) => String(version));
      assert.deepEqual(versions, changes.slice(changes.length - versions.length));
    }),
    { numRuns: 10_000, includeErrorInReport: true },
  );
  assert.ok(synced > 10_000, `${synced} lists`);
});

/** Of the server's history: then what came and went meanwhile is not told. */
function isForgetting(step: Step): boolean {
  return step.does === 'compact' || (step.does === 'fail' && step.how === '410');
}

function firstVersion(present: readonly Followed<string>[]): number {
  return Math.max(0, ...present.map((change) => Number(versionOf(change))));
}

function versionOf(change: Followed<string>): string {
  return change.type === 'synced' ? '' : change.value;
}
