/** Nodes by other names, and nodes that a shard of kube-state-metrics missed: pods on them show that they were there. */
import { joined } from '../row/joined.ts';
import type { Inventory } from './inventory.ts';

/** Gives pods and prices that name a node by the address that was scraped the node's name. */
export function nameNodes({ nodes, pods }: Inventory): void {
  const byAddress = new Map<string, string>();
  for (const { cluster, name, address } of nodes.values())
    if (address !== '') byAddress.set(joined(cluster, address), name);
  const nameOf = (cluster: string, node: string): string | undefined => {
    const bare = node.replace(/:\d+$/, '');
    const name = byAddress.get(joined(cluster, bare)) ?? bare;
    return name !== node && nodes.has(joined(cluster, name)) ? name : undefined;
  };
  for (const [key, { cluster, name }] of nodes)
    if (name.includes(':') && nameOf(cluster, name) !== undefined) nodes.delete(key);
  for (const { cluster, byUid } of pods)
    for (const pod of byUid.values())
      if (pod.node !== '' && !nodes.has(joined(cluster, pod.node)))
        pod.node = nameOf(cluster, pod.node) ?? pod.node;
}

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
