/** How savings are described. */
import { ALLOCATION_FILTERS } from '../allocation/index.ts';
import { ASSET_FILTER_PARAMETERS } from '../assets/index.ts';
import {
  amount,
  bare,
  count,
  daysWindow,
  eachOf,
  envelope,
  flag,
  jsonOf,
  listOf,
  NULLABLE,
  NUMBER,
  objectOf,
  PAGE,
  TEXT,
  type DescribedRoom,
  type Schema,
} from '../http/index.ts';
import { CATEGORIES } from './attribution.ts';

const DISKS = { ...daysWindow('2d'), ...ASSET_FILTER_PARAMETERS };
const HEADROOM = amount('what is left free, as a part of the most that was used', '0.5');
const PART = { exclusiveMinimum: 0, maximum: 1 } as const;
const listed = (members: Readonly<Record<string, Schema>>): Schema =>
  objectOf({ totalMonthlySavings: NUMBER, recommendations: listOf(objectOf(members)) });
const VOLUME = eachOf(['clusterId', 'volumeName', 'storageClass', 'providerID'], TEXT);
const WORTH = eachOf(['capacityBytes', 'monthlyCost', 'monthlySavings'], NUMBER);
const USED = { maxUsedBytes: NUMBER, utilization: NULLABLE, recommendedCapacityBytes: NUMBER };
const AMOUNTS = objectOf({ cpuCores: NUMBER, ramBytes: NUMBER });
const POD = objectOf({
  ...eachOf(['pod', 'namespace', 'node', 'clusterId', 'clusterName'], TEXT),
  owners: listOf(objectOf({ name: TEXT, kind: TEXT })),
  ...eachOf(['ingressBytesPerSecond', 'egressBytesPerSecond', 'monthlySavings'], NUMBER),
  ...eachOf(['allocation', 'requests', 'usage'], AMOUNTS),
});
const SAVED = objectOf({
  savingsPerMonth: NUMBER,
  savingsPerMonthAlone: NUMBER,
  lastRefresh: TEXT,
});
const QUOTA = objectOf({
  ...eachOf(['clusterId', 'namespace', 'resourceQuota', 'resource'], TEXT),
  ...eachOf(['hard', 'maxUsed', 'recommendedHard'], NUMBER),
  utilization: NULLABLE,
});

export const SAVINGS_API: DescribedRoom = {
  routes: {
    'GET /savings': {
      summary: 'What all recommendations save, no dollar twice',
      parameters: daysWindow('2d'),
      answers: jsonOf(
        bare({
          code: { const: 200 },
          data: objectOf(eachOf(CATEGORIES, SAVED), CATEGORIES),
          totalSavingsPerMonth: NUMBER,
        }),
      ),
    },
    'GET /savings/abandonedWorkloads': {
      summary: 'Pods that hardly send or receive anything',
      parameters: {
        days: count('the last days that are looked at', '2', { minimum: 1, maximum: 92, default: 2 }), // prettier-ignore
        exactWindow: flag('3d is three whole days, today the last; default --window-days'),
        threshold: amount('bytes a second, at most', '500', { default: 500 }),
        ...PAGE,
        ...ALLOCATION_FILTERS,
      },
      answers: jsonOf(listOf(POD)),
    },
    'GET /savings/unclaimedVolumes': {
      summary: 'Volumes that no claim holds',
      parameters: DISKS,
      answers: envelope(listed({ ...VOLUME, ...WORTH })),
    },
    'GET /savings/persistentVolumeSizing': {
      summary: 'Sizes that fit what volumes hold',
      parameters: { ...DISKS, headroom: HEADROOM },
      answers: envelope(
        listed({ ...VOLUME, claimName: TEXT, claimNamespace: TEXT, ...WORTH, ...USED }),
      ),
    },
    'GET /savings/localLowDisks': {
      summary: 'Disks of nodes that are nearly empty',
      parameters: {
        ...DISKS,
        headroom: HEADROOM,
        threshold: amount('the part that is used, at most', '0.2', { ...PART, default: 0.2 }),
      },
      answers: envelope(
        listed({
          ...eachOf(['clusterId', 'diskName', 'node', 'providerID'], TEXT),
          ...WORTH,
          ...USED,
        }),
      ),
    },
    'GET /savings/resourceQuotaSizing/recommendations': {
      summary: 'Quotas that fit what is used of them',
      parameters: {
        ...daysWindow('7d'),
        targetUtilization: amount('the part of a quota that is used, after it', '0.8', {
          ...PART,
          default: 0.8,
        }),
      },
      answers: envelope(objectOf({ recommendations: listOf(QUOTA) })),
    },
  },
};
