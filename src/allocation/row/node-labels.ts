/** Labels of nodes, as clients know them. */

/** Columns of a row's node, and the label by which nodes tell each. */
const NODE_LABELS = [
  ['instanceType', 'node_kubernetes_io_instance_type'],
  ['region', 'topology_kubernetes_io_region'],
  ['zone', 'topology_kubernetes_io_zone'],
] as const;

/** Labels of the pools of nodes, by the scheme of their provider ids. */
const POOL_LABELS: Readonly<Record<string, string>> = {
  aws: 'eks_amazonaws_com_nodegroup',
  gce: 'cloud_google_com_gke_nodepool',
  azure: 'kubernetes_azure_com_agentpool',
};
const OTHER_POOL = 'nodepool';

/** What a row tells of its node; '' for what is not known. */
export interface NodeOfRow {
  readonly instanceType: string;
  readonly region: string;
  readonly zone: string;
  readonly nodePool: string;
  readonly providerID: string;
}

/** @param labels JSON of a pod's labels, or ''; a label of the pod counts before the node's */
export function withNodeLabels(labels: string, node: NodeOfRow): string {
  const scheme = node.providerID.split('://', 1)[0] ?? '';
  const pool = Object.hasOwn(POOL_LABELS, scheme) ? POOL_LABELS[scheme] : undefined;
  const pairs = [
    ...NODE_LABELS.map(([column, label]) => [label, node[column]] as const),
    [pool ?? OTHER_POOL, node.nodePool] as const,
  ].filter(([label, value]) => value !== '' && !labels.includes(`${JSON.stringify(label)}:`));
  if (pairs.length === 0) return labels;
  const added = pairs.map((pair) => pair.map((text) => JSON.stringify(text)).join(':')).join(',');
  return labels === '' ? `{${added}}` : `${labels.slice(0, -1)},${added}}`;
}
