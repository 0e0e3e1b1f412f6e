/** Plan: what of recommendations can be done, and what not. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planRequests, readRecommendations } from '../../src/request-sizing/index.ts';
import type { PlanOptions } from '../../src/request-sizing/index.ts';
import { Fault } from '../../src/query/index.ts';
import { workload } from '../support/fleets/cluster-objects.ts';
import { quickApi } from '../support/servers/quick-api.ts';
import { CLUSTER, newStore, planOptions, row } from '../support/servers/sizing-cluster.ts';

const MIB = 2 ** 20;
const TWO = {
  app: { requests: { cpu: '500m', memory: '512Mi' } },
  proxy: { requests: { cpu: '100m', memory: '128Mi' } },
};
const owned = (kind: string, name: string): object => ({
  metadata: { ownerReferences: [{ kind, name, controller: true }] },
});

function cluster(): PlanOptions {
  const store = newStore();
  store.put('Deployment', workload('web/shop', TWO));
  store.put('ReplicaSet', workload('web/shop-1', TWO, owned('Deployment', 'shop')));
  store.put('ReplicaSet', workload('web/alone'));
  store.put('StatefulSet', workload('data/db', { db: { requests: { cpu: '1' } } }));
  store.put('StatefulSet', workload('data/run', undefined, owned('Prometheus', 'run')));
  store.put('DaemonSet', workload('kube-system/proxy'));
  store.put('DaemonSet', workload('web/shop'));
  store.put('Deployment', {
    ...workload('tight/app', { app: { requests: { cpu: '500m' }, limits: { cpu: '1' } } }),
  });
  const limits = [{ type: 'Container', min: { cpu: '100m' }, maxLimitRequestRatio: { cpu: '4' } }];
  store.put('LimitRange', { metadata: { namespace: 'tight', name: 'r' }, spec: { limits } });
  return planOptions(quickApi(store));
}

const target = (cpu: number, ramMib: number): object => ({
  TargetCPURequestMillicores: cpu,
  TargetRAMRequestBytes: ramMib * MIB,
});
const one = (namespace: string, Kind: string, Name: string, ContainerPlans: object): object => ({
  [CLUSTER]: { [namespace]: [{ Name, Kind, ContainerPlans }] },
});

/** Name, body, plan, what is dropped. */
const CASES: readonly (readonly [string, unknown, object, readonly RegExp[]])[] = [
  [
    'rows of the second version',
    [row('web/deployment:shop/app', '200m', '256Mi')],
    one('web', 'deployment', 'shop', { app: target(200, 256) }),
    [],
  ],
  [
    'the object of the second version',
    { TotalMonthlySavings: 1, Count: 1, Recommendations: [row('web/Deployment:shop/app', '200m', '256Mi')] }, // prettier-ignore
    one('web', 'deployment', 'shop', { app: target(200, 256) }),
    [],
  ],
  [
    'controllers of the first version',
    { controllers: [{ name: 'shop', kind: 'deployment', namespace: 'web', clusterId: CLUSTER, containers: { app: { requests: { cpu: '0.2', ram: '256Mi' } }, proxy: { target: { cpu: 0.05, ram: 67_108_864 } } } }] }, // prettier-ignore
    one('web', 'deployment', 'shop', { app: target(200, 256), proxy: target(50, 64) }),
    [],
  ],
  [
    'a controller whose kind is not told, but plain',
    { controllers: [{ name: 'db', namespace: 'data', clusterId: CLUSTER, containers: { db: { requests: { cpu: '300m' } } } }] }, // prettier-ignore
    one('data', 'statefulset', 'db', { db: target(300, 0) }),
    [],
  ],
  [
    'a controller whose kind is not told, and several have its name',
    { controllers: [{ name: 'shop', namespace: 'web', clusterId: CLUSTER, containers: { app: { requests: { cpu: '300m' } } } }] }, // prettier-ignore
    {},
    [/several are called so/],
  ],
  [
    'a ReplicaSet of its own',
    [row('web/replicaset:alone/app', '100m', '64Mi')],
    one('web', 'replicaset', 'alone', { app: target(100, 64) }),
    [],
  ],
  ['a ReplicaSet of a Deployment', [row('web/replicaset:shop-1/app', '100m', '64Mi')], {}, [/it belongs to Deployment shop/]], // prettier-ignore
  ['a StatefulSet of an operator', [row('data/statefulset:run/app', '100m', '64Mi')], {}, [/it belongs to Prometheus run/]], // prettier-ignore
  ['a Job', [row('web/job:once/app', '100m', '64Mi')], {}, [/a job cannot be changed/]],
  ['a pod without controller', [row('web/:/app', '100m', '64Mi')], {}, [/no controller/]],
  ['another cluster', [row('web/deployment:shop/app', '1m', '1Mi', 'far')], {}, [/another cluster/]], // prettier-ignore
  ['a controller that is gone', [row('web/deployment:old/app', '1m', '1Mi')], {}, [/no such controller/]], // prettier-ignore
  ['a container that is gone', [row('web/deployment:shop/old', '1m', '1Mi')], {}, [/no such container/]], // prettier-ignore
  ['a namespace that is left alone', [row('kube-system/daemonset:proxy/app', '50m', '64Mi')], {}, [/left alone/]], // prettier-ignore
  [
    'targets above the live requests',
    [row('web/deployment:shop/app', '600m', '1Gi')],
    {},
    [/cpu would be raised from 500m to 600m/, /memory would be raised from 512Mi to 1Gi/],
  ],
  [
    'one target above, one below',
    [row('web/deployment:shop/app', '600m', '256Mi')],
    one('web', 'deployment', 'shop', { app: target(500, 256) }),
    [/cpu would be raised/],
  ],
  ['targets that are met', [row('web/deployment:shop/app', '0.5', '512Mi')], {}, []],
  [
    'targets below the floors',
    [row('web/deployment:shop/app', '1m', '1Mi')],
    one('web', 'deployment', 'shop', { app: target(25, 64) }),
    [],
  ],
  [
    'a resource without request',
    [row('data/statefulset:db/db', '300m', '64Mi')],
    one('data', 'statefulset', 'db', { db: target(300, 0) }),
    [/no memory request is set/],
  ],
  [
    'a limit range with a least request and a ratio',
    [row('tight/deployment:app/app', '50m', '64Mi')],
    one('tight', 'deployment', 'app', { app: target(250, 0) }),
    [/no memory request/],
  ],
  [
    'a container that is recommended twice',
    [row('web/deployment:shop/app', '200m', '256Mi'), row('web/deployment:shop/app', '100m', '256Mi')], // prettier-ignore
    one('web', 'deployment', 'shop', { app: target(200, 256) }),
    [/recommended twice/],
  ],
  ['nothing', [], {}, []],
];

