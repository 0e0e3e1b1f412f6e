/** Reservations for system and kubelet, and limits of pods, by the providers' own examples. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { machineOf } from '../../src/cluster-sizing/overhead.ts';
import { nodeType } from '../support/arbitraries/sizing-demand.ts';

/** Left free for eviction, on top of the reservations. */
const EVICTION_MIB = 100;

interface Row {
  readonly provider: string;
  readonly type: string;
  readonly size: readonly [cpuCores: number, ramGiB: number];
  readonly cpuMillicores: number;
  readonly ramMib: number;
  readonly podsMax: number;
}

/** GKE's and AKS's documentation, and bootstrap.sh of EKS's image. */
const ROWS: readonly Row[] = [
  { provider: 'GCP', type: 'n1-standard-1', size: [1, 3.75], cpuMillicores: 60, ramMib: 960, podsMax: 110 }, // prettier-ignore
  { provider: 'GCP', type: 'n1-standard-4', size: [4, 15], cpuMillicores: 80, ramMib: 1024 + 819.2 + 716.8, podsMax: 110 }, // prettier-ignore
  { provider: 'GCP', type: 'n1-standard-16', size: [16, 60], cpuMillicores: 110, ramMib: 1024 + 819.2 + 819.2 + 44 * 61.44, podsMax: 110 }, // prettier-ignore
  { provider: 'GCP', type: 'f1-micro', size: [0.2, 0.6], cpuMillicores: 12, ramMib: 255, podsMax: 110 }, // prettier-ignore
  { provider: 'AWS', type: 'm5.large', size: [2, 8], cpuMillicores: 70, ramMib: 255 + 11 * 29, podsMax: 29 }, // prettier-ignore
  { provider: 'AWS', type: 'm5.xlarge', size: [4, 16], cpuMillicores: 80, ramMib: 255 + 11 * 58, podsMax: 58 }, // prettier-ignore
  { provider: 'AWS', type: 'm5.4xlarge', size: [16, 64], cpuMillicores: 110, ramMib: 255 + 11 * 110, podsMax: 110 }, // prettier-ignore
  { provider: 'AWS', type: 'm5.24xlarge', size: [96, 384], cpuMillicores: 310, ramMib: 255 + 11 * 234, podsMax: 234 }, // prettier-ignore
  { provider: 'Azure', type: 'Standard_D2s_v5', size: [2, 8], cpuMillicores: 100, ramMib: 2048, podsMax: 110 }, // prettier-ignore
  { provider: 'Azure', type: 'Standard_D8s_v5', size: [8, 32], cpuMillicores: 180, ramMib: 2250, podsMax: 110 }, // prettier-ignore
  { provider: 'Azure', type: 'Standard_D48s_v5', size: [48, 192], cpuMillicores: 580, ramMib: 2250, podsMax: 110 }, // prettier-ignore
  { provider: '', type: 'own', size: [8, 32], cpuMillicores: 0, ramMib: 0, podsMax: 110 },
];

describe('reserved of', () => {
  for (const { provider, type, size, cpuMillicores, ramMib, podsMax } of ROWS)
    test(`${provider} ${type}`, () => {
      const machine = machineOf({ ...nodeType(type, ...size, 1), provider }, true);
      const { overhead, allocatable } = machine;
      assert.equal(Math.round(overhead.cpuCores * 1e6) / 1e3, cpuMillicores);
      assert.equal(Math.round(overhead.ramGiB * 1024 * 10) / 10, Math.round((ramMib + EVICTION_MIB) * 10) / 10); // prettier-ignore
      assert.equal(allocatable.cpuCores, size[0] - overhead.cpuCores);
      assert.equal(allocatable.ramGiB, size[1] - overhead.ramGiB);
      assert.equal(machine.podsMax, podsMax);
    });
});

test('without overhead all resources are for pods, and the limit of pods is the same', () => {
  const { allocatable, overhead, podsMax } = machineOf({ ...nodeType('m5.large', 2, 8, 1), provider: 'AWS' }, false); // prettier-ignore
  assert.deepEqual([overhead.cpuCores, overhead.ramGiB], [0, 0]);
  assert.deepEqual([allocatable.cpuCores, allocatable.ramGiB, podsMax], [2, 8, 29]);
});

test('a machine smaller than its reservations has nothing for pods', () => {
  const { allocatable } = machineOf({ ...nodeType('t2.nano', 1, 0.25, 1), provider: 'AWS' }, true);
  assert.equal(allocatable.ramGiB, 0);
});
