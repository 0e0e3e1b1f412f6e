/** Requests in the units of plans, and in nanos, in which they are compared. */
import type { ContainerSpec } from '../../cluster/index.ts';
import { formatQuantity, readQuantity } from '../../query/index.ts';

export type Resource = 'cpu' | 'memory';

export const RESOURCES: readonly Resource[] = ['cpu', 'memory'];

/** Nanos of the unit of plans: a millicore, a byte. */
const UNIT_NANOS: Readonly<Record<Resource, bigint>> = { cpu: 1_000_000n, memory: 1_000_000_000n };

/** Nanos by resource; undefined: the plan says nothing about it. */
export type Wanted = Readonly<Record<Resource, bigint | undefined>>;

/** The request as it stands; undefined when there is none, or it cannot be read. */
export function requestOf(container: ContainerSpec, resource: Resource): bigint | undefined {
  const text = container.resources?.requests?.[resource];
  return text === undefined ? undefined : readQuantity(String(text));
}

/** @param amount of the plan's unit, 0 or more */
export function nanosOf(amount: number, resource: Resource): bigint {
  // Exact for every double: the fraction goes by nanos, which is finer than any request.
  const whole = Math.floor(amount);
  const unit = UNIT_NANOS[resource];
  return BigInt(whole) * unit + BigInt(Math.ceil((amount - whole) * Number(unit)));
}

/** In the plan's unit. */
export function amountOf(nanos: bigint, resource: Resource): number {
  return Number(nanos) / Number(UNIT_NANOS[resource]);
}

/** Nanos rounded up to whole millicores or bytes. */
export function roundedUp(nanos: bigint, resource: Resource): bigint {
  const unit = UNIT_NANOS[resource];
  return ((nanos + unit - 1n) / unit) * unit;
}

/** The quantity as Kubernetes writes it, such as `125m` or `64Mi`. */
export function quantityText(nanos: bigint, resource: Resource): string {
  return formatQuantity(nanos, resource === 'cpu' ? 'decimal' : 'binary');
}
