/** Charges in words, as stored bills, and what a bill adds up to by the slow way. */
import type { EncodedSet } from '../../../src/storage/index.ts';
import { DAY_MS, encoded, FIRST_MS } from './stored-sets.ts';

const TEXTS = [
  'availabilityZone',
  'regionID',
  'accountID',
  'accountName',
  'invoiceEntityID',
  'invoiceEntityName',
  'chargeCategory',
  'description',
  'providerID',
  'resourceName',
  'resourceType',
  'usageUnit',
  'provider',
  'service',
  'category',
  'domain',
  'costSource',
  'tags',
] as const;
const NUMBERS = [
  'startMs',
  'endMs',
  'billedCost',
  'effectiveCost',
  'listCost',
  'contractedCost',
  'listUnitPrice',
  'usageQuantity',
] as const;

export type Charge = Readonly<
  Partial<Record<(typeof TEXTS)[number], string> & Record<(typeof NUMBERS)[number], number>>
>;

/** A charge of a day, counted from 2024-05-01 in UTC; whole unless it says otherwise. */
export function charge(day: number, more: Charge): Charge {
  return { startMs: FIRST_MS + day * DAY_MS, endMs: FIRST_MS + (day + 1) * DAY_MS, ...more };
}

/** @param part of the bill: no two sets have the same */
export function chargeSet(
  charges: readonly Charge[],
  part: number = 0,
  as: 'cloud' | 'external' = 'external',
): Promise<EncodedSet> {
  const starts = charges.map(({ startMs = 0 }) => startMs);
  const ends = charges.map(({ endMs = 0 }) => endMs);
  // Charges may be more than a call can have arguments.
  const firstMs = starts.reduce((first, ms) => Math.min(first, ms), Infinity);
  const key = {
    kind: `bill-${as}-test-20240501t0000-1-${part}`,
    startMs: firstMs,
    endMs: ends.reduce((last, ms) => Math.max(last, ms), firstMs + 1),
  };
  return encoded(key, {
    ...Object.fromEntries(TEXTS.map((name) => [name, charges.map((each) => each[name] ?? '')])),
    ...Object.fromEntries(NUMBERS.map((name) => [name, charges.map((each) => each[name] ?? 0)])),
  });
}
