/** What labels and provider ids of nodes tell, as each cloud and provisioner writes them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSpotNode } from '../../../src/allocation/inventory/node-prices.ts';
import { placeOfNode } from '../../../src/pricing/index.ts';
import { REGION, seriesOf, TYPE, ZONE, type Labels } from '../../support/fleets/cloud-nodes.ts';
import { inventoryOf } from '../../support/fleets/decided.ts';

/** All that nodes of a pool share. */
const place = (type: string, region: string, zone: string, more: Labels): Labels => ({
  [TYPE]: type,
  'beta.kubernetes.io/instance-type': type,
  'kubernetes.io/arch': 'amd64',
  [REGION]: region,
  'failure-domain.beta.kubernetes.io/region': region,
  [ZONE]: zone,
  ...more,
});
const AWS = (zone: string): string => `aws:///${zone}/i-0f1e2d3c4b5a69788`;
const AZURE = 'azure:///subscriptions/0-1/resourceGroups/mc_a_b_westeurope/providers/Microsoft.Compute/virtualMachineScaleSets/aks-a-1-vmss/virtualMachines/0'; // prettier-ignore

type Told = readonly [
  provider: string,
  region: string,
  zone: string,
  type: string,
  capacity: 'spot' | 'on demand',
  pool: string,
];

