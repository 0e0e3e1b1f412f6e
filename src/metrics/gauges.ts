/** Gauges that are read at a few points of a window, for recommendations: no stored day has them. */
import { LABEL_NAMES, NODE_DISK_HOST } from './catalogue.ts';
import type { Selection } from './source.ts';
import { is } from './usage.ts';

export type GaugeName = 'volumeUse' | 'nodeDiskUse' | 'nodeAddress' | 'quota';

export interface GaugeMetric {
  readonly selection: Selection;
  /** Labels to store. */
  readonly keep: readonly string[];
}

export const GAUGES: Readonly<Record<GaugeName, GaugeMetric>> = {
  /** The kubelet's: a series for each claim that a pod mounts. */
  volumeUse: {
    selection: { metric: 'kubelet_volume_stats_used_bytes', matchers: [] },
    keep: [...LABEL_NAMES.namespace, 'persistentvolumeclaim'],
  },
  /** cAdvisor's root file systems, as their sizes are read for assets. */
  nodeDiskUse: {
    selection: {
      metric: 'container_fs_usage_bytes',
      matchers: [{ label: 'device', operator: '=~', value: '/dev/(nvme|sda).*' }, is('id', '/')],
    },
    keep: [...NODE_DISK_HOST, 'device'],
  },
  /** By which address a node is scraped. */
  nodeAddress: {
    selection: { metric: 'kube_node_info', matchers: [] },
    keep: ['node', 'internal_ip'],
  },
  quota: {
    selection: { metric: 'kube_resourcequota', matchers: [] },
    keep: [...LABEL_NAMES.namespace, 'resourcequota', 'resource', 'type'],
  },
};
