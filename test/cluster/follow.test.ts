/** Following over real HTTP, through one fault at a time. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createClusterApi,
  follow,
  openHttpTransport,
  type FollowState,
} from '../../src/cluster/index.ts';
import { SimulatedStore } from '../../src/demo/index.ts';
import { workload } from '../support/fleets/cluster-objects.ts';
import {
  startScriptedCluster,
  type SeenCall,
  type Trouble,
} from '../support/servers/scripted-cluster.ts';

const isWatch = ({ path }: SeenCall): boolean => path.includes('watch=true');
const isPage = (call: SeenCall): boolean => !isWatch(call);

/** A failure of the n-th call, from 0, that `which` selects. */
function at(which: (call: SeenCall) => boolean, n: number, trouble: Trouble): Script {
  let seen = 0;
  return (call) => (which(call) && seen++ === n ? trouble : undefined);
}

type Script = (call: SeenCall) => Trouble;

const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const gone = event('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' });
const failed = event('ERROR', { kind: 'Status', code: 500, message: 'etcd' });
const bare = event('BOOKMARK', { metadata: { resourceVersion: '' } });

const say = (text: string | Uint8Array, then: 'end' | 'reset' | 'silence'): Script =>
  at(isWatch, 0, { does: 'say', text, then });
const refuse = (which: typeof isWatch, status: number): Script =>
  at(which, 0, { does: 'refuse', status });
const overloaded = { does: 'refuse', status: 429, headers: { 'retry-after': '1' } } as const;

/** Name, failure, how often the kind is listed, the first state. */
const FAULTS: readonly (readonly [string, Script, number, FollowState['state']])[] = [
  ['nothing', () => undefined, 1, 'following'],
  ['a clean end', say('', 'end'), 1, 'following'],
  ['a reset before the answer', at(isWatch, 0, { does: 'reset' }), 1, 'following'],
  ['a reset amid an event', say('{"ty', 'reset'), 1, 'following'],
  ['an end amid an event', say('{"type":"AD', 'end'), 1, 'following'],
  ['a half-open connection', say('', 'silence'), 1, 'following'],
  ['410 as status', refuse(isWatch, 410), 2, 'following'],
  ['410 as event', say(gone, 'end'), 2, 'following'],
  ['410 amid pages', at(isPage, 1, { does: 'refuse', status: 410 }), 2, 'retrying'],
  ['429', at(isWatch, 0, overloaded), 1, 'following'],
  ['429 to a list', at(isPage, 0, overloaded), 2, 'following'],
  ['500', refuse(isWatch, 500), 1, 'following'],
  ['500 as event', say(failed, 'end'), 1, 'following'],
  ['a line of garbage', say('<html>\n', 'silence'), 1, 'following'],
  ['no UTF-8', say(Buffer.from([0x7b, 0xff, 0x0a]), 'silence'), 1, 'following'],
  ['a bookmark of nothing', say(bare, 'silence'), 1, 'following'],
  ['characters cut in two', at(isWatch, 0, { does: 'dribble', bytes: 1 }), 1, 'following'],
  ['a refused token', refuse(() => true, 401), 2, 'following'],
  ['a kind we may not read yet', refuse(isPage, 403), 2, 'refused'],
];

describe('following a kind', () => {
  for (const [name, script, listed, firstState] of FAULTS) {
    test(`P-K1, P-K3: through ${name} yields each change once`, async () => {
      const store = new SimulatedStore({ nowMs: Date.now });
      for (const path of ['a/one', 'a/two', 'b/three']) store.put('Deployment', workload(path));
      const cluster = await startScriptedCluster(store, script, { bookmarkMs: 20 });
      const stop = new AbortController();
      const seen: string[] = [];
      const states: FollowState[] = [];
      const api = createClusterApi(await openHttpTransport(cluster.kubeconfig), {
        pageObjects: 2,
        silenceMs: 150,
        callsPerSecond: Infinity,
        pause: () => sleep(1),
      });
      const following = follow(api, {
        kind: 'Deployment',
        valueOf: ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
        signal: stop.signal,
        pause: () => sleep(1),
        onState: (state) => states.push(state),
      });
      for await (const change of following) {
        seen.push(change.type === 'synced' ? 'synced' : `${change.type} ${change.value}`);
        if (seen.at(-1) === 'synced' && seen.length === 4) {
          store.remove('Deployment', { namespace: 'a', name: 'one' });
          store.put('Deployment', workload('a/ünï'));
          store.put('Deployment', workload('a/two', { app: {} }));
        }
        if (seen.includes('delete a/ünï')) stop.abort();
        if (seen.includes('update a/two'))
          store.remove('Deployment', { namespace: 'a', name: 'ünï' });
      }
      const changes = ['delete a/one', 'add a/ünï', 'update a/two', 'delete a/ünï'];
      const changesSeen = seen.filter((each) => each !== 'synced');
      assert.deepEqual(changesSeen.slice(0, 3), [
        'present a/one',
        'present a/two',
        'present b/three',
      ]);
      assert.deepEqual(changesSeen.slice(3).toSorted(), changes.toSorted());
      const lists = cluster.calls.filter((call) => isPage(call) && !call.path.includes('continue'));
      assert.equal(lists.length, listed);
      assert.equal(states[0]?.state, firstState);
      assert.equal(states.at(-1)?.state, 'following');
      api.close();
      await cluster.stop();
    });
  }
});
