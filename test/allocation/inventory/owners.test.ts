/** The controller that a pod's cost is told by. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FactName } from '../../../src/metrics/index.ts';
import { decide, requests, type Series } from '../../support/fleets/decided.ts';

interface Owned {
  readonly what: string;
  readonly series: readonly Series[];
  readonly kind: string;
  readonly name: string;
}

function owner(fact: FactName, kind: string, name: string, labels: object = {}): Series {
  return { fact, labels: { owner_kind: kind, owner_name: name, ...labels } };
}

const OWNED: readonly Owned[] = [
  { what: 'nothing', series: [], kind: '', name: '' },
  {
    what: 'a stateful set',
    series: [owner('podOwner', 'StatefulSet', 'db')],
    kind: 'statefulset',
    name: 'db',
  },
  {
    what: "a replica set: its deployment's",
    series: [
      owner('podOwner', 'ReplicaSet', 'web-7d9'),
      owner('replicaSetOwner', 'Deployment', 'web', { replicaset: 'web-7d9' }),
    ],
    kind: 'deployment',
    name: 'web',
  },
  {
    what: 'a replica set that nobody owns',
    series: [
      owner('podOwner', 'ReplicaSet', 'web-7d9'),
      owner('replicaSetOwner', '<none>', '<none>', { replicaset: 'web-7d9' }),
    ],
    kind: 'replicaset',
    name: 'web-7d9',
  },
  {
    what: "a replica set of the same name elsewhere: not that one's",
    series: [
      owner('podOwner', 'ReplicaSet', 'web-7d9'),
      owner('replicaSetOwner', 'Deployment', 'x', { replicaset: 'web-7d9', namespace: 'other' }),
    ],
    kind: 'replicaset',
    name: 'web-7d9',
  },
  {
    what: "a job: its cron job's, by the job's owner",
    series: [
      owner('podOwner', 'Job', 'nightly-x'),
      owner('jobOwner', 'CronJob', 'nightly', { job_name: 'nightly-x' }),
    ],
    kind: 'job',
    name: 'nightly',
  },
  {
    what: "a job whose own owner a scrape label hides: its cron job's",
    series: [
      owner('podOwner', 'Job', 'nightly-x'),
      owner('jobOwner', 'CronJob', 'nightly', {
        job_name: 'kube-state-metrics',
        exported_job_name: 'nightly-x',
      }),
    ],
    kind: 'job',
    name: 'nightly',
  },
  {
    what: "a job named as cron jobs name theirs: the cron job's",
    series: [owner('podOwner', 'Job', 'nightly-28473120')],
    kind: 'job',
    name: 'nightly',
  },
  {
    what: 'a job of its own',
    series: [owner('podOwner', 'Job', 'import-42')],
    kind: 'job',
    name: 'import-42',
  },
  { what: 'a node (a static pod)', series: [owner('podOwner', 'Node', 'n1')], kind: '', name: '' },
  {
    what: 'its creator, where no owner is told',
    series: [
      { fact: 'podInfo', labels: { created_by_kind: 'DaemonSet', created_by_name: 'agent' } },
    ],
    kind: 'daemonset',
    name: 'agent',
  },
  {
    what: 'a controller before a mere owner',
    series: [
      owner('podOwner', 'Workflow', 'mere', { owner_is_controller: 'false' }),
      owner('podOwner', 'StatefulSet', 'db', { owner_is_controller: 'true' }),
      owner('podOwner', 'Other', 'mere', { owner_is_controller: 'false' }),
    ],
    kind: 'statefulset',
    name: 'db',
  },
];

describe('a pod owned by', () => {
  for (const { what, series, kind, name } of OWNED)
    test(what, () => {
      const [workload] = decide([requests({}), ...series]);
      assert.equal(workload?.pod.controllerKind, kind);
      assert.equal(workload?.pod.controller, name);
    });
});
