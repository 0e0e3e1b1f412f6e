/** Clusters in one store whose things have equal names: no aggregate mixes them, by any reader. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  CLUSTER_LABEL,
  CLUSTER_PODS,
  CLUSTERS,
  CLUSTERS_END_MS,
  CLUSTERS_START_MS,
  clusterSeries,
  HOME,
  podCosts,
  type ClusterPod,
} from '../../support/fleets/clusters-fleet.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { READERS, startReaders, type ToldByReaders } from '../../support/servers/told.ts';
import { VICTORIA } from '../../support/stores/victoria.ts';

type Costs = Readonly<Record<string, number>>;
type Key = (pod: ClusterPod, cluster: string) => string;

function ofKind(kind: ClusterPod['kind']): Key {
  return (pod) => (pod.kind === kind ? pod.controller : '__unallocated__');
}

/** DESIGN 6.4: what each aggregate names a pod by. */
const AGGREGATES: Readonly<Record<string, Key>> = {
  cluster: (_, cluster) => cluster,
  node: () => 'n1',
  namespace: () => 'shop',
  controllerKind: ({ kind }) => kind.toLowerCase(),
  controller: ({ kind, controller }) => `${kind.toLowerCase()}:${controller}`,
  service: ({ controller }) => (controller === 'web' ? 'web' : '__unallocated__'),
  pod: ({ name }) => name,
  container: () => 'app',
  providerID: () => 'vm-1',
  deployment: ofKind('Deployment'),
  statefulset: ofKind('StatefulSet'),
  daemonset: ofKind('DaemonSet'),
  job: ofKind('Job'),
  department: () => '__unallocated__',
  environment: () => 'prod',
  owner: () => '__unallocated__',
  product: ({ controller }) => controller,
  team: (_, cluster) => `team-${cluster}`,
  'label:app': ({ controller }) => `app=${controller}`,
  'annotation:contact': (_, cluster) => `contact=${cluster}`,
};

/** Costs of each row, added up pod by pod. */
function expected(key: Key): Map<string, Costs> {
  const rows = new Map<string, Costs>();
  for (const [cluster, factor] of Object.entries(CLUSTERS))
    for (const pod of CLUSTER_PODS) {
      const name = key(pod, cluster);
      const before = rows.get(name) ?? {};
      const added = Object.entries(podCosts(pod, factor)).map(([field, cost]): [string, number] => [
        field,
        (before[field] ?? 0) + cost,
      ]);
      rows.set(name, Object.fromEntries(added));
    }
  return rows;
}

/** Rows are grouped alike whoever read: one reader is asked for all, the others for a few. */
function askedOf(reader: string): readonly (readonly [string, Key])[] {
  const few = ['namespace', 'controller', 'service', 'label:app'];
  const all = Object.entries(AGGREGATES);
  return reader === 'remote-read' ? all : all.filter(([aggregate]) => few.includes(aggregate));
}

const skip = skipWithout('prometheus', 'promtool', VICTORIA);

describe('three clusters with equal names in one store', { skip }, () => {
  let told: ToldByReaders;
  before(async () => {
    told = await startReaders(clusterSeries(), [
      `--cluster-label=${CLUSTER_LABEL}`,
      `--cluster-id=${HOME}`,
    ]);
  });
  after(() => told.stop());

  for (const [reader, store] of READERS)
    describe(`by ${reader} of ${store}`, () => {
      for (const [aggregate, key] of askedOf(reader))
        for (const resolution of ['exact', '1m'])
          test(`${aggregate}, ${resolution}`, async () => {
            const prorata = told.by(reader);
            const ends = [CLUSTERS_START_MS, CLUSTERS_END_MS];
            const window = ends.map((ms) => new Date(ms).toISOString()).join();
            const ask = async (keys: string): Promise<Readonly<Record<string, Costs>>> => {
              const [set] = await prorata.allocations({ window, resolution, aggregate: keys });
              return set as unknown as Readonly<Record<string, Costs>>;
            };
            assertRows(await ask(aggregate), expected(key));
            if (aggregate === 'cluster') return;
            const perCluster: Key = (pod, cluster) => `${cluster}/${key(pod, cluster)}`;
            assertRows(await ask(`cluster,${aggregate}`), expected(perCluster));
          });

      test('rows of containers, whose warning names what has no label', async () => {
        const prorata = told.by(reader);
        const ends = [CLUSTERS_START_MS, CLUSTERS_END_MS];
        const window = ends.map((ms) => new Date(ms).toISOString()).join();
        const query = `window=${window}&resolution=exact`;
        const response = await fetch(`${prorata.url}/model/allocation/compute?${query}`);
        const { data, warnings } = (await response.json()) as {
          readonly data: readonly [Readonly<Record<string, Costs>>];
          readonly warnings: readonly string[];
        };
        const key: Key = ({ name }, cluster) => `${cluster}/n1/shop/${name}/app`;
        assertRows(data[0], expected(key));
        assert.equal(warnings.length, 1, String(warnings));
        assert.match(warnings[0] ?? '', /no label site, .* belong to cluster 'home'/);
      });
    });
});

function assertRows(rows: Readonly<Record<string, Costs>>, wanted: Map<string, Costs>): void {
  assert.deepEqual(Object.keys(rows).sort(), [...wanted.keys()].sort());
  for (const [name, costs] of wanted)
    for (const [field, cost] of Object.entries(costs)) {
      const actual = rows[name]?.[field] ?? NaN;
      assert.ok(Math.abs(actual - cost) <= 1e-9 * cost, `${name} ${field}: ${actual}, not ${cost}`);
    }
}
