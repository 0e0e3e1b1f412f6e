/** What identifies nodes: labels for types, regions, zones, pools, spot and other terms; devices of root disks. */

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
 * Labels of GPUs, of GPU feature discovery (NVIDIA/k8s-device-plugin, docs/gpu-feature-discovery), GKE,
 * Karpenter, EKS and AMD. The first that a node has counts.
 */
export const NODE_GPU_LABELS: Readonly<Record<GpuLabel, readonly string[]>> = {
  count: [
    `${LABEL}nvidia_com_gpu_count`,
    `${LABEL}karpenter_k8s_aws_instance_gpu_count`,
    `${LABEL}karpenter_azure_com_sku_gpu_count`,
  ],
  replicas: [
    `${LABEL}nvidia_com_gpu_replicas`,
    `${LABEL}cloud_google_com_gke_max_shared_clients_per_gpu`,
  ],
  product: [`${LABEL}nvidia_com_gpu_product`],
  partition: [`${LABEL}cloud_google_com_gke_gpu_partition_size`],
  memory: [`${LABEL}nvidia_com_gpu_memory`, `${LABEL}karpenter_k8s_aws_instance_gpu_memory`],
  accelerator: [
    `${LABEL}cloud_google_com_gke_accelerator`,
    `${LABEL}cloud_google_com_gke_tpu_accelerator`,
    `${LABEL}amd_com_gpu_product_name`,
    `${LABEL}karpenter_azure_com_sku_gpu_name`,
    `${LABEL}karpenter_k8s_aws_instance_gpu_name`,
    `${LABEL}karpenter_k8s_aws_instance_accelerator_name`,
    `${LABEL}k8s_amazonaws_com_accelerator`,
  ],
};

/**
 * What labels tell of GPUs: devices, shares of a device, the model, a partition such as `1g.5gb`, MiB of
 * a device, and how the cloud names the model.
 */
export type GpuLabel = 'count' | 'replicas' | 'product' | 'partition' | 'memory' | 'accelerator';

export const NODE_ZONE_LABELS: readonly string[] = [
  `${LABEL}topology_kubernetes_io_zone`,
  `${LABEL}failure_domain_beta_kubernetes_io_zone`,
];

/**
 * Labels that name the pool of a node, with the only cloud that writes them; '' where several do.
 * The first that a node has counts.
 */
export const NODE_POOL_LABELS: Readonly<Record<string, string>> = {
  [`${LABEL}karpenter_sh_nodepool`]: '',
  [`${LABEL}karpenter_sh_provisioner_name`]: '',
  [`${LABEL}eks_amazonaws_com_nodegroup`]: 'AWS',
  [`${LABEL}alpha_eksctl_io_nodegroup_name`]: 'AWS',
  [`${LABEL}cloud_google_com_gke_nodepool`]: 'GCP',
  [`${LABEL}kubernetes_azure_com_agentpool`]: 'Azure',
  [`${LABEL}doks_digitalocean_com_node_pool`]: 'DigitalOcean',
  [`${LABEL}lke_linode_com_pool_id`]: 'Linode',
  [`${LABEL}k8s_scaleway_com_pool_name`]: 'Scaleway',
  [`${LABEL}kubernetes_civo_com_civo_node_pool`]: 'Civo',
  [`${LABEL}hcloud_node_group`]: 'Hetzner',
  [`${LABEL}magnum_openstack_org_nodegroup`]: 'OpenStack',
  [`${LABEL}oke_oraclecloud_com_pool_name`]: 'Oracle',
  [`${LABEL}kops_k8s_io_instancegroup`]: '',
  [`${LABEL}worker_gardener_cloud_pool`]: '',
  [`${LABEL}nodepool`]: '',
  [`${LABEL}agentpool`]: '',
};

/** Labels of clouds that provider ids do not tell: OVH is an OpenStack. */
export const CLOUD_LABELS: Readonly<Record<string, string>> = {
  [`${LABEL}node_k8s_ovh_type`]: 'OVH',
};

/**
 * Labels of spot nodes with their values, in lower case: EKS (in the spelling of kube-state-metrics and of
 * OpenCost), nodes of one's own on AWS, Karpenter, GKE, AKS.
 */
