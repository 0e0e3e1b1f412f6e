/** Series of a node, as kube-state-metrics tells them (internal/store/node.go), and its kubelet's place. */
import type { NodeObject } from './api-objects.ts';
import { labelsFrom } from './label-names.ts';
import type { Series } from './packed-series.ts';
import { quantitiesOf } from './quantities.ts';
import { secondsOf } from './times.ts';

export interface AgentNode {
  readonly name: string;
  /** Most likely to be reached first. */
  readonly addresses: readonly string[];
  readonly kubeletPort: number;
}

const KUBELET_PORT = 10_250;
/** Names of nodes are often of no DNS that pods ask. */
const ADDRESS_TYPES: readonly string[] = [
  'InternalIP',
  'InternalDNS',
  'Hostname',
  'ExternalIP',
  'ExternalDNS',
];

export function nodeSeries(node: NodeObject): Series[] {
  const { name, labels, creationTimestamp } = node.metadata;
  const about = (metric: string, value: number, more: Series['labels'] = {}): Series => ({
    metric,
    value,
    labels: { node: name, ...more },
  });
  const created = secondsOf(creationTimestamp);
  return [
    about('kube_node_info', 1, infoOf(node)),
    about('kube_node_labels', 1, labelsFrom('label', labels)),
    ...(created === undefined ? [] : [about('kube_node_created', created)]),
    ...quantitiesOf(node.status?.capacity).map(({ resource, unit, value }) =>
      about('kube_node_status_capacity', value, { resource, unit }),
    ),
  ];
}

function infoOf({ spec, status }: NodeObject): Series['labels'] {
  const { kernelVersion, osImage, containerRuntimeVersion, kubeletVersion, systemUUID } =
    status?.nodeInfo ?? {};
  const internal = status?.addresses?.find(({ type }) => type === 'InternalIP');
  return {
    kernel_version: kernelVersion ?? '',
    os_image: osImage ?? '',
    container_runtime_version: containerRuntimeVersion ?? '',
    kubelet_version: kubeletVersion ?? '',
    provider_id: spec?.providerID ?? '',
    pod_cidr: spec?.podCIDR ?? '',
    system_uuid: systemUUID ?? '',
    internal_ip: internal?.address ?? '',
  };
}

export function agentNode({ metadata, status }: NodeObject): AgentNode {
  const addresses = ADDRESS_TYPES.flatMap((type) =>
    (status?.addresses ?? []).filter((one) => one.type === type).map(({ address }) => address),
  );
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  return {
    name: metadata.name,
    addresses: [...new Set(addresses)],
    kubeletPort: port > 0 ? port : KUBELET_PORT,
  };
}
