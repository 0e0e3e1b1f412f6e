/** Nodes of clouds with what they cost an hour by list, and nodes that the list has no price of. */
import {
  AKS, AKS_SPOT, BARE, BARE_AWS, EKS, EKS_SPOT, GKE, GKE_PREEMPTIBLE, GKE_SPOT, GKE_T4, GKE_T4_SPOT, GKE_TPU,
  KARPENTER, KARPENTER_SPOT, ocean, OLD, OWN, OWN_SPOT, REGION, TYPE, UNKNOWN, ZONE, type Labels, type Shown,
  type Size, type Way,
} from './cloud-nodes.ts'; // prettier-ignore
import { BOOK } from './decided.ts';

// prettier-ignore
export const LISTED: readonly (readonly [what: string, way: Way, type: string, zone: string, size: Size, usdPerHour: number])[] = [
  ['EKS', EKS, 't3.medium', 'us-east-1a', [2, 4], 0.0416],
  ['EKS', EKS, 'm5.large', 'us-east-1b', [2, 8], 0.096],
  ['EKS', EKS, 'm5.large', 'eu-central-1a', [2, 8], 0.115],
  ['EKS', EKS, 'm5.large', 'ap-south-1c', [2, 8], 0.101],
  ['EKS', EKS, 'm5.large', 'us-gov-west-1a', [2, 8], 0.121],
  ['EKS', EKS, 'm7i.xlarge', 'us-east-1a', [4, 16], 0.2016],
  ['EKS on ARM', EKS, 'c6g.2xlarge', 'us-east-1a', [8, 16], 0.272],
  ['EKS', EKS, 'r6i.4xlarge', 'eu-central-1b', [16, 128], 1.216],
  ['EKS', EKS, 'x2gd.large', 'us-east-1f', [2, 32], 0.167],
  ['EKS', EKS, 'm6a.8xlarge', 'ap-south-1a', [32, 128], 0.8888],
  ['EKS with a GPU', EKS, 'g4dn.xlarge', 'us-east-1a', [4, 16, 1], 0.526],
  ['EKS with 4 GPUs', EKS, 'g5.12xlarge', 'us-east-1a', [48, 192, 4], 5.672],
  ['EKS with 8 GPUs', EKS, 'p4d.24xlarge', 'us-east-1a', [96, 1152, 8], 21.957642],
  ['EKS with 8 GPUs', EKS, 'p5.48xlarge', 'us-east-1a', [192, 2048, 8], 55.04],
  ['EKS with GPUs cut in 10 each', EKS, 'g5.12xlarge', 'eu-central-1a', [48, 192, 40], 7.09282],
  ['EKS without a device plugin', EKS, 'g4dn.xlarge', 'eu-central-1a', [4, 16], 0.658],
  ['EKS with Inferentia', EKS, 'inf2.xlarge', 'us-east-1a', [4, 16], 0.7582],
  ['EKS with Trainium', EKS, 'trn1.2xlarge', 'us-east-1a', [8, 32], 1.34375],
  ['EKS spot', EKS_SPOT, 'm5.large', 'us-east-1a', [2, 8], 0.0437],
  ['EKS spot', EKS_SPOT, 't3.medium', 'eu-central-1a', [2, 4], 0.0181],
  ['EKS spot with 4 GPUs', EKS_SPOT, 'g5.12xlarge', 'us-east-1a', [48, 192, 4], 2.3214],
  ['a node of its own', OWN, 'c6g.2xlarge', 'ap-south-1b', [8, 16], 0.1704],
  ['a spot node of its own', OWN_SPOT, 'i4i.large', 'us-east-1a', [2, 16], 0.0475],
  ['Karpenter', KARPENTER, 'm7i.xlarge', 'eu-central-1c', [4, 16], 0.2415],
  ['Karpenter', KARPENTER, 't4g.small', 'us-east-1a', [2, 2], 0.0168],
  ['Karpenter spot', KARPENTER_SPOT, 'm7i.xlarge', 'us-east-1a', [4, 16], 0.0807],
  ['Karpenter spot', KARPENTER_SPOT, 'r6i.4xlarge', 'ap-south-1a', [16, 128], 0.4095],
  ['EKS of which only the type is told', BARE_AWS, 't3.medium', 'ap-south-1a', [2, 4], 0.0448],
  ['EKS by labels of before 1.17', OLD, 'm5.large', 'us-east-1a', [2, 8], 0.096],
  ['AWS without a provider id', UNKNOWN, 'm5.large', 'us-east-1a', [2, 8], 0.096],
  ['GKE with a shared core', GKE, 'e2-micro', 'us-central1-a', [2, 1], 0.008376],
  ['GKE with a shared core', GKE, 'e2-medium', 'europe-west4-b', [2, 4], 0.036886],
  ['GKE', GKE, 'e2-standard-4', 'us-central1-a', [4, 16], 0.134023],
  ['GKE', GKE, 'n2-standard-8', 'europe-west4-a', [8, 32], 0.427664],
  ['GKE', GKE, 'n1-standard-1', 'us-central1-f', [1, 3.75], 0.0475],
  ['GKE', GKE, 'c3-standard-8', 'us-central1-c', [8, 32], 0.403216],
  ['GKE', GKE, 'c4-standard-8', 'europe-west4-c', [8, 30], 0.415107],
  ['GKE on ARM', GKE, 't2a-standard-4', 'us-central1-a', [4, 16], 0.154],
  ['GKE with a GPU', GKE, 'g2-standard-4', 'us-central1-a', [4, 16, 1], 0.706832],
  ['GKE with a GPU', GKE, 'a2-highgpu-1g', 'europe-west4-a', [12, 85, 1], 3.747972],
  ['GKE with 8 GPUs', GKE, 'a3-highgpu-8g', 'us-central1-a', [208, 1872, 8], 88.49],
  ['GKE spot', GKE_SPOT, 'e2-standard-4', 'us-central1-a', [4, 16], 0.080424],
  ['GKE spot', GKE_SPOT, 'n2d-highmem-4', 'europe-west4-a', [4, 32], 0.08784],
  ['GKE spot with a GPU', GKE_SPOT, 'a2-highgpu-1g', 'us-central1-a', [12, 85, 1], 1.92802],
  ['GKE preemptible', GKE_PREEMPTIBLE, 'n1-standard-1', 'europe-west4-a', [1, 3.75], 0.030382],
  ['GKE of which only the type is told', BARE, 'n2-standard-8', 'us-central1-b', [8, 32], 0.388472],
  ['GKE with a T4 beside an N1', GKE_T4, 'n1-standard-4', 'us-central1-a', [4, 15, 1], 0.189999 + 0.35],
  ['GKE with 4 T4 beside an N1 on spot', GKE_T4_SPOT, 'n1-standard-4', 'us-central1-a', [4, 15, 4], 0.06701 + 4 * 0.11],
  ['GKE with a T4 beside a custom N1', GKE_T4, 'custom-6-20480', 'us-central1-a', [6, 20, 1], 6 * 0.033174 + 20 * 0.004446 + 0.35],
  ['GKE, custom', GKE, 'n2-custom-4-10240', 'us-central1-a', [4, 10], 4 * 0.033174 + 10 * 0.004446],
  ['GKE, custom', GKE, 'e2-custom-4-8192', 'us-central1-b', [4, 8], 4 * 0.02289 + 8 * 0.003067],
  ['GKE with TPUs', GKE_TPU, 'ct5lp-hightpu-4t', 'us-central1-a', [112, 192, 4], 4 * 1.2],
  ['GKE with a TPU', GKE_TPU, 'ct6e-standard-1t', 'europe-west4-a', [44, 176, 1], 2.97],
  ['AKS', AKS, 'Standard_D2s_v3', 'eastus-1', [2, 8], 0.096],
  ['AKS', AKS, 'Standard_D4s_v5', 'westeurope-2', [4, 16], 0.23],
  ['AKS', AKS, 'Standard_DS2_v2', 'eastus-3', [2, 7], 0.146],
  ['AKS', AKS, 'Standard_F8s_v2', 'westeurope-1', [8, 16], 0.388],
  ['AKS with a name in small letters', AKS, 'standard_e8s_v5', 'eastus-1', [8, 64], 0.504],
  ['AKS, burstable', AKS, 'Standard_B2s', 'eastus-1', [2, 4], 0.0416],
  ['AKS on ARM', AKS, 'Standard_D4ps_v5', 'eastus-1', [4, 16], 0.154],
  ['AKS with a GPU', AKS, 'Standard_NC24ads_A100_v4', 'eastus-1', [24, 220, 1], 3.673],
  ['AKS with a GPU', AKS, 'Standard_NC4as_T4_v3', 'westeurope-1', [4, 28, 1], 0.658],
  ['AKS with 8 GPUs', AKS, 'Standard_ND96isr_H100_v5', 'eastus-1', [96, 1900, 8], 98.32],
  ['AKS spot', AKS_SPOT, 'Standard_D2s_v3', 'eastus-1', [2, 8], 0.01481],
  ['AKS spot', AKS_SPOT, 'Standard_D4s_v5', 'westeurope-1', [4, 16], 0.03144],
  ['DigitalOcean', ocean, 's-2vcpu-4gb', 'fra1', [2, 4], 0.03288],
  ['DigitalOcean', ocean, 'g-2vcpu-8gb', 'nyc3', [2, 8], 0.0863],
  ['DigitalOcean with a GPU', ocean, 'gpu-h100x1-80gb', 'tor1', [20, 240, 1], 4.41],
];

