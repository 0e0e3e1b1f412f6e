/** Models of GPUs as labels of nodes call them, and what partitions are of each. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gpuModelNamed, listPricesIn } from '../../src/pricing/index.ts';

const ROWS: readonly (readonly [by: string, value: string, name: string, GiB: number, slices?: number])[] = [
  ['GPU feature discovery', 'NVIDIA-A100-SXM4-80GB', 'A100-80GB', 80, 7],
  ['GPU feature discovery, shared in time', 'Tesla-T4-SHARED', 'T4', 16],
  ['GPU feature discovery, cut', 'NVIDIA-A100-SXM4-40GB-MIG-1g.5gb', 'A100-40GB', 40, 7],
  ['GPU feature discovery', 'A30', 'A30', 24, 4],
  ['GPU feature discovery', 'NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition', 'RTX-PRO-6000', 96, 4],
  ['GKE', 'nvidia-h100-mega-80gb', 'H100-80GB', 80, 7],
  ['GKE', 'tpu-v5-lite-podslice', 'TPU-v5e', 16],
  ['Karpenter on AWS', 'a10g', 'A10G', 24],
  ['Karpenter on AWS', 'a100', 'A100-40GB', 40, 7],
  ['Karpenter on Azure', 'A100', 'A100-80GB', 80, 7],
  ['EKS', 'nvidia-tesla-v100', 'V100-16GB', 16],
  ['AMD', 'AMD_Instinct_MI300X_OAM', 'MI300X', 192],
  ['a list price', 'H100-80GB', 'H100-80GB', 80, 7],
]; // prettier-ignore

describe('a model of GPUs is known by the label of', () => {
  for (const [by, value, name, memoryGiB, slices] of ROWS)
    test(`${by}: ${value}`, () => {
      assert.deepEqual(gpuModelNamed(value), { name, memoryGiB, slices });
    });
});

test('a vendor, nothing, and what nobody lists are no model', () => {
  for (const value of ['nvidia', '', 'NVIDIA-X1']) assert.equal(gpuModelNamed(value), undefined);
});

test('models of list prices that can be cut are known by their own names', () => {
  const models = new Set(listPricesIn('AWS', 'us-east-1').map(({ gpuModel }) => gpuModel));
  const cut = [...models].filter((name) => gpuModelNamed(name)?.slices === 7);
  assert.deepEqual(cut.sort(), ['A100-40GB', 'A100-80GB', 'B200', 'B300', 'H100-80GB', 'H200-141GB']); // prettier-ignore
});
