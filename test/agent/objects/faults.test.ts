/** Objects of a cluster whose API server does not do as it should. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectFacts } from '../../../src/agent/index.ts';
import { runningPod, stored, type Written } from '../../support/fleets/api-objects.ts';
import { textOf } from '../../support/references/sample-texts.ts';
import { inObjectWorld, START_MS, until } from '../../support/servers/object-world.ts';
import type { SeenCall, Trouble } from '../../support/servers/scripted-cluster.ts';

const TIME_MS = START_MS + 600_000;

function pods(facts: ObjectFacts): string[] {
  return [...facts.samples(TIME_MS)]
    .filter(({ timeMs }) => timeMs === TIME_MS)
    .map(textOf)
    .flatMap((text) => /^kube_pod_info\{.*pod="(\w+)"/.exec(text)?.[1] ?? []);
}

/** The first watch of pods goes so. */
function firstWatch(trouble: Trouble): (call: SeenCall) => Trouble {
  let seen = 0;
  return ({ path }) => (/\/pods\?watch/.test(path) && seen++ === 0 ? trouble : undefined);
}

const silence: Trouble = { does: 'say', text: '', then: 'silence' };
const gone: Trouble = { does: 'refuse', status: 410, reason: 'Expired' };
const busy: Trouble = { does: 'refuse', status: 429, headers: { 'retry-after': '1' } };

/** Name, trouble, how often pods are listed. */
const TROUBLES: readonly (readonly [string, Trouble, number])[] = [
  ['a watch that falls silent', silence, 1],
  ['a history that does not reach back', gone, 2],
  ['a server that is busy', busy, 1],
  ['a connection that breaks', { does: 'reset' }, 1],
];

describe('objects are followed through', () => {
  for (const [name, trouble, lists] of TROUBLES) {
    test(name, async () => {
      await inObjectWorld(
        async ({ facts, store, changed }) => {
          store.put('Pod', stored(runningPod({ path: 'shop/new', node: 'n1' })));
          store.remove('Pod', { namespace: 'shop', name: 'db' });
          await changed('Pod', 4);
          assert.deepEqual(pods(facts).toSorted(), ['new', 'web']);
          const figures = facts.figures().kinds.find(({ kind }) => kind === 'Pod');
          assert.equal(figures?.lists, lists);
          await until(() => facts.figures().kinds.every(({ why }) => why === ''), 'all is well');
        },
        { script: firstWatch(trouble) },
      );
    });
  }

  test('a kind that may not be read: the others are told, and why it is not', async () => {
    const script = ({ path }: SeenCall): Trouble =>
      /\/jobs/.test(path) ? { does: 'refuse', status: 403, message: 'no jobs for you' } : undefined;
    await inObjectWorld(
      async ({ facts, changed }) => {
        const job = (): ReturnType<ObjectFacts['figures']>['kinds'][number] | undefined =>
          facts.figures().kinds.find(({ kind }) => kind === 'Job');
        await changed('Pod', 2);
        await until(() => job()?.state === 'refused', 'jobs are refused');
        assert.match(job()?.why ?? '', /no jobs for you/);
        assert.equal(facts.isComplete, false);
        assert.deepEqual(pods(facts).toSorted(), ['db', 'web']);
      },
      { script, isPartial: true },
    );
  });

  test('a server without claims of devices, as before Kubernetes 1.34', async () => {
    const script = ({ path }: SeenCall): Trouble =>
      /resource\.k8s\.io/.test(path) ? { does: 'refuse', status: 404 } : undefined;
    await inObjectWorld(
      async ({ facts }) => {
        assert.equal(facts.isComplete, true);
        const absent = facts.figures().kinds.filter(({ state }) => state === 'absent');
        assert.deepEqual(
          absent.map(({ kind, why }) => [kind, why]),
          [
            ['ResourceClaim', ''],
            ['ResourceSlice', ''],
          ],
        );
      },
      { script },
    );
  });

  test('an object of a form that no server sends: it has no series, the others do', async () => {
    await inObjectWorld(async ({ facts, store, changed }) => {
      const odd: Written = {
        metadata: { namespace: 'shop', name: 'odd' },
        spec: { containers: 5 },
      };
      store.put('Pod', stored(odd));
      await changed('Pod', 3);
      assert.deepEqual(pods(facts).toSorted(), ['db', 'web']);
      const figures = facts.figures().kinds.find(({ kind }) => kind === 'Pod');
      assert.deepEqual([figures?.objects, figures?.malformed], [3, 1]);
    });
  });
});