/** What a core and a GiB cost in us-east-1 and us-west-2. */
export const REGION_RATES: { readonly cpu: number; readonly ram: number } = {
  cpu: 0.03465,
  ram: 0.003938,
};
/** What the book takes of a price on demand. */
export const SPOT: number = BOOK.spotCpuCoreHour / BOOK.cpuCoreHour;
const other = (labels: Labels, providerId: string): Omit<Shown, 'size'> => ({ labels, providerId });
const US_WEST = { [REGION]: 'us-west-2', [ZONE]: 'us-west-2-lax-1a' };

export interface Unlisted {
  readonly rates: readonly [cpu: number, ramGiB: number];
  readonly source: 'list' | 'book';
  readonly unlisted?: string;
  readonly guessedSpot?: string;
}

const REGIONAL = { rates: [REGION_RATES.cpu, REGION_RATES.ram], source: 'list' } as const;
const BY_BOOK = { rates: [BOOK.cpuCoreHour, BOOK.ramGiBHour], source: 'book' } as const;

// prettier-ignore
export const UNLISTED: readonly (readonly [what: string, shown: Omit<Shown, 'size'>, expected: Unlisted])[] = [
  ['an unknown type costs the rates of its region', EKS('x9.large', 'us-east-1a'), { ...REGIONAL, unlisted: 'AWS us-east-1 x9.large' }],
  ['a spot node of unknown type costs a part of them', EKS_SPOT('x9.large', 'us-east-1a'), { rates: [REGION_RATES.cpu * SPOT, REGION_RATES.ram * SPOT], source: 'list', unlisted: 'AWS us-east-1 x9.large' }],
  ['a node in a Local Zone costs the rates of its region', other({ [TYPE]: 't3.medium', ...US_WEST }, 'aws:///us-west-2-lax-1a/i-0'), { ...REGIONAL, unlisted: 'AWS us-west-2 t3.medium' }],
  ['a node of an unknown region costs the book', AKS('Standard_D2s_v3', 'marsnorth-1'), { ...BY_BOOK, unlisted: 'Azure marsnorth Standard_D2s_v3' }],
  ['a node of AKS without labels costs the book', other({}, AKS('', '').providerId), { ...BY_BOOK, unlisted: 'Azure of no known type' }],
  ['Hetzner costs the book', other({ [TYPE]: 'cx22', [REGION]: 'fsn1' }, 'hcloud://123'), { ...BY_BOOK, unlisted: 'Hetzner fsn1 cx22' }],
  ['Linode costs the book', other({ [TYPE]: 'g6-standard-2', [REGION]: 'eu-central' }, 'linode://123'), { ...BY_BOOK, unlisted: 'Linode eu-central g6-standard-2' }],
  ['Scaleway costs the book', other({ [TYPE]: 'DEV1-M', [REGION]: 'fr-par' }, 'scaleway://instance/fr-par-1/1'), { ...BY_BOOK, unlisted: 'Scaleway fr-par DEV1-M' }],
  ['OVH costs the book', other({ [TYPE]: 'b2-7', [REGION]: 'GRA7', nodepool: 'a', 'node.k8s.ovh/type': 'standard' }, 'openstack:///1'), { ...BY_BOOK, unlisted: 'OVH GRA7 b2-7' }],
  ['another OpenStack costs the book', other({ [TYPE]: 'm1.large', [REGION]: 'RegionOne' }, 'openstack:///1'), { ...BY_BOOK, unlisted: 'OpenStack RegionOne m1.large' }],
  ['Civo costs the book', other({ [TYPE]: 'g4s.kube.medium', [REGION]: 'LON1' }, 'civo://1'), { ...BY_BOOK, unlisted: 'Civo LON1 g4s.kube.medium' }],
  ['Oracle costs the book', other({ [TYPE]: 'VM.Standard.E4.Flex', [REGION]: 'iad' }, 'ocid1.instance.oc1.iad.a'), { ...BY_BOOK, unlisted: 'Oracle iad VM.Standard.E4.Flex' }],
  ['k3s with a type costs the book', other({ [TYPE]: 'k3s' }, 'k3s://a'), { ...BY_BOOK, unlisted: 'k3s k3s' }],
  ['kind costs the book', other({}, 'kind://docker/kind/a'), { ...BY_BOOK, unlisted: 'kind of no known type' }],
  ['bare metal costs the book', other({}, ''), BY_BOOK],
];

