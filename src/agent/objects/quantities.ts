/** Amounts of resources, and how kube-state-metrics names and counts them. */
import type { Amounts } from '../../cluster/index.ts';
import { readQuantity } from '../../query/index.ts';
import { sanitized } from './label-names.ts';

export interface Quantity {
  /** As in a label: `nvidia_com_gpu`. */
  readonly resource: string;
  readonly unit: 'core' | 'byte' | 'integer';
  readonly value: number;
}

const BYTES: readonly string[] = ['memory', 'storage', 'ephemeral-storage'];
const NANOS_PER_MILLI = 1_000_000n;
const NANOS = 1_000_000_000n;

/** In order of name; without resources that kube-state-metrics does not show. */
export function quantitiesOf(amounts: Amounts | undefined): Quantity[] {
  return Object.keys(amounts ?? {})
    .toSorted()
    .flatMap((name): Quantity[] => {
      const unit = unitOf(name);
      const value = amountOf(name, amounts?.[name]);
      if (unit === undefined || value === undefined) return [];
      return [{ resource: sanitized(name), unit, value }];
    });
}

/** Cores to the milli, all else whole, rounded up as the API does; undefined where it is no quantity. */
export function amountOf(name: string, amount: string | number | undefined): number | undefined {
  const nanos = amount === undefined ? undefined : readQuantity(String(amount));
  if (nanos === undefined) return undefined;
  return name === 'cpu' ? Number(up(nanos, NANOS_PER_MILLI)) / 1000 : Number(up(nanos, NANOS));
}

/** To the milli, as an amount of anything may be. */
export function exactAmount(amount: string | number): number | undefined {
  const nanos = readQuantity(String(amount));
  return nanos === undefined ? undefined : Number(up(nanos, NANOS_PER_MILLI)) / 1000;
}

function up(nanos: bigint, unit: bigint): bigint {
  return nanos <= 0n ? nanos / unit : (nanos + unit - 1n) / unit;
}

/** internal/store/utils.go of kube-state-metrics: `isHugePageResourceName` and the two beside it. */
function unitOf(name: string): Quantity['unit'] | undefined {
  if (name === 'cpu') return 'core';
  if (BYTES.includes(name)) return 'byte';
  if (name.startsWith('hugepages-') || name.startsWith('attachable-volumes-')) return 'byte';
  if (name === 'pods') return 'integer';
  const isExtended = name.includes('/') && !name.includes('kubernetes.io/');
  return isExtended && !name.startsWith('requests.') ? 'integer' : undefined;
}