// prettier-ignore
const KINDS: readonly (readonly [what: string, providerId: string, labels: Labels, told: Told])[] = [
  ['EKS in a managed group', AWS('us-east-1a'), place('m5.large', 'us-east-1', 'us-east-1a', { 'eks.amazonaws.com/nodegroup': 'web', 'eks.amazonaws.com/capacityType': 'ON_DEMAND', 'eks.amazonaws.com/nodegroup-image': 'ami-1' }),
    ['AWS', 'us-east-1', 'us-east-1a', 'm5.large', 'on demand', 'web']],
  ['EKS in a managed group on spot', AWS('eu-west-1b'), place('c6i.xlarge', 'eu-west-1', 'eu-west-1b', { 'eks.amazonaws.com/nodegroup': 'batch', 'eks.amazonaws.com/capacityType': 'SPOT' }),
    ['AWS', 'eu-west-1', 'eu-west-1b', 'c6i.xlarge', 'spot', 'batch']],
  ['EKS in a group of eksctl', AWS('eu-central-1a'), place('t3.medium', 'eu-central-1', 'eu-central-1a', { 'alpha.eksctl.io/cluster-name': 'a', 'alpha.eksctl.io/nodegroup-name': 'ng-1', 'alpha.eksctl.io/instance-id': 'i-0' }),
    ['AWS', 'eu-central-1', 'eu-central-1a', 't3.medium', 'on demand', 'ng-1']],
  ['EKS in auto mode', AWS('us-west-2c'), place('c6g.large', 'us-west-2', 'us-west-2c', { 'eks.amazonaws.com/compute-type': 'auto', 'karpenter.sh/nodepool': 'general-purpose', 'karpenter.sh/capacity-type': 'on-demand', 'eks.amazonaws.com/instance-category': 'c' }),
    ['AWS', 'us-west-2', 'us-west-2c', 'c6g.large', 'on demand', 'general-purpose']],
  ['EKS on Fargate', 'aws:///us-west-2a/9a57fa19c3-b9/fargate-ip-10-0-0-1.us-west-2.compute.internal', { 'eks.amazonaws.com/compute-type': 'fargate', [REGION]: 'us-west-2', [ZONE]: 'us-west-2a' },
    ['AWS', 'us-west-2', 'us-west-2a', '', 'on demand', '']],
  ['kOps', AWS('ap-south-1b'), place('m6a.large', 'ap-south-1', 'ap-south-1b', { 'kops.k8s.io/instancegroup': 'nodes-1b', 'node-role.kubernetes.io/node': '' }),
    ['AWS', 'ap-south-1', 'ap-south-1b', 'm6a.large', 'on demand', 'nodes-1b']],
  ['nodes of their own on AWS, on spot', AWS('us-east-1f'), place('i4i.large', 'us-east-1', 'us-east-1f', { 'node.kubernetes.io/lifecycle': 'spot' }),
    ['AWS', 'us-east-1', 'us-east-1f', 'i4i.large', 'spot', '']],
  ['Karpenter on AWS', AWS('us-east-1c'), place('m7i.xlarge', 'us-east-1', 'us-east-1c', { 'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'on-demand', 'karpenter.k8s.aws/instance-family': 'm7i' }),
    ['AWS', 'us-east-1', 'us-east-1c', 'm7i.xlarge', 'on demand', 'default']],
  ['Karpenter on AWS, on spot', AWS('us-east-1c'), place('m7i.xlarge', 'us-east-1', 'us-east-1c', { 'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'spot' }),
    ['AWS', 'us-east-1', 'us-east-1c', 'm7i.xlarge', 'spot', 'default']],
  ['Karpenter on AWS, reserved', AWS('us-east-1c'), place('p5.48xlarge', 'us-east-1', 'us-east-1c', { 'karpenter.sh/nodepool': 'gpu', 'karpenter.sh/capacity-type': 'reserved' }),
    ['AWS', 'us-east-1', 'us-east-1c', 'p5.48xlarge', 'on demand', 'gpu']],
  ['Karpenter of before 0.32', AWS('us-east-1c'), place('m5.xlarge', 'us-east-1', 'us-east-1c', { 'karpenter.sh/provisioner-name': 'old', 'karpenter.sh/capacity-type': 'spot' }),
    ['AWS', 'us-east-1', 'us-east-1c', 'm5.xlarge', 'spot', 'old']],
  ['GKE', 'gce://my-project/europe-west4-b/gke-c-web-1a2b', place('n2-standard-4', 'europe-west4', 'europe-west4-b', { 'cloud.google.com/gke-nodepool': 'web', 'cloud.google.com/gke-provisioning': 'standard', 'cloud.google.com/machine-family': 'n2' }),
    ['GCP', 'europe-west4', 'europe-west4-b', 'n2-standard-4', 'on demand', 'web']],
  ['GKE on spot', 'gce://my-project/us-central1-a/gke-c-s-1a2b', place('e2-standard-4', 'us-central1', 'us-central1-a', { 'cloud.google.com/gke-nodepool': 's', 'cloud.google.com/gke-provisioning': 'spot', 'cloud.google.com/gke-spot': 'true' }),
    ['GCP', 'us-central1', 'us-central1-a', 'e2-standard-4', 'spot', 's']],
  ['GKE, preemptible', 'gce://my-project/us-central1-a/gke-c-p-1a2b', place('n1-standard-4', 'us-central1', 'us-central1-a', { 'cloud.google.com/gke-nodepool': 'p', 'cloud.google.com/gke-provisioning': 'preemptible', 'cloud.google.com/gke-preemptible': 'true' }),
    ['GCP', 'us-central1', 'us-central1-a', 'n1-standard-4', 'spot', 'p']],
  ['GKE Autopilot', 'gce://my-project/us-central1-f/gk3-c-pool-1-1a2b', place('ek-standard-16', 'us-central1', 'us-central1-f', { 'cloud.google.com/gke-nodepool': 'pool-1', 'cloud.google.com/gke-provisioning': 'standard' }),
    ['GCP', 'us-central1', 'us-central1-f', 'ek-standard-16', 'on demand', 'pool-1']],
  ['AKS', AZURE, place('Standard_D4s_v5', 'westeurope', 'westeurope-2', { 'kubernetes.azure.com/agentpool': 'web', agentpool: 'web', 'kubernetes.azure.com/mode': 'user', 'kubernetes.azure.com/cluster': 'mc_a' }),
    ['Azure', 'westeurope', 'westeurope-2', 'Standard_D4s_v5', 'on demand', 'web']],
  ['AKS on spot', AZURE, place('Standard_D4s_v5', 'westeurope', 'westeurope-1', { 'kubernetes.azure.com/agentpool': 'spot', 'kubernetes.azure.com/scalesetpriority': 'spot' }),
    ['Azure', 'westeurope', 'westeurope-1', 'Standard_D4s_v5', 'spot', 'spot']],
  ['AKS in no zone', AZURE, place('Standard_B2s', 'eastus', '0', { 'kubernetes.azure.com/agentpool': 'a' }),
    ['Azure', 'eastus', '0', 'Standard_B2s', 'on demand', 'a']],
  ['Karpenter on AKS, on spot', AZURE, place('Standard_D2s_v5', 'eastus', 'eastus-3', { 'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'spot', 'karpenter.azure.com/sku-family': 'D' }),
    ['Azure', 'eastus', 'eastus-3', 'Standard_D2s_v5', 'spot', 'default']],
  ['DigitalOcean', 'digitalocean://240712345', { [TYPE]: 's-2vcpu-4gb', [REGION]: 'fra1', 'doks.digitalocean.com/node-pool': 'web', 'doks.digitalocean.com/node-pool-id': '0-1', 'doks.digitalocean.com/managed': 'true' },
    ['DigitalOcean', 'fra1', '', 's-2vcpu-4gb', 'on demand', 'web']],
  ['Hetzner', 'hcloud://1234567', place('cx22', 'fsn1', 'fsn1-dc14', { 'hcloud/node-group': 'web' }),
    ['Hetzner', 'fsn1', 'fsn1-dc14', 'cx22', 'on demand', 'web']],
  ['a root server of Hetzner', 'hrobot://4711', { 'instance.hetzner.cloud/provided-by': 'robot' },
    ['Hetzner', '', '', '', 'on demand', '']],
  ['Linode', 'linode://12345', { [TYPE]: 'g6-standard-2', [REGION]: 'eu-central', 'lke.linode.com/pool-id': '4711' },
    ['Linode', 'eu-central', '', 'g6-standard-2', 'on demand', '4711']],
  ['OpenStack by Magnum', 'openstack:///3f609814-0', place('m1.large', 'RegionOne', 'nova', { 'magnum.openstack.org/nodegroup': 'default-worker', 'magnum.openstack.org/role': 'worker' }),
    ['OpenStack', 'RegionOne', 'nova', 'm1.large', 'on demand', 'default-worker']],
  ['OVH', 'openstack:///3f609814-0', place('b2-7', 'GRA7', 'nova', { nodepool: 'web', 'node.k8s.ovh/type': 'standard' }),
    ['OVH', 'GRA7', 'nova', 'b2-7', 'on demand', 'web']],
  ['Scaleway', 'scaleway://instance/fr-par-1/3f609814-0', place('DEV1-M', 'fr-par', 'fr-par-1', { 'k8s.scaleway.com/pool-name': 'web', 'k8s.scaleway.com/managed': 'true' }),
    ['Scaleway', 'fr-par', 'fr-par-1', 'DEV1-M', 'on demand', 'web']],
  ['Civo', 'civo://3f609814-0', { [TYPE]: 'g4s.kube.medium', [REGION]: 'LON1', 'kubernetes.civo.com/civo-node-pool': '0-1' },
    ['Civo', 'LON1', '', 'g4s.kube.medium', 'on demand', '0-1']],
  ['Oracle', 'ocid1.instance.oc1.iad.anuwcljt', place('VM.Standard.E4.Flex', 'iad', 'US-ASHBURN-AD-1', { 'oke.oraclecloud.com/pool.name': 'web', name: 'web' }),
    ['Oracle', 'iad', 'US-ASHBURN-AD-1', 'VM.Standard.E4.Flex', 'on demand', 'web']],
  ['Gardener', AWS('eu-west-1a'), place('m5.large', 'eu-west-1', 'eu-west-1a', { 'worker.gardener.cloud/pool': 'cpu', 'worker.garden.sapcloud.io/group': 'cpu' }),
    ['AWS', 'eu-west-1', 'eu-west-1a', 'm5.large', 'on demand', 'cpu']],
  ['k3s', 'k3s://node-1', { [TYPE]: 'k3s' },
    ['k3s', '', '', 'k3s', 'on demand', '']],
  ['bare metal', '', { 'kubernetes.io/hostname': 'rack-1', nodepool: 'racks' },
    ['', '', '', '', 'on demand', 'racks']],
  ['bare metal with a zone of its own', '', { [REGION]: 'berlin', [ZONE]: 'hall-2' },
    ['', 'berlin', 'hall-2', '', 'on demand', '']],
];

describe('a node tells its cloud, region, zone, type, capacity and pool as written by', () => {
  for (const [what, providerId, labels, told] of KINDS)
    test(what, () => {
      const { nodes } = inventoryOf(seriesOf({ labels, providerId, size: [4, 16] }));
      const [node = assert.fail()] = nodes.values();
      const { provider, region, zone } = placeOfNode(node);
      const capacity = isSpotNode(node) ? 'spot' : 'on demand';
      assert.deepEqual([provider, region, zone, node.type, capacity, node.pool], told);
    });
});
