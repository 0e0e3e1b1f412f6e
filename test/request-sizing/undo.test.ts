/** Undo, and bodies that apply refuses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '../../src/query/index.ts';
import { readTargets } from '../../src/request-sizing/index.ts';
import { workload } from '../support/fleets/cluster-objects.ts';
import {
  apply,
  LIVE,
  LOWERED,
  newApplyRunner,
  planOf,
  requests,
  target,
} from '../support/servers/sizing-applies.ts';
import { quickApi } from '../support/servers/quick-api.ts';
import { CLUSTER, newStore } from '../support/servers/sizing-cluster.ts';

const whole = new AbortController().signal;

describe('an undo', () => {
  test('P-A9: restores exactly the requests before', async () => {
    const store = newStore();
    const odd = { cpu: '0.5', memory: '536870912' };
    store.put('Deployment', workload('web/shop', { app: { requests: odd } }));
    const runner = newApplyRunner(quickApi(store));
    await apply(runner, planOf('web/deployment:shop'));
    assert.deepEqual(requests(store, 'shop'), LOWERED);
    const run = await runner.undo(undefined, whole);
    assert.deepEqual((await run.result).Errors, []);
    assert.deepEqual(requests(store, 'shop'), odd);
    await assert.rejects(() => runner.undo(undefined, whole), { status: 404 });
  });

  test('is of the last apply alone, unless another is named', async () => {
    const store = newStore();
    store.put('Deployment', workload('web/shop'));
    const runner = newApplyRunner(quickApi(store));
    await apply(runner, planOf('web/deployment:shop'));
    await apply(runner, planOf('web/deployment:shop', { app: target(100, 128) }));
    await (
      await runner.undo(undefined, whole)
    ).result;
    assert.deepEqual(requests(store, 'shop'), LOWERED);
    const [last, first] = (await runner.runs()).filter(({ what }) => what === 'apply');
    await assert.rejects(() => runner.undo(undefined, whole), {
      status: 404,
      message: `nothing is left to undo: the last apply, ${last?.id}, is undone`,
      hint: `to undo the apply before it, send {"id":"${first?.id}"}`,
    });
    assert.deepEqual(requests(store, 'shop'), LOWERED);
    await (
      await runner.undo(first?.id, whole)
    ).result;
    assert.deepEqual(requests(store, 'shop'), LIVE);
    await assert.rejects(() => runner.undo(undefined, whole), {
      status: 404,
      hint: 'GET /cluster/requestsizer/applies lists them',
    });
  });

  test('leaves controllers that were changed or created anew since', async () => {
    const store = newStore();
    for (const name of ['shop', 'anew']) store.put('Deployment', workload(`web/${name}`));
    const runner = newApplyRunner(quickApi(store));
    const plans = ['shop', 'anew'].map((Name) => ({
      Name,
      Kind: 'deployment',
      ContainerPlans: { app: target(200, 256) },
    }));
    await apply(runner, { [CLUSTER]: { web: plans } });
    store.put('Deployment', workload('web/shop', { app: { requests: { cpu: '300m', memory: '256Mi' } } })); // prettier-ignore
    store.remove('Deployment', { namespace: 'web', name: 'anew' });
    store.put('Deployment', workload('web/anew', { app: { requests: LOWERED } }));
    const { Errors, Warnings } = await (await runner.undo(undefined, whole)).result;
    assert.deepEqual(Errors, []);
    assert.match(
      Warnings.join('\n'),
      /app was changed since: cpu stays.*\n.*anew: .*made anew since/,
    );
    assert.deepEqual(requests(store, 'shop'), { cpu: '300m', memory: '512Mi' });
    assert.deepEqual(requests(store, 'anew'), LOWERED);
  });

  test('works while the roll-out of what it undoes is stuck', async () => {
    const store = newStore();
    store.put('Deployment', workload('web/shop'));
    const runner = newApplyRunner(
      quickApi(store, {
        rolledOut: (object) => ({ ...object, status: { ...object.status, updatedReplicas: 0 } }),
      }),
    );
    await apply(runner, planOf('web/deployment:shop'));
    await (
      await runner.undo(undefined, whole)
    ).result;
    assert.deepEqual(requests(store, 'shop'), LIVE);
  });
});

/** Body, status, the field that is named. */
const BAD: readonly (readonly [unknown, number, string | undefined])[] = [
  [[], 400, undefined],
  [{ Recommendations: [] }, 400, undefined],
  [{ controllers: [] }, 400, undefined],
  [null, 400, undefined],
  [{ far: {} }, 422, 'far'],
  [{ [CLUSTER]: [] }, 400, CLUSTER],
  [{ [CLUSTER]: { 'a/b': [] } }, 400, CLUSTER],
  [planOf('web/deployment:../x'), 400, `${CLUSTER}.web[0].Name`],
  [planOf('web/deployment:..'), 400, `${CLUSTER}.web[0].Name`],
  [planOf('web/cronjob:x'), 400, `${CLUSTER}.web[0].Kind`],
  [planOf('web/deployment:x', { app: target(-1, 1) }), 400, `${CLUSTER}.web[0].ContainerPlans.app.TargetCPURequestMillicores`], // prettier-ignore
  [planOf('web/deployment:x', { app: target(1, 2 ** 60) }), 400, `${CLUSTER}.web[0].ContainerPlans.app.TargetRAMRequestBytes`], // prettier-ignore
  [planOf('web/deployment:x', { app: { TargetCPURequestMillicores: '1' } }), 400, `${CLUSTER}.web[0].ContainerPlans.app`], // prettier-ignore
  [
    {
      [CLUSTER]: { web: [1, 2].map(() => ({ Name: 'x', Kind: 'deployment', ContainerPlans: {} })) },
    },
    400,
    `${CLUSTER}.web[1]`,
  ],
];

test('a body that is no plan of this cluster is refused, and its field named', () => {
  for (const [body, status, field] of BAD) {
    assert.throws(
      () => readTargets(body, CLUSTER),
      (error) => {
        assert.ok(error instanceof Fault, String(error));
        assert.deepEqual([error.status, error.parameter], [status, field], JSON.stringify(body));
        return true;
      },
    );
  }
  assert.throws(() => readTargets([], CLUSTER), { hint: /requestsizer\/plan/ });
});
