import type { Resource } from './inventory.ts';

/**
 * Cores, bytes and GPUs: more in one container is a fault of a counter or gauge. 512 cores are
 * OpenCost's limit too (CPU_SANITY_LIMIT).
 */
export const ALLOCATION_MAX: Readonly<Record<Resource, number>> = {
  cpu: 512,
  ram: 2 ** 53,
  gpu: 2 ** 53,
};
