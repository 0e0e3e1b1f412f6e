/** Whether recommended nodes hold pods: packed anew, pod by pod. */
import assert from 'node:assert/strict';
import { nodesOf, type Choice } from '../../../src/cluster-sizing/choice.ts';
import { pack } from '../../../src/cluster-sizing/pack.ts';
import { demandOf, type Pod } from '../arbitraries/sizing-demand.ts';

/** Each pod is on one node, and no node is too full: checked without the packer's own sums. */
export function assertHeld(choice: Choice, pods: readonly Pod[], daemons: readonly Pod[]): void {
  const { nodeOf, nodes } = pack(
    demandOf(pods).moments[0] ?? [],
    nodesOf(choice.pools),
    demandOf([], daemons),
  );
  assert.deepEqual(nodes, nodesOf(choice.pools));
  const used = nodes.map(() => [...daemons]);
  pods.forEach((pod, i) => {
    const node = nodeOf[i] ?? -1;
    assert.ok(node >= 0, `pod ${i} has no node`);
    used[node]?.push(pod);
  });
  nodes.forEach(({ allocatable, podsMax }, i) => {
    const here = used[i] ?? [];
    assert.ok(here.length <= podsMax, `${here.length} pods on a node for ${podsMax}`);
    const cpuCores = here.reduce((sum, pod) => sum + pod[0], 0);
    const ramGiB = here.reduce((sum, pod) => sum + pod[1], 0);
    assert.ok(cpuCores <= allocatable.cpuCores * (1 + 1e-6), `${cpuCores} cores on a node`);
    assert.ok(ramGiB <= allocatable.ramGiB * (1 + 1e-6), `${ramGiB} GiB on a node`);
  });
}
