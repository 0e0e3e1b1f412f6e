/** Apply: what is changed, what not and why. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SimulatedObject, SimulatedStore } from '../../src/demo/index.ts';
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

interface Case {
  readonly name: string;
  readonly put?: SimulatedObject;
  readonly more?: (store: SimulatedStore) => void;
  readonly plan?: object;
  readonly becomes?: object;
  readonly errors?: readonly RegExp[];
  readonly warnings?: readonly RegExp[];
}

const hpa = {
  metadata: { namespace: 'web', name: 'scaler' },
  spec: {
    scaleTargetRef: { kind: 'Deployment', name: 'shop' },
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }],
  },
};

const CASES: readonly Case[] = [
  { name: 'lowers both requests', becomes: LOWERED },
  { name: 'leaves what is met', plan: planOf('web/deployment:shop', { app: target(500, 512) }) },
  { name: 'leaves what is not named by 0', plan: planOf('web/deployment:shop', { app: target(0, 256) }), becomes: { cpu: '500m', memory: '256Mi' } }, // prettier-ignore
  { name: 'rounds up to whole millicores and bytes', plan: planOf('web/deployment:shop', { app: { TargetCPURequestMillicores: 100.2, TargetRAMRequestBytes: 134217728.5 } }), becomes: { cpu: '101m', memory: '134217729' } }, // prettier-ignore
  { name: 'never raises', plan: planOf('web/deployment:shop', { app: target(501, 256) }), becomes: { cpu: '500m', memory: '256Mi' }, warnings: [/cpu would be raised from 500m to 501m/] }, // prettier-ignore
  { name: 'keeps to the floors', plan: planOf('web/deployment:shop', { app: target(1, 1) }), becomes: { cpu: '25m', memory: '64Mi' }, warnings: [/held at 25m/, /held at 64Mi/] }, // prettier-ignore
  { name: 'sets no request where there is none', put: workload('web/shop', { app: {} }), becomes: undefined as never, warnings: [/no cpu request/, /no memory request/] }, // prettier-ignore
  { name: 'leaves a paused controller', put: workload('web/shop', undefined, { spec: { paused: true } }), warnings: [/paused/] }, // prettier-ignore
  { name: 'leaves one that is being rolled out', put: workload('web/shop', undefined, { status: { updatedReplicas: 0 } }), warnings: [/rolled out/] }, // prettier-ignore
  { name: 'leaves one that its controller has not seen', put: workload('web/shop', undefined, { status: { observedGeneration: 0 } }), warnings: [/rolled out/] }, // prettier-ignore
  { name: 'leaves one that has an owner', put: workload('web/shop', undefined, { metadata: { ownerReferences: [{ kind: 'App', name: 'x', controller: true }] } }), warnings: [/App x/] }, // prettier-ignore
  { name: 'leaves one that is being deleted', put: workload('web/shop', undefined, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }), warnings: [/deleted/] }, // prettier-ignore
  { name: 'tells of a controller that is gone', plan: planOf('web/deployment:old'), errors: [/web\/deployment:old: it is gone/] }, // prettier-ignore
  { name: 'tells of a container that is gone', plan: planOf('web/deployment:shop', { old: target(1, 1), app: target(200, 256) }), becomes: LOWERED, warnings: [/no container old/] }, // prettier-ignore
  {
    name: 'warns of an autoscaler by the resource',
    more: (store) => void store.put('HorizontalPodAutoscaler', hpa),
    becomes: LOWERED,
    warnings: [/autoscaler scaler .* cpu/],
  },
  { name: 'does nothing for an empty plan', plan: {} },
];

describe('an apply', () => {
  for (const { name, put, more, plan, becomes, errors = [], warnings = [] } of CASES) {
    test(name, async () => {
      const store = newStore();
      const before = put ?? workload('web/shop');
      store.put('Deployment', before);
      more?.(store);
      const result = await apply(
        newApplyRunner(quickApi(store)),
        plan ?? planOf('web/deployment:shop'),
      );
      assert.equal(result.Errors.length, errors.length, result.Errors.join('\n'));
      errors.forEach((why, i) => assert.match(result.Errors[i] ?? '', why));
      assert.equal(result.Warnings.length, warnings.length, result.Warnings.join('\n'));
      warnings.forEach((why, i) => assert.match(result.Warnings[i] ?? '', why));
      const had = before.spec?.template?.spec?.containers?.[0]?.resources?.requests;
      assert.deepEqual(requests(store, 'shop'), becomes ?? had);
      assert.ok(result.TimeInitiated <= result.TimeFinished, 'times are in order');
    });
  }

  test('changes each kind, and leaves limits and other containers as they are', async () => {
    const store = newStore();
    const two = { app: { requests: LIVE, limits: LIVE }, proxy: { requests: LIVE } };
    const kinds = ['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet'] as const;
    for (const kind of kinds) store.put(kind, workload('web/shop', two));
    const Kind = (kind: string): object => ({
      Kind: kind.toLowerCase(),
      Name: 'shop',
      ContainerPlans: { app: target(200, 256) },
    });
    const result = await apply(newApplyRunner(quickApi(store)), {
      [CLUSTER]: { web: kinds.map(Kind) },
    });
    assert.deepEqual([result.Errors, result.Warnings], [[], []]);
    for (const kind of kinds) {
      const object = store.get(kind, { namespace: 'web', name: 'shop' });
      const containers = object?.spec?.template?.spec?.containers ?? [];
      assert.deepEqual(
        containers.map(({ resources }) => resources),
        [{ requests: LOWERED, limits: LIVE }, { requests: LIVE }],
      );
    }
  });

  test('does nothing where admission would raise another request', async () => {
    const store = newStore();
    store.put('Deployment', workload('web/shop'));
    const api = quickApi(store, {
      admitted: (object) => ({
        ...object,
        spec:
          workload('web/shop', { app: { requests: { cpu: '200m', memory: '1Gi' } } }).spec ?? {},
      }),
    });
    const { Errors } = await apply(newApplyRunner(api), planOf('web/deployment:shop'));
    assert.match(Errors.join(), /admission would raise memory of app to 1Gi/);
    assert.deepEqual(requests(store, 'shop'), LIVE);
  });

  test('changes nothing when it is repeated with the same plan', async () => {
    const store = newStore();
    store.put('Deployment', workload('web/shop'));
    const runner = newApplyRunner(quickApi(store));
    await apply(runner, planOf('web/deployment:shop'));
    const { version } = store;
    const again = await apply(runner, planOf('web/deployment:shop'));
    assert.deepEqual([again.Errors, again.Warnings, store.version], [[], [], version]);
  });

  test('P-A6: while another runs is refused with its id', async () => {
    const store = newStore();
    store.put('Deployment', workload('web/shop'));
    const runner = newApplyRunner(quickApi(store));
    const first = await runner.apply(readTargets(planOf('web/deployment:shop'), CLUSTER), whole);
    await assert.rejects(
      () => runner.apply([], whole),
      (error) => error instanceof Fault && error.status === 409 && error.message.includes(first.id),
    );
    await assert.rejects(() => runner.undo(undefined, whole), { status: 409 });
    await first.result;
    assert.deepEqual((await apply(runner, {})).Errors, []);
  });

  test('P-A8: changes at most five controllers a second', async () => {
    const store = newStore();
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) store.put('Deployment', workload(`web/${name}`));
    const plans = names.map((Name) => ({
      Name,
      Kind: 'deployment',
      ContainerPlans: { app: target(200, 256) },
    }));
    const beganMs = performance.now();
    await apply(newApplyRunner(quickApi(store), 50), { [CLUSTER]: { web: plans } });
    assert.ok(performance.now() - beganMs >= 59, 'three pauses of 20 ms');
  });

  test('P-A8: stops when three roll-outs failed', async () => {
    const store = newStore();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) store.put('Deployment', workload(`web/${name}`));
    const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }]; // prettier-ignore
    const api = quickApi(store, {
      rolledOut: (object) => ({ ...object, status: { ...object.status, conditions } }),
    });
    const plans = names.map((Name) => ({
      Name,
      Kind: 'deployment',
      ContainerPlans: { app: target(200, 256) },
    }));
    const runner = newApplyRunner(api);
    const result = await apply(runner, { [CLUSTER]: { web: plans } });
    assert.match(result.Errors.join(), /stopped before web\/deployment:d and 1 more: 3 roll-outs failed/); // prettier-ignore
    assert.deepEqual(
      names.map((name) => requests(store, name)),
      [LOWERED, LOWERED, LOWERED, LIVE, LIVE],
    );
    // So does the next, until they are well again or undone.
    const next = await apply(runner, planOf('web/deployment:e'));
    assert.match(next.Errors.join(), /3 roll-outs failed/);
  });

  test('stops before the next controller when the client went away', async () => {
    const store = newStore();
    store.put('Deployment', workload('web/shop'));
    const runner = newApplyRunner(quickApi(store));
    const targets = readTargets(planOf('web/deployment:shop'), CLUSTER);
    const run = await runner.apply(targets, AbortSignal.abort());
    assert.match((await run.result).Errors.join(), /the client went away/);
    assert.deepEqual(requests(store, 'shop'), LIVE);
  });
});
