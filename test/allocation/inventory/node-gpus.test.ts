/** How much of a device each unit of a node is, for nodes drawn at random. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addAccelerator,
  type Accelerators,
} from '../../../src/allocation/inventory/accelerator-runs.ts';
import { noTraits } from '../../../src/allocation/inventory/machines.ts';
import { gpusOf, requestedGpus } from '../../../src/allocation/inventory/node-gpus.ts';
import type { NodeFacts } from '../../../src/allocation/inventory/inventory.ts';
import { noRuns } from '../../../src/allocation/inventory/pods.ts';
import { Presence } from '../../../src/allocation/inventory/presence.ts';
import { Runs } from '../../../src/allocation/inventory/runs.ts';

/** Ways to cut a device of seven slices, by profiles. */
const CUTS: readonly (readonly (readonly [profile: string, slices: number])[])[] = [
  Array.from({ length: 7 }, () => ['1g_5gb', 1] as const),
  [['3g_20gb', 3], ['4g_20gb', 4]],
  [['2g_10gb', 2], ['2g_10gb', 2], ['3g_20gb', 3]],
  [['7g_40gb', 7]],
  [['1g_10gb', 1], ['1g_10gb', 1]],
]; // prettier-ignore

const anyNode = fc.record({
  whole: fc.integer({ min: 0, max: 8 }),
  replicas: fc.constantFrom(1, 2, 4, 10),
  isRenamed: fc.boolean(),
  cuts: fc.array(fc.constantFrom(...CUTS), { maxLength: 4 }),
  isCounted: fc.boolean(),
  awayMs: fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 3 }),
});
type Node = typeof anyNode extends fc.Arbitrary<infer T> ? T : never;

/** Units of each resource as the plugin shows them, at no time but when it is away. */
function unitsOf({ whole, replicas, isRenamed, cuts }: Node): Map<string, number> {
  const units = new Map<string, number>();
  const name = isRenamed && replicas > 1 ? 'nvidia_com_gpu_shared' : 'nvidia_com_gpu';
  if (whole > 0) units.set(name, whole * replicas);
  for (const [profile] of cuts.flat()) {
    const resource = `nvidia_com_mig_${profile}`;
    units.set(resource, (units.get(resource) ?? 0) + 1);
  }
  return units;
}

function factsOf(node: Node): NodeFacts {
  const facts: NodeFacts = {
    cluster: 'c', name: 'n', presence: new Presence(1), createdSeconds: new Runs(),
    capacity: noRuns(), ...noRuns(), isSpot: new Runs(), ...noTraits(), sightings: [], sinceMs: -Infinity, untilMs: Infinity,
    lastMs: 0, accelerators: undefined, hasHami: false, gpuLabels: { replicas: String(node.replicas) },
  }; // prettier-ignore
  if (node.isCounted) facts.gpuLabels.count = String(node.whole + node.cuts.length);
  for (const [resource, units] of unitsOf(node)) {
    addAccelerator(facts, resource, [0, units]);
    for (const at of node.awayMs.toSorted((a, b) => a - b))
      addAccelerator(facts, resource, [at, 0, at + 0.5, units]);
  }
  return facts;
}

test('all units of a node together are its devices, or what its partitions cover of them', () => {
  fc.assert(
    fc.property(anyNode, (node) => {
      const gpus = gpusOf(factsOf(node));
      const isCut = node.cuts.length > 0;
      // Without a count only what is cut is known of devices that are cut.
      const slices = node.cuts.flat().reduce((sum, [, each]) => sum + each, 0);
      const cut = node.isCounted ? node.cuts.length : Math.ceil(slices / 7);
      assert.equal(gpus.devices, node.whole + cut);
      let all = 0;
      for (const [resource, units] of unitsOf(node)) {
        const requests: Accelerators = new Map();
        addAccelerator({ accelerators: requests }, resource, [0, 1]);
        const each = requestedGpus(requests, gpus);
        const profile = node.cuts.flat().find(([name]) => resource.endsWith(name));
        const part = profile ? profile[1] / 7 : 1 / node.replicas;
        assert.ok(Math.abs((each[1] ?? NaN) - part) < 1e-12, `${resource}: ${each.join()}`);
        // A plugin that is away for a while changes nothing.
        assert.equal(each.length, 2);
        all += units * (each[1] ?? NaN);
      }
      assert.ok(Math.abs(all - (node.whole + slices / 7)) < 1e-9, `${all}`);
      assert.ok(isCut || Math.abs(all - gpus.devices) < 1e-9, `${all}`);
      assert.ok(all <= gpus.devices + 1e-9, `${all} of ${gpus.devices}`);
    }),
  );
});