describe('a plan', () => {
  for (const [name, body, plan, dropped] of CASES) {
    test(`P-A5: made of ${name}`, async () => {
      const { signal } = new AbortController();
      const planned = await planRequests(cluster(), readRecommendations(body), signal);
      assert.deepEqual(planned.plan, plan);
      assert.equal(planned.dropped.length, dropped.length, planned.dropped.join('\n'));
      dropped.forEach((why, i) => assert.match(planned.dropped[i] ?? '', why));
    });
  }
});

const V1 = { name: 'a', namespace: 'b', clusterId: 'c', containers: {} };

/** Body, the field that is named. */
const BAD: readonly (readonly [unknown, string | undefined])[] = [
  [null, undefined],
  [1, undefined],
  ['text', undefined],
  [{}, undefined],
  [{ Recommendations: null }, 'Recommendations'],
  [{ Recommendations: [1] }, 'Recommendations[0]'],
  [[{}], '[0]'],
  [[row('a/b:c/d', '-1m', '1Mi')], '[0].recommendedRequest.cpu'],
  [[row('a/b:c/d', '1m', '1e30')], '[0].recommendedRequest.memory'],
  [[row('a/b:c/d', 'much', '1Mi')], '[0].recommendedRequest.cpu'],
  [[{ ...row('a/b:c/d', '1m', '1Mi'), namespace: 'a/b' }], '[0].namespace'],
  [[{ ...row('a/b:c/d', '1m', '1Mi'), controllerName: 'a\u0000' }], '[0].controllerName'],
  [[{ ...row('a/b:c/d', '1m', '1Mi'), containerName: 7 }], '[0].containerName'],
  [{ controllers: [{ ...V1, name: '../x' }] }, 'controllers[0].name'],
  [{ controllers: [{ ...V1, containers: [] }] }, 'controllers[0].containers'],
  [{ controllers: [{ ...V1, containers: { d: { requests: { cpu: 'x' } } } }] }, 'controllers[0].containers.d.cpu'], // prettier-ignore
];

test('a body that is no recommendation is refused, and its field named', () => {
  for (const [body, field] of BAD) {
    assert.throws(
      () => readRecommendations(body),
      (error) => error instanceof Fault && error.status === 400 && error.parameter === field,
      `${JSON.stringify(body)} ${field}`,
    );
  }
});
