/** How savings are described. */
import { ALLOCATION_FILTERS } from '../allocation/index.ts';
import { ASSET_FILTER_PARAMETERS } from '../assets/index.ts';
import {
  amount,
  CAVEAT_MEMBERS,
  count,
  daysWindow,
  envelope,
  flag,
  jsonOf,
  listOf,
  mapOf,
  NUMBER,
  objectOf,
  PAGE,
  type DescribedRoom,
  type Schema,
} from '../http/index.ts';

const DISKS = { ...daysWindow('2d'), ...ASSET_FILTER_PARAMETERS };
const HEADROOM = amount('what is left free, as a part of the most that was used', '0.5');
const PART = { exclusiveMinimum: 0, maximum: 1 } as const;
const LIST: Schema = objectOf({
  totalMonthlySavings: NUMBER,
  recommendations: listOf({ type: 'object' }),
});

export const SAVINGS_API: DescribedRoom = {
  routes: {
    'GET /savings': {
      summary: 'What all recommendations save, no dollar twice',
      parameters: daysWindow('2d'),
      answers: jsonOf({
        type: 'object',
        required: ['code', 'data', 'totalSavingsPerMonth'],
        properties: {
          code: { const: 200 },
          data: mapOf({ type: 'object', required: ['savingsPerMonth'] }),
          totalSavingsPerMonth: NUMBER,
          ...CAVEAT_MEMBERS,
        },
      }),
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
      answers: jsonOf({
        anyOf: [
          listOf({ type: 'object', required: ['pod', 'namespace', 'node'] }),
          { type: 'object', properties: CAVEAT_MEMBERS },
        ],
      }),
    },
    'GET /savings/unclaimedVolumes': {
      summary: 'Volumes that no claim holds',
      parameters: DISKS,
      answers: envelope(LIST),
    },
    'GET /savings/persistentVolumeSizing': {
      summary: 'Sizes that fit what volumes hold',
      parameters: { ...DISKS, headroom: HEADROOM },
      answers: envelope(LIST),
    },
    'GET /savings/localLowDisks': {
      summary: 'Disks of nodes that are nearly empty',
      parameters: {
        ...DISKS,
        headroom: HEADROOM,
        threshold: amount('the part that is used, at most', '0.2', { ...PART, default: 0.2 }),
      },
      answers: envelope(LIST),
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
      answers: envelope(objectOf({ recommendations: listOf({ type: 'object' }) })),
    },
  },
};