export const SPOT_LABELS: Readonly<Record<string, string>> = {
  [`${LABEL}eks_amazonaws_com_capacity_type`]: 'spot',
  [`${LABEL}eks_amazonaws_com_capacityType`]: 'spot',
  [`${LABEL}node_kubernetes_io_lifecycle`]: 'spot',
  [`${LABEL}karpenter_sh_capacity_type`]: 'spot',
  [`${LABEL}cloud_google_com_gke_provisioning`]: 'spot',
  [`${LABEL}cloud_google_com_gke_spot`]: 'true',
  [`${LABEL}cloud_google_com_gke_preemptible`]: 'true',
  [`${LABEL}kubernetes_azure_com_scalesetpriority`]: 'spot',
};

/** Kinds of machines that are not billed as the size that their node shows. */
export type MachineKind = 'fargate' | 'autopilot' | 'virtual' | 'kwok';

/**
 * Labels, with their values, of nodes that are not billed by their size: EKS Fargate, nodes of
 * a virtual kubelet (ACI, ECI), simulated nodes.
 */
export const MACHINE_LABELS: readonly (readonly [label: string, RegExp, MachineKind])[] = [
  [`${LABEL}eks_amazonaws_com_compute_type`, /^fargate$/i, 'fargate'],
  [`${LABEL}type`, /^virtual-(kubelet|node)$/i, 'virtual'],
  [`${LABEL}type`, /^kwok$/i, 'kwok'],
  [`${LABEL}kwok_x_k8s_io_node`, /./, 'kwok'],
];

/** Labels that name a node's operating system. */
export const NODE_OS_LABELS: readonly string[] = [
  `${LABEL}kubernetes_io_os`,
  `${LABEL}beta_kubernetes_io_os`,
  `${LABEL}cloud_google_com_gke_os_distribution`,
  `${LABEL}kubernetes_azure_com_os_sku`,
];
/** GKE's compute class: of Autopilot, some classes are billed as machines. */
export const COMPUTE_CLASS_LABELS: readonly string[] = [`${LABEL}cloud_google_com_compute_class`];

const PARTITION = /(nvme\d+n\d+p|sd[a-z]+)\d+$/;
/** AWS's and Google's types with instance stores, which are in the price of the machine. */
const WITH_STORES =
  /^([a-z]+\d+[a-z]*d[a-z]*(-flex)?|i\d\w*|im\d\w*|is\d\w*|d\d\w*|h1|x1|f[12]|g5|g6e?|gr6|p5e?n?|trn\d\w*)\.|-lssd$|^z3-/i;

/**
 * Root file systems are on partitions. A whole device beside them is an instance store, which the machine's
 * price has, or a volume, which is billed as one. Of a type with instance stores only the first disk counts.
 * @param devices such as `/dev/nvme0n1p1`
 * @param type the instance type; '' unknown
 */
export function rootDevices(devices: readonly string[], type: string): ReadonlySet<string> {
  const partitions = devices.filter((device) => PARTITION.test(device));
  const roots = partitions.length > 0 ? partitions : devices;
  const disks = [...new Set(roots.map(diskOf))].sort(byPlace);
  const isFirstOnly = partitions.length === 0 || WITH_STORES.test(type);
  const counted = isFirstOnly ? disks.slice(0, 1) : disks;
  return new Set(roots.filter((device) => counted.includes(diskOf(device))));
}

/** `/dev/nvme0n1` of `/dev/nvme0n1p1`. */
function diskOf(device: string): string {
  return device.replace(/(nvme\d+n\d+)p\d+$/, '$1').replace(/(sd[a-z]+)\d+$/, '$1');
}

/** `sda` before NVMe, which Google and Azure use for local disks beside it; `nvme2n1` before `nvme10n1`. */
function byPlace(some: string, other: string): number {
  const isNvme = (disk: string): number => (disk.includes('nvme') ? 1 : 0);
  const numberOf = (disk: string): number => Number(/nvme(\d+)/.exec(disk)?.[1] ?? 0);
  return (
    isNvme(some) - isNvme(other) || numberOf(some) - numberOf(other) || (some < other ? -1 : 1)
  );
}