const H100: Labels = { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' };
const metal = (gpus: number, labels: Labels = {}): Shown => ({
  labels,
  providerId: '',
  size: [16, 64, gpus],
});
const METAL_USD = 16 * BOOK.cpuCoreHour + 64 * 0.94 * BOOK.ramGiBHour;

/** Nodes with GPUs that the list has no price of in their place, and how they are named. */
// prettier-ignore
export const GUESSED_GPUS: readonly (readonly [what: string, shown: Shown, usdPerHour: number, source: 'list' | 'book' | 'mixed', named: string])[] = [
  ['a T4 beside an N1 costs what us-central1 asks', { ...GKE_T4('n1-standard-4', 'europe-west4-a'), size: [4, 15, 1] }, 0.209168 + 0.35, 'list', 'GCP europe-west4 T4'],
  ['a GPU beside an N1 of which no label tells the model costs the book', { ...GKE('n1-standard-4', 'us-central1-a'), size: [4, 15, 2] }, 0.189999 + 2 * BOOK.gpuHour, 'mixed', 'GCP us-central1 of no known model'],
  ['GPUs of an unknown type cost the book', { ...EKS('x9.gpu', 'us-east-1a'), size: [4, 16, 2] }, 4 * REGION_RATES.cpu + 16 * 0.94 * REGION_RATES.ram + 2 * BOOK.gpuHour, 'mixed', 'AWS us-east-1 of no known model'],
  ['GPUs on bare metal cost the book', metal(8, H100), METAL_USD + 8 * BOOK.gpuHour, 'book', 'H100-80GB'],
  ['GPUs of a model that nobody lists cost the book', metal(1, { 'nvidia.com/gpu.product': 'NVIDIA-X1' }), METAL_USD + BOOK.gpuHour, 'book', 'NVIDIA-X1'],
  ['GPUs on bare metal without labels cost the book', metal(1), METAL_USD + BOOK.gpuHour, 'book', 'of no known model'],
];
