/** The demo's simulated cluster and the demo's metrics have the same workloads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kind } from '../../src/cluster/index.ts';
import { DEMO_CLUSTER, DEMO_SEED, demoCluster } from '../../src/demo/index.ts';
import { readQuantity } from '../../src/query/index.ts';
import { demo, equals, NOW_MS, readDemo } from '../support/fleets/demo-reading.ts';
import { numberOf, type ReadSeries } from '../support/references/read-batches.ts';

const OF_CLUSTER = [equals('cluster_id', DEMO_CLUSTER)];
const KINDS: readonly Kind[] = ['StatefulSet', 'DaemonSet', 'ReplicaSet'];
/** A range with two scrapes, of which each series has at least one. */
const LATELY: readonly [number, number] = [NOW_MS - 120_000, NOW_MS];

async function series(metric: string): Promise<ReadSeries[]> {
  return [...(await readDemo(metric, LATELY, OF_CLUSTER, demo(DEMO_SEED))).values()];
}

test('each pod of the metrics has its controller, with its containers and their requests', async () => {
  const store = demoCluster(() => NOW_MS);
  const ownerOf = new Map<string, readonly [string, string, string]>();
  for (const { labels } of await series('kube_pod_owner')) {
    const { namespace = '', pod = '', owner_kind: kind = '', owner_name: name = '' } = labels;
    ownerOf.set(`${namespace}/${pod}`, [kind, namespace, name]);
  }
  const compared = new Map<string, number>();
  for (const one of await series('kube_pod_container_resource_requests')) {
    const { namespace = '', pod = '', container = '', resource = '' } = one.labels;
    const [kind = '', , name = ''] = ownerOf.get(`${namespace}/${pod}`) ?? [];
    const controller = KINDS.find((each) => each === kind);
    if (controller === undefined) continue;
    const object = store.get(controller, { namespace, name });
    const found = object?.spec?.template?.spec?.containers?.find((each) => each.name === container);
    const request = found?.resources?.requests?.[resource.replace('nvidia_com_', 'nvidia.com/')];
    const nanos = readQuantity(String(request));
    const where = `${kind} ${namespace}/${name} ${container} ${resource}`;
    assert.equal(nanos, BigInt(Math.round(numberOf(one.valueBits.at(-1) ?? 0n) * 1e9)), where);
    compared.set(controller, (compared.get(controller) ?? 0) + 1);
  }
  assert.deepEqual(
    [...compared.keys()].toSorted((a, b) => (a < b ? -1 : 1)),
    KINDS.toSorted((a, b) => (a < b ? -1 : 1)),
  );
});

test('each ReplicaSet belongs to a Deployment, and the newest one has the replicas', () => {
  const store = demoCluster(() => NOW_MS);
  const replicas = new Map<string, number>();
  for (const { metadata, spec } of store.list('ReplicaSet')) {
    const [owner] = metadata.ownerReferences ?? [];
    assert.equal(owner?.controller, true);
    const key = `${metadata.namespace}/${owner?.name}`;
    replicas.set(key, (replicas.get(key) ?? 0) + (spec?.replicas ?? 0));
  }
  const deployments = store.list('Deployment');
  assert.ok(deployments.length >= 10, `${deployments.length} deployments`);
  for (const { metadata, spec } of deployments) {
    const key = `${metadata.namespace}/${metadata.name}`;
    assert.equal(replicas.get(key), spec?.replicas, key);
  }
});
