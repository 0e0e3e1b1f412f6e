import assert from 'node:assert/strict';
import { test } from 'node:test';
import { USAGE, type Selection } from '../../src/metrics/index.ts';
import { readDemo, YESTERDAY } from '../support/fleets/demo-reading.ts';
import { numberOf, type ReadSeries } from '../support/references/read-batches.ts';
import { STALE_BITS } from '../support/stores/samples-encoding.ts';

async function daySeries(metric: string): Promise<ReadSeries[]> {
  return [...(await readDemo(metric, YESTERDAY)).values()];
}

const text = ({ labels }: ReadSeries, ...names: string[]): string =>
  names.map((name) => labels[name] ?? '').join('/');

/** Values by time, without the end's marker. */
function valuesOf({ timestampsMs, valueBits }: ReadSeries): Map<number, number> {
  const ended = valueBits.at(-1) === STALE_BITS ? -1 : undefined;
  const times = timestampsMs.slice(0, ended);
  return new Map(times.map((ms, i) => [ms, numberOf(valueBits[i] ?? 0n)]));
}

function firstOf(series: ReadSeries): number {
  return numberOf(series.valueBits[0] ?? 0n);
}

const MOUNTS = 'kube_pod_spec_volumes_persistentvolumeclaims_info';
const REQUESTED = 'kube_persistentvolumeclaim_resource_requests_storage_bytes';

test('each pod of a stateful set, and no other, mounts a claim of its own', async () => {
  const pods = (await daySeries('kube_pod_info'))
    .filter((pod) => text(pod, 'created_by_kind') === 'StatefulSet')
    .map((pod) => text(pod, 'cluster_id', 'namespace', 'pod', 'uid'));
  const mounts = await daySeries(MOUNTS);
  const mounting = mounts.map((one) => text(one, 'cluster_id', 'namespace', 'pod', 'uid'));
  assert.deepEqual(mounting.toSorted(), pods.toSorted());
  const claim = ['cluster_id', 'namespace', 'persistentvolumeclaim'];
  const claimed = new Set(mounts.map((one) => text(one, ...claim)));
  assert.equal(claimed.size, new Set(mounts.map((one) => text(one, ...claim, 'pod'))).size);
  for (const metric of ['kube_persistentvolumeclaim_info', REQUESTED]) {
    const claims = (await daySeries(metric)).map((one) => text(one, ...claim));
    assert.deepEqual(claims.toSorted(), [...claimed].toSorted(), metric);
  }
});

test('all volumes but one are claimed, and each has a size, a price and an id', async () => {
  const volumes = async (metric: string, name = 'persistentvolume'): Promise<string[]> =>
    (await daySeries(metric)).map((one) => text(one, 'cluster_id', name)).toSorted();
  const all = await volumes('kube_persistentvolume_capacity_bytes');
  const claimed = new Set(await volumes('kube_persistentvolumeclaim_info', 'volumename'));
  assert.equal(all.filter((name) => !claimed.has(name)).length, 1);
  assert.equal(claimed.size, all.length - 1);
  assert.deepEqual(await volumes('pv_hourly_cost'), all);
  assert.deepEqual(await volumes('kubecost_pv_info'), all);
  const usd = (await daySeries('pv_hourly_cost')).map((one) => firstOf(one) * 730);
  for (const perMonth of usd) assert.ok(perMonth > 0.08 && perMonth < 0.11, `${perMonth} USD/GiB`);
  const ids = (await daySeries('kubecost_pv_info')).map((one) => text(one, 'provider_id'));
  assert.equal(new Set(ids).size, all.length);
});

test('each deployment has a service that selects its pods, and two have a balancer', async () => {
  const app = ['cluster_id', 'namespace', 'label_app'];
  const deployed = (await daySeries('kube_pod_labels'))
    .filter(({ labels }) => labels['label_pod_template_hash'] !== undefined)
    .map((pod) => text(pod, ...app));
  const services = await daySeries('service_selector_labels');
  assert.deepEqual(new Set(services.map((one) => text(one, ...app))), new Set(deployed));
  const named = new Set(services.map((one) => text(one, 'cluster_id', 'namespace', 'service')));
  const balancers = await daySeries('kubecost_load_balancer_cost');
  assert.equal(new Set(balancers.map((one) => text(one, 'ingress_ip'))).size, 2);
  for (const one of balancers) {
    const service = text(one, 'cluster_id', 'namespace', 'service_name');
    assert.ok(named.has(service), `no service ${service}`);
    assert.ok(firstOf(one) > 0, `${service} costs nothing`);
  }
});

async function selected({ metric, matchers }: Selection): Promise<ReadSeries[]> {
  return [...(await readDemo(metric, YESTERDAY, matchers)).values()];
}

const POD = ['cluster_id', 'namespace', 'pod', 'pod_name'];

for (const [way, atLeast] of [
  ['zoneEgress', 300],
  ['regionEgress', 50],
  ['internetEgress', 20],
] as const)
  test(`${way} comes from at least ${atLeast} pods, and each sends less of it than in all`, async () => {
    const sent = new Map(
      (await selected(USAGE.transmit)).map((one) => [text(one, ...POD.slice(0, 3)), one]),
    );
    const leaving = await selected(USAGE[way]);
    let compared = 0;
    for (const one of leaving) {
      const pod = text(one, 'cluster_id', 'namespace', 'pod_name');
      const all = sent.get(pod);
      // A pod may live between two scrapes of one exporter.
      if (all === undefined) continue;
      compared++;
      // Scraped at other moments: what had left by one was sent by any later one.
      const [lastMs, sentBytes] = [...valuesOf(all)].at(-1) ?? [0, 0];
      const [, left] = [...valuesOf(one)].findLast(([ms]) => ms <= lastMs) ?? [0, 0];
      assert.ok(left <= sentBytes, `${pod}: ${left} of ${sentBytes}`);
    }
    assert.ok(compared >= atLeast, `${compared} pods`);
  });

test('counters of bytes are whole and never fall', async () => {
  for (const name of ['transmit', 'receive', 'internetEgress'] as const)
    for (const one of await selected(USAGE[name])) {
      let before = 0;
      for (const bytes of valuesOf(one).values()) {
        const rises = Number.isSafeInteger(bytes) && bytes >= before;
        if (!rises) assert.fail(`${name} of ${text(one, ...POD)}: ${before}, then ${bytes}`);
        before = bytes;
      }
    }
});

test('teams have annotations and labels that group, and some pods have none', async () => {
  const pods = await daySeries('kube_pod_annotations');
  const centers = new Set(pods.map((one) => text(one, 'annotation_cost_center')));
  assert.ok(centers.size > 3 && centers.has(''), [...centers].join());
  const namespaces = await daySeries('kube_namespace_labels');
  assert.ok(new Set(namespaces.map((one) => text(one, 'label_team'))).size > 4, 'few teams');
  const environments = new Set(namespaces.map((one) => text(one, 'label_env')));
  assert.deepEqual(environments, new Set(['production', 'development']));
  for (const one of await daySeries('kube_namespace_annotations'))
    assert.match(text(one, 'annotation_contact'), /^[a-z-]+@example\.com$/);
});
