/**
 * Extended resources of device plugins, as kube-state-metrics writes them (`nvidia.com/gpu` is
 * `nvidia_com_gpu`): what one unit is of a physical device.
 */

export type Accelerator =
  /** A device, or a share of one where the plugin shows each several times. */
  | { readonly kind: 'device' }
  /** Always a share: its node shows each device several times. */
  | { readonly kind: 'share' }
  | Partition
  /** Devices, and parts of them, by dynamic resource allocation. */
  | { readonly kind: 'claimed' }
  /** How much of each device that a container requests: for HAMi. */
  | { readonly kind: 'fraction'; readonly unit: 'MiB' | '%' | 'cores%' };

/** A partition of a device, and what it is of one whose model is not known: in (0, 1]. */
export interface Partition {
  readonly kind: 'partition';
  /** Compute slices. */
  readonly slices: number;
  readonly part: number;
}

const DEVICE: Accelerator = { kind: 'device' };
const SHARE: Accelerator = { kind: 'share' };

/** The name of what is claimed: no resource is called so. */
export const CLAIMED_DEVICES = 'claimed devices';

const RESOURCES: ReadonlyMap<string, Accelerator> = new Map<string, Accelerator>([
  ['nvidia_com_gpu', DEVICE],
  ['amd_com_gpu', DEVICE],
  ['gpu_intel_com_i915', DEVICE],
  ['gpu_intel_com_xe', DEVICE],
  ['habana_ai_gaudi', DEVICE],
  ['google_com_tpu', DEVICE],
  ['aws_amazon_com_neuron', DEVICE],
  ['aws_amazon_com_neurondevice', DEVICE],
  // NVIDIA's device plugin with renameByDefault, Amazon's vGPU plugin, and a device's cores.
  ['nvidia_com_gpu_shared', SHARE],
  ['k8s_amazonaws_com_vgpu', SHARE],
  ['aws_amazon_com_neuroncore', SHARE],
  // HAMi: https://project-hami.io/docs/userguide/nvidia-device
  ['nvidia_com_gpumem', { kind: 'fraction', unit: 'MiB' }],
  ['nvidia_com_gpumem_percentage', { kind: 'fraction', unit: '%' }],
  ['nvidia_com_gpucores', { kind: 'fraction', unit: 'cores%' }],
  [CLAIMED_DEVICES, { kind: 'claimed' }],
]);

const PARTITION = /^nvidia_com_mig_(\d+)g_(\d+)gb/;

/** Profiles of devices with four slices and not seven: A30, RTX PRO 6000 (NVIDIA's MIG user guide). */
const OF_FOUR: readonly string[] = ['1g_6gb', '2g_12gb', '4g_24gb', '2g_48gb', '4g_96gb'];

/** Undefined for a resource that is not known. */
export function acceleratorOf(resource: string): Accelerator | undefined {
  const known = RESOURCES.get(resource);
  if (known) return known;
  const [, slices = '', gib = ''] = PARTITION.exec(resource) ?? [];
  if (slices === '') return undefined;
  const whole = OF_FOUR.includes(`${slices}g_${gib}gb`) ? 4 : 7;
  return { kind: 'partition', slices: Number(slices), part: Math.min(1, Number(slices) / whole) };
}

/** The partition that a model's label speaks of: `NVIDIA-A100-SXM4-40GB-MIG-1g.5gb`. */
export function partitionOfModel(model: string): Partition | undefined {
  return partitionNamed(/-MIG-(\d+g\.\d+gb)/.exec(model)?.[1] ?? '');
}

/** @param profile such as `1g.5gb` */
export function partitionNamed(profile: string): Partition | undefined {
  const found = acceleratorOf(`nvidia_com_mig_${profile.replace('.', '_')}`);
  return found?.kind === 'partition' ? found : undefined;
}

/** Drivers of dynamic resource allocation whose devices are accelerators: `gpu.nvidia.com`, `tpu.google.com`. */
const DEVICE_DRIVER = /^(gpu|tpu|neuron|gaudi|npu)\./;

export function isAcceleratorDriver(driver: string): boolean {
  return DEVICE_DRIVER.test(driver);
}

/** Compute slices by NVIDIA's ids of profiles, which older drivers name partitions by. */
const SLICES_OF_ID: Readonly<Record<string, number>> = {
  0: 7, 5: 4, 9: 3, 14: 2, 15: 1, 19: 1, 20: 1, 21: 1,
}; // prettier-ignore

/**
 * The partition that NVIDIA's driver names a device after: `gpu-0-mig-1g5gb-19-0`, of older drivers
 * `gpu-0-mig-19-0-1`; undefined for a whole device.
 */
export function partitionOfDevice(device: string): Partition | undefined {
  const [, slices, gib] = /-mig-(\d+)g(\d+)gb/.exec(device) ?? [];
  if (slices !== undefined) return partitionNamed(`${slices}g.${gib}gb`);
  const id = /-mig-(\d+)-\d+-\d+$/.exec(device)?.[1];
  const byId = id === undefined ? undefined : SLICES_OF_ID[id];
  return byId === undefined ? undefined : { kind: 'partition', slices: byId, part: byId / 7 };
}

/** The device that a partition is of. */
export function wholeDevice(device: string): string {
  return device.replace(/-mig-.*$/, '');
}

/** A regular expression of all of them. */
export const ACCELERATORS: string = [...RESOURCES.keys(), 'nvidia_com_mig_.*']
  .filter((name) => name !== CLAIMED_DEVICES)
  .join('|');

/** A regular expression of what is likely to be one, to tell of those that are not known. */
const LIKELY = '(gpu|npu|tpu|xpu|vpu|dcu|mlu|fpga|gaudi|neuron|ascend|accelerator)';
export const LIKELY_ACCELERATORS: string = `.*_.*${LIKELY}.*`;

/** @param driver of dynamic resource allocation */
export function isLikelyAccelerator(driver: string): boolean {
  return new RegExp(LIKELY).test(driver);
}
