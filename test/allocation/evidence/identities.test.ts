/** Pods are found by the bytes of their labels as they are by the labels' texts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { identityLabels } from '../../../src/allocation/evidence/fact-names.ts';
import { Inventory, type Pod } from '../../../src/allocation/inventory/inventory.ts';
import { readFact } from '../../../src/allocation/inventory/readers.ts';
import {
  compileKernels,
  condense,
  createEngine,
  RecordReader,
  type Block,
  type SeriesRecord,
} from '../../../src/columnar/index.ts';
import { FACTS, type FactName } from '../../../src/metrics/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { placeBatch } from '../../support/references/arena-batch.ts';
import { encodeSamples, type TestSeries } from '../../support/stores/samples-encoding.ts';

const engine = createEngine(compileKernels(), dirtyMemory(16 << 20), 1);
const OWNER = 2;
const MINUTE_MS = 60_000;
const GAP_MS = 10 * MINUTE_MS;
const CLUSTERS = { clusterLabels: ['cluster_id', 'cluster'], clusterId: 'default' };

/** What reads pods, and some that do not. */
const READ: readonly FactName[] = [
  'requests', 'podInfo', 'podStart', 'podPhase', 'podCompletion', 'podOwner', 'podLabels', 'containerInfo', 'podClaims',
  'cpuAllocation', 'gpuAllocation', 'nodeInfo', 'namespaceLabels', 'claimRequest',
]; // prettier-ignore

/** Values by label, the usual one first; '' is a label without a value, undefined none. */
const VALUES: Readonly<Record<string, readonly (string | undefined)[]>> = {
  cluster: ['west', 'default', '', undefined],
  cluster_id: [undefined, 'default', 'west', ''],
  container: ['app', 'log', '', undefined],
  exported_container: [undefined, 'app'],
  exported_namespace: [undefined, 'other', 'team', ''],
  exported_pod: [undefined, 'db', 'web', ''],
  label_app: ['a', 'b', undefined],
  namespace: ['team', 'other', '', undefined],
  node: [undefined, 'n1', 'n2'],
  owner_is_controller: ['true', 'false', undefined],
  owner_kind: ['ReplicaSet', 'Job'],
  owner_name: ['web-1', 'web-2', ''],
  persistentvolumeclaim: ['disk'],
  pod: ['web', 'db', '', undefined],
  phase: ['Failed', 'Succeeded'],
  pod_ip: ['10.0.0.1', '10.0.0.2'],
  pod_name: [undefined, 'web', 'db'],
  resource: ['cpu', 'memory', 'pods'],
  uid: ['1', '2', '', undefined],
};

const anyLabels = fc
  .tuple(
    ...Object.entries(VALUES).map(([name, values]) =>
      fc
        .oneof(
          { weight: 8, arbitrary: fc.constant(values[0]) },
          { weight: 1, arbitrary: fc.constantFrom(...values) },
        )
        .map((value) => [name, value] as const),
    ),
  )
  .chain((labels) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(labels) },
      { weight: 1, arbitrary: fc.shuffledSubarray(labels, { minLength: labels.length - 2 }) },
    ),
  )
  .map((labels) =>
    labels.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

interface Told {
  readonly fact: FactName;
  readonly series: TestSeries;
}

const anyTold: fc.Arbitrary<Told> = fc
  .record({
    fact: fc.constantFrom(...READ),
    labels: anyLabels,
    start: fc.nat(60),
    samples: fc.array(
      fc.tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, 2, 'stale' as const)),
      { minLength: 1, maxLength: 5 },
    ),
  })
  .map(({ fact, labels, start, samples }) => {
    let minute = start;
    const timestampsMs = samples.map(([minutes]) => 1e12 + (minute += minutes) * MINUTE_MS);
    return { fact, series: { labels, timestampsMs, values: samples.map(([, value]) => value) } };
  });

