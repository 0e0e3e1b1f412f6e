/** Labels of a row's pod, out of those that JSON shows. */

/** JSON shows the labels of nodes beside those of pods; columns have those of pods alone. '' for none. */
export function podLabels(labels: unknown): string {
  const isOfNode = /^(node|topology)_kubernetes_io_|_nodegroup$|_nodepool$|_agentpool$|^nodepool$/;
  const own = Object.entries((labels ?? {}) as Record<string, string>).filter(
    ([name]) => !isOfNode.test(name),
  );
  return own.length === 0 ? '' : JSON.stringify(Object.fromEntries(own));
}
