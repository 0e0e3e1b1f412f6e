/**
 * Allocations of a cluster of which nothing is known but the samples that the objects of its API become,
 * taken each minute: lives, requests, owners, services and volumes are exact to the millisecond.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Kind } from '../../../src/cluster/index.ts';
import { followedSeries, type ObjectChange } from '../../support/clusters/followed-series.ts';
import {
  apiTime,
  endedPod,
  readyNode,
  runningPod,
  stored,
  type Written,
} from '../../support/fleets/api-objects.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';

const MINUTE_MS = 60_000;
const FROM_MS = Date.UTC(2026, 0, 5, 10);
/** A time within the window of an hour; the cluster is followed ten minutes longer on either side. */
const at = (minutes: number, seconds: number = 0): number =>
  FROM_MS + minutes * MINUTE_MS + seconds * 1000;
const [BEGIN_MS, END_MS] = [at(-10), at(70)];
const GIB = 2 ** 30;

const put = (atMs: number, kind: Kind, written: Written): ObjectChange => ({
  atMs,
  apply: (store) => void store.put(kind, stored(written)),
});
const remove = (atMs: number, name: string): ObjectChange => ({
  atMs,
  apply: (store) => store.remove('Pod', { namespace: 'shop', name }),
});
const owned = (pod: Written, kind: string, name: string, more: object = {}): Written => ({
  ...pod,
  metadata: { ...pod.metadata, ...more, ownerReferences: [{ kind, name, controller: true }] },
});
const controlled = (path: string, kind: string, name: string): Written => {
  const [namespace = '', own = ''] = path.split('/');
  return owned({ metadata: { namespace, name: own } }, kind, name);
};
const web = (cpu: string, more: object = {}): Written => {
  const pod = runningPod({ path: 'shop/web', startMs: at(-5), cpu });
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  return owned({ ...pod, spec: { ...pod.spec, volumes } }, 'ReplicaSet', 'web-1', more);
};
const nightly = { path: 'shop/nightly-1-x', startMs: at(5, 10), cpu: '2' };
const brief = { path: 'shop/brief', startMs: at(30, 5), cpu: '1' };
const late = { path: 'shop/late', startMs: at(30), cpu: '1' };
const early = { path: 'shop/early', startMs: at(15, 1), cpu: '1' };

const CHANGES: readonly ObjectChange[] = [
  put(at(-9), 'Node', readyNode('n1', at(-20))),
  put(at(-9), 'Namespace', { metadata: { name: 'shop', labels: { team: 'a' } } }),
  put(at(-9), 'ReplicaSet', controlled('shop/web-1', 'Deployment', 'web')),
  put(at(-9), 'Job', controlled('shop/nightly-1', 'CronJob', 'nightly')),
  put(at(-9), 'Service', {
    metadata: { namespace: 'shop', name: 'front' },
    spec: { selector: { app: 'web' } },
  }),
  put(at(-9), 'PersistentVolume', {
    metadata: { name: 'pv-1' },
    spec: { capacity: { storage: '8Gi' }, storageClassName: 'gp3' },
  }),
  put(at(-9), 'PersistentVolumeClaim', {
    metadata: { namespace: 'shop', name: 'data' },
    spec: { volumeName: 'pv-1', resources: { requests: { storage: '8Gi' } } },
  }),
  put(at(-5, 1), 'Pod', web('500m')),
  // It comes half a minute late, as after a connection was lost, and its fields tell when it was.
  put(at(20, 48), 'Pod', web('2', { managedFields: [{ time: apiTime(at(20, 15)) }] })),
  put(at(5, 11), 'Pod', owned(runningPod(nightly), 'Job', 'nightly-1')),
  put(at(7, 41), 'Pod', owned(endedPod({ ...nightly, endMs: at(7, 40) }), 'Job', 'nightly-1')),
  remove(at(7, 42), 'nightly-1-x'),
  // Two that come and go between two takings, of which one is resized.
  put(at(30, 6), 'Pod', runningPod(brief)),
  put(at(30, 40), 'Pod', endedPod({ ...brief, endMs: at(30, 40) })),
  remove(at(30, 41), 'brief'),
  put(at(15, 2), 'Pod', runningPod(early)),
  put(at(15, 21), 'Pod', runningPod({ ...early, cpu: '3' })),
  put(at(15, 51), 'Pod', endedPod({ ...early, cpu: '3', endMs: at(15, 51) })),
  remove(at(15, 52), 'early'),
  // Its object goes at once, and nothing tells of its containers.
  put(at(30, 1), 'Pod', runningPod(late)),
  remove(at(45, 30), 'late'),
];

function fail(): never {
  throw new Error('BUG: no such row');
}

interface Row {
  readonly start: string;
  readonly end: string;
  readonly minutes: number;
  readonly cpuCoreHours: number;
  readonly ramByteHours: number;
  readonly pvByteHours: number;
  readonly endSource?: string;
  readonly properties: {
    readonly controller?: string;
    readonly controllerKind?: string;
    readonly services?: readonly string[];
    readonly namespaceLabels?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** Pod, from, to, core hours, GiB hours of storage. */
// prettier-ignore
const LIVES: readonly (readonly [pod: string, fromMs: number, toMs: number, coreHours: number, storage: number])[] = [
  ['web', at(0), at(60), (0.5 * 20.25 + 2 * 39.75) / 60, 8],
  ['nightly-1-x', at(5, 10), at(7, 40), (2 * 150) / 3600, 0],
  ['brief', at(30, 5), at(30, 40), 35 / 3600, 0],
  ['early', at(15, 1), at(15, 51), (20 + 3 * 30) / 3600, 0],
  ['late', at(30), at(45, 30), 15.5 / 60, 0],
];

describe('allocations of objects alone', () => {
  let store: ScriptedStore;
  let server: BundleServer;
  let rows: Readonly<Record<string, Row>> = {};
  before(async () => {
    const series = await followedSeries(CHANGES, { startMs: BEGIN_MS, endMs: END_MS });
    store = await startScriptedStore(remoteReads(() => series));
    server = await startBundleServer([
      `--metrics-url=${store.url}`,
      `--now=${apiTime(at(120))}`,
      '--workers=1',
    ]);
    const window = `${apiTime(at(0))},${apiTime(at(60))}`;
    const answer = await server.compute(`window=${window}&aggregate=pod&resolution=exact`);
    assert.equal(answer.status, 200, answer.text);
    const {
      data: [set = {}],
    } = JSON.parse(answer.text) as { data: readonly Record<string, Row>[] };
    rows = set;
  });
  after(async () => {
    await server.stop();
    await store.stop();
  });

  for (const [pod, fromMs, toMs, coreHours, storage] of LIVES) {
    test(`${pod} lives and holds what the API told`, () => {
      const row = rows[pod];
      assert.ok(row, `${pod} has a row`);
      const hours = (toMs - fromMs) / 3_600_000;
      near(row.minutes, 60 * hours);
      near(row.cpuCoreHours, coreHours);
      near(row.ramByteHours, GIB * hours);
      near(row.pvByteHours, storage * GIB);
    });
  }

  test('owners, services and labels are told', () => {
    const { properties } = rows['web'] ?? fail();
    assert.equal(properties.controller, 'web');
    assert.equal(properties.controllerKind, 'deployment');
    assert.deepEqual(properties.services, ['front']);
    assert.deepEqual(properties.namespaceLabels, { team: 'a' });
    assert.equal(rows['nightly-1-x']?.properties.controller, 'nightly');
  });
});

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.abs(expected), `${actual}, not ${expected}`);
}
