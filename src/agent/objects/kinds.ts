/** The kinds that are followed, and the series that their objects become. */
import type { ClusterObject, Kind } from '../../cluster/index.ts';
import { objectOf } from './api-objects.ts';
import { deviceClaimSeries, deviceSliceSeries } from './device-series.ts';
import { agentNode, nodeSeries, type AgentNode } from './node-series.ts';
import { namespaceSeries, quotaSeries, serviceSeries } from './namespace-series.ts';
import { ownerSeries, replicaSetSeries } from './owner-series.ts';
import type { Series } from './packed-series.ts';
import { podSeries } from './pod-series.ts';
import { claimSeries, volumeSeries } from './volume-series.ts';

export interface FollowedKind {
  readonly kind: Kind;
  /** Selects what is of one node; absent: it is of the cluster, and one agent for all nodes tells it. */
  readonly ofNode?: (node: string) => string;
  readonly seriesOf: (object: ClusterObject) => Series[];
  /** Servers from before Kubernetes 1.34 do not have it. */
  readonly mayBeAbsent?: true;
  readonly nodeOf?: (object: ClusterObject) => AgentNode;
}

/**
 * Owners of pods that have owners themselves are followed, and no others: the owner of a stateful set's or
 * a daemon set's pod is that set.
 */
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
  { kind: 'ReplicaSet', seriesOf: (object) => replicaSetSeries(objectOf(object)) },
  {
    kind: 'Job',
    seriesOf: (object) => ownerSeries(objectOf(object), 'kube_job_owner', 'job_name'),
  },
  { kind: 'PersistentVolume', seriesOf: (object) => volumeSeries(objectOf(object)) },
  { kind: 'PersistentVolumeClaim', seriesOf: (object) => claimSeries(objectOf(object)) },
  { kind: 'Service', seriesOf: (object) => serviceSeries(objectOf(object)) },
  { kind: 'Namespace', seriesOf: (object) => namespaceSeries(objectOf(object)) },
  { kind: 'ResourceQuota', seriesOf: (object) => quotaSeries(objectOf(object)) },
  {
    kind: 'ResourceClaim',
    mayBeAbsent: true,
    seriesOf: (object) => deviceClaimSeries(objectOf(object)),
  },
  {
    kind: 'ResourceSlice',
    mayBeAbsent: true,
    seriesOf: (object) => deviceSliceSeries(objectOf(object)),
  },
];