/** A record that does not say whether it was seen before. */
function byTexts(record: SeriesRecord): SeriesRecord {
  const { firstMs, lastMs, staleMs, intervalMs, runs, pairs } = record;
  return {
    label: (name) => record.label(name),
    labels: (prefix) => record.labels(prefix),
    identity: -1,
    firstMs,
    lastMs,
    staleMs,
    intervalMs,
    runs,
    pairs,
  };
}

function read(
  told: readonly Told[],
  view: (record: SeriesRecord) => SeriesRecord,
): ReturnType<typeof toldBy> {
  const inventory = new Inventory({ ...CLUSTERS, gapMs: GAP_MS });
  const reader = new RecordReader(engine.arena);
  const identity = identityLabels(CLUSTERS.clusterLabels);
  const range = { identity, startMs: 0, endMs: 4e12, gapMs: GAP_MS };
  for (const { fact, series } of told) {
    const blocks: Block[] = [];
    const keep = [...FACTS[fact].keep, ...CLUSTERS.clusterLabels];
    const batch = placeBatch(engine, OWNER, encodeSamples([series]), 'samples');
    condense(engine, batch, { ...range, keep }, blocks, OWNER);
    for (const record of reader.read(blocks)) readFact(inventory, fact, view(record));
  }
  engine.arena.release(OWNER);
  return toldBy(inventory);
}

/** All that is decided from. */
function toldBy(inventory: Inventory) {
  const { nodes, claims, namespaceLabels, unlabelled, namesOtherCluster } = inventory;
  const { firstMs, lastMs, doubled } = inventory;
  const clusters = new Set(inventory.pods.map(({ cluster }) => cluster));
  const intervalsMs = [...clusters].map((cluster) => inventory.typicalIntervalMs(cluster));
  return {
    pods: inventory.pods.map(({ byUid, ...name }) => ({
      ...name,
      byUid: [...byUid.values()].map(podToldBy),
    })),
    unlabelled: [...unlabelled],
    others: [[...nodes.keys()], [...claims.keys()], [...namespaceLabels]],
    namesOtherCluster,
    seen: { intervalsMs, firstMs, lastMs, doubled },
  };
}

function podToldBy({ presence, startSeconds, deletionSeconds, containers, ...pod }: Pod): object {
  const limits = { readStartMs: 0, readEndMs: 4e12, gapMs: GAP_MS, intervalMs: MINUTE_MS };
  return {
    ...pod,
    life: presence.life({ ...limits, startMs: NaN, onGrid: false }),
    runs: [startSeconds.merged(), deletionSeconds.merged()],
    containers: toldOf(containers),
  };
}

function toldOf(containers: Pod['containers']): object[] {
  const told: object[] = [];
  containers.forEach(({ requests, allocated, ...container }, name) =>
    told.push({
      ...container,
      name,
      requests: Object.values(requests).map((runs) => runs.merged()),
      allocated: Object.values(allocated ?? {}).map((runs) => runs.merged()),
    }),
  );
  return told;
}

test('pods found by the bytes of their labels are those found by the texts', () => {
  fc.assert(
    fc.property(fc.array(anyTold, { maxLength: 30 }), (told) => {
      assert.deepEqual(
        read(told, (record) => record),
        read(told, byTexts),
      );
    }),
    { numRuns: 300 },
  );
});

test('each metric without a cluster label is noted, also of pods that are known already', () => {
  const pod = { namespace: 'team', pod: 'web', uid: '1' };
  const told = (['podInfo', 'podStart', 'podOwner', 'cpuAllocation'] as const).flatMap((fact) =>
    [{}, { cluster: 'west' }, {}].map((cluster) => ({
      fact,
      series: { labels: Object.entries({ ...cluster, ...pod }), timestampsMs: [1e12], values: [1] },
    })),
  );
  const found = read(told, (record) => record);
  const metrics = told.map(({ fact }) => FACTS[fact].selection.metric);
  assert.deepEqual(found.unlabelled, [...new Set(metrics)]);
  assert.equal(found.namesOtherCluster, true);
});
