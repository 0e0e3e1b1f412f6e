/** The kinds that are followed, and the series that their objects become. */
import type { ClusterObject, Kind } from '../../cluster/index.ts';
import { objectOf } from './api-objects.ts';
import { agentNode, nodeSeries, type AgentNode } from './node-series.ts';
import type { Series } from './packed-series.ts';
import { podSeries } from './pod-series.ts';

export interface FollowedKind {
  readonly kind: Kind;
  /** Selects what is of one node; absent: it is of the cluster, and one agent for all nodes tells it. */
  readonly ofNode?: (node: string) => string;
  readonly seriesOf: (object: ClusterObject) => Series[];
  readonly nodeOf?: (object: ClusterObject) => AgentNode;
}

export const FOLLOWED: readonly FollowedKind[] = [
  {
    kind: 'Node',
    ofNode: (node) => `metadata.name=${node}`,
    seriesOf: (object) => nodeSeries(objectOf(object)),
    nodeOf: (object) => agentNode(objectOf(object)),
  },
  {
    kind: 'Pod',
    ofNode: (node) => `spec.nodeName=${node}`,
    seriesOf: (object) => podSeries(objectOf(object)),
  },
];
