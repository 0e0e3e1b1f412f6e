/** Nodes that a shard of kube-state-metrics missed: pods on them show that they were there. */
import { joined } from '../row/joined.ts';
import type { Inventory } from './inventory.ts';

/** Without it a node would cost nothing in such a gap, while its pods cost what they cost. */
export function fillNodeGaps({ allMachines, pods }: Inventory): void {
  const lacking = allMachines.flatMap((node) => {
    const gaps = node.presence.gapsBetween();
    return gaps.length === 0 ? [] : [{ node, gaps }];
  });
  if (lacking.length === 0) return;
  const byName = new Map<string, typeof lacking>();
  for (const one of lacking) {
    const key = joined(one.node.cluster, one.node.name);
    byName.set(key, [...(byName.get(key) ?? []), one]);
  }
  for (const { cluster, byUid } of pods)
    for (const pod of byUid.values()) {
      // Pods of one name that no uid tells apart may be on several nodes.
      const machines = pod.uid === '' ? undefined : byName.get(joined(cluster, pod.node));
      for (const { node, gaps } of machines ?? [])
        for (const gap of gaps) node.presence.absorb(pod.presence, gap.startMs, gap.endMs);
    }
}
