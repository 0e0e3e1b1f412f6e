/** Labels of nodes for instance types, regions and spot nodes. */

const LABEL = 'label_';

/**
 * Labels of nodes that name their instance type and region, well-known and older ones
 * (https://kubernetes.io/docs/reference/labels-annotations-taints/); the last are of OpenCost's
 * price series.
 */
export const NODE_TYPE_LABELS: readonly string[] = [
  `${LABEL}node_kubernetes_io_instance_type`,
  `${LABEL}beta_kubernetes_io_instance_type`,
  'instance_type',
];
export const NODE_REGION_LABELS: readonly string[] = [
  `${LABEL}topology_kubernetes_io_region`,
  `${LABEL}failure_domain_beta_kubernetes_io_region`,
  'region',
];

/**
 * Labels of spot nodes with their values, in lower case: EKS (in the spelling of kube-state-metrics and of
 * OpenCost), Karpenter, GKE, AKS.
 */
export const SPOT_LABELS: Readonly<Record<string, string>> = {
  [`${LABEL}eks_amazonaws_com_capacity_type`]: 'spot',
  [`${LABEL}eks_amazonaws_com_capacityType`]: 'spot',
  [`${LABEL}karpenter_sh_capacity_type`]: 'spot',
  [`${LABEL}cloud_google_com_gke_spot`]: 'true',
  [`${LABEL}cloud_google_com_gke_preemptible`]: 'true',
  [`${LABEL}kubernetes_azure_com_scalesetpriority`]: 'spot',
};
