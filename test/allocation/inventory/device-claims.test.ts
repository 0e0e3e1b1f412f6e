/** Devices by dynamic resource allocation, of claims and pods drawn at random, beside a plain count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CLAIMED_DEVICES } from '../../../src/metrics/catalogue.ts';
import { inventoryOf, MINUTE_MS, type Series } from '../../support/fleets/decided.ts';
import { ofRuns } from '../../support/property-runs.ts';

const MINUTES = 100;
const DRIVER = 'gpu.nvidia.com';

const seen = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: MINUTES }))
  .map(([from, minutes]) => [from, from + minutes] as const);
const anyWorld = fc.record({
  /** Which devices a claim has, and when. */
  claims: fc.array(fc.record({ devices: fc.uniqueArray(fc.nat(3), { minLength: 1 }), seen }), { minLength: 1, maxLength: 4 }),
  /** Which claims a pod names, and when; how many containers it has. */
  pods: fc.array(fc.record({ claims: fc.uniqueArray(fc.nat(3)), seen, containers: fc.integer({ min: 1, max: 3 }) }), { minLength: 1, maxLength: 4 }),
}); // prettier-ignore
type World = typeof anyWorld extends fc.Arbitrary<infer T> ? T : never;

function seriesOf({ claims, pods }: World): Series[] {
  const devices = [0, 1, 2, 3].map((i): Series => {
    const labels = { node_name: 'n', driver: DRIVER, device_name: `gpu-${i}` };
    return { fact: 'nodeDevice', labels };
  });
  return [
    { fact: 'nodeInfo', labels: { node: 'n' } },
    ...devices,
    ...claims.flatMap((claim, i) =>
      claim.devices.map((device): Series => {
        const labels = { resourceclaim: `c${i}`, driver: DRIVER, pool: 'n', device: `gpu-${device}` };
        return { fact: 'claimedDevice', labels, seen: claim.seen };
      }),
    ),
    ...pods.flatMap((pod, i): Series[] => {
      const labels = { pod: `p${i}`, uid: `u${i}` };
      return [
        { fact: 'podInfo', labels: { ...labels, node: 'n' }, seen: pod.seen },
        ...Array.from({ length: pod.containers }, (_, container): Series => {
          return { fact: 'containerInfo', labels: { ...labels, container: `${container}` }, seen: pod.seen };
        }),
        ...pod.claims.map((claim): Series => {
          return { fact: 'podDeviceClaim', labels: { ...labels, resourceclaim_name: `c${claim}` }, seen: pod.seen };
        }),
      ];
    }),
  ];
} // prettier-ignore

const isAt = (
  { seen: [from, until] }: { seen: readonly [number, number] },
  minute: number,
): boolean => from <= minute && minute < until;

/** What a pod has at a time: each device divided among its claims then, each claim among its pods then. */
function expected({ claims, pods }: World, index: number, minute: number): number {
  let devices = 0;
  for (const named of pods[index]?.claims ?? []) {
    const claim = claims[named];
    if (!claim || !isAt(claim, minute)) continue;
    const sharing = pods.filter((pod) => pod.claims.includes(named) && isAt(pod, minute)).length;
    for (const device of claim.devices) {
      const having = claims.filter((one) => one.devices.includes(device) && isAt(one, minute));
      devices += 1 / having.length / sharing;
    }
  }
  return devices;
}

function valueAt(pairs: readonly number[], atMs: number): number {
  let value = pairs[1] ?? 0;
  for (let i = 0; i < pairs.length && (pairs[i] ?? Infinity) <= atMs; i += 2) value = pairs[i + 1] ?? 0;
  return value;
} // prettier-ignore

test('claims divide devices among the pods that have them at each time, and never more than there are', () => {
  let checked = 0;
  fc.assert(
    fc.property(anyWorld, fc.integer({ min: 20, max: MINUTES }), (world, minute) => {
      const inventory = inventoryOf(seriesOf(world));
      assert.equal(inventory.nodes.get('c\0n')?.capacity.gpu.largest(), 4);
      let all = 0;
      for (const { name, byUid } of inventory.pods) {
        const index = Number(name.slice(1));
        const pod = world.pods[index];
        const claims = (pod?.claims ?? []).flatMap((named) => world.claims[named] ?? []);
        // What is claimed is told while all of it is.
        if (!pod || !isAt(pod, minute) || !claims.every((claim) => isAt(claim, minute))) continue;
        let own = 0;
        for (const one of byUid.values())
          one.containers.forEach((container) => {
            const pairs = container.accelerators?.get(CLAIMED_DEVICES)?.merged() ?? [];
            own += valueAt(pairs, minute * MINUTE_MS);
          });
        const wanted = expected(world, index, minute);
        assert.ok(Math.abs(own - wanted) < 1e-9, `${name}: ${own}, not ${wanted}`);
        all += own;
        checked++;
      }
      assert.ok(all <= 4 + 1e-9, `${all} of 4 devices`);
    }),
    { numRuns: 500 },
  );
  assert.ok(checked > ofRuns(50), `${checked} pods`);
});

const CLAIM: readonly Series[] = [
  { fact: 'podInfo', labels: { pod: 'p', uid: 'u', node: 'n' } },
  { fact: 'podDeviceClaim', labels: { pod: 'p', uid: 'u', resourceclaim_name: 'c' } },
];
const LABELS = { label_node_kubernetes_io_instance_type: 'g5.12xlarge', label_topology_kubernetes_io_region: 'us-east-1' }; // prettier-ignore

test('pods whose claims no series explains are counted on nodes with GPUs, which stay billed for them', () => {
  const labels = { node: 'n', provider_id: 'aws:///us-east-1a/i-0' };
  const node: readonly Series[] = [{ fact: 'nodeInfo', labels }];
  const typed: Series = { fact: 'nodeLabels', labels: { node: 'n', ...LABELS } };
  const [bare, withGpus] = [inventoryOf([...node, ...CLAIM]), inventoryOf([...node, typed, ...CLAIM])];
  assert.deepEqual([bare.deviceClaims.untold, withGpus.deviceClaims.untold], [0, 1]);
  assert.equal(withGpus.nodes.get('c\0n')?.capacity.gpu.largest(), 4);
}); // prettier-ignore

test('drivers that look like those of accelerators and are not known are told by name', () => {
  const device = (driver: string): Series => ({
    fact: 'nodeDevice',
    labels: { node_name: 'n', driver, device_name: 'd' },
  });
  const { unknownAccelerators } = inventoryOf([device('x-gpu.example.com'), device('dra.net')]);
  assert.deepEqual([...unknownAccelerators], ['x-gpu.example.com']);
});
