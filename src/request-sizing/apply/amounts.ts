/** Requests in the units that plans are written in, and in nanos, that they are compared in. */
import type { ContainerSpec } from '../../cluster/index.ts';
import { formatQuantity, readQuantity } from '../../query/index.ts';

export type Resource = 'cpu' | 'memory';

export const RESOURCES: readonly Resource[] = ['cpu', 'memory'];

/** Nanos of what plans count by: a millicore, a byte. */
const UNIT_NANOS: Readonly<Record<Resource, bigint>> = { cpu: 1_000_000n, memory: 1_000_000_000n };

/** Nanos by resource; undefined: nothing is said of it. */
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

/** To whole millicores or bytes. */
export function roundedUp(nanos: bigint, resource: Resource): bigint {
  const unit = UNIT_NANOS[resource];
  return ((nanos + unit - 1n) / unit) * unit;
}

/** As Kubernetes writes it, such as `125m` or `64Mi`. */
export function quantityText(nanos: bigint, resource: Resource): string {
  return formatQuantity(nanos, resource === 'cpu' ? 'decimal' : 'binary');
}
