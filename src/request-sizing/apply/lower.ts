/** The one rule: a request is lowered, never below what it may be, and never raised. */
import type { ContainerSpec } from '../../cluster/index.ts';
import { readQuantity } from '../../query/index.ts';
import { quantityText, requestOf, roundedUp, type Resource } from './amounts.ts';

/** A namespace's limit range of containers: a `LimitRangeItem` of type Container. */
export interface ContainerRange {
  readonly min?: Readonly<Record<string, string | number>>;
  readonly maxLimitRequestRatio?: Readonly<Record<string, string | number>>;
}

/** Nanos below which no request is lowered. */
export type Floors = Readonly<Record<Resource, bigint>>;

export type Lowering =
  /** `held`: why it is more than the plan wants. */
  | { readonly toNanos: bigint; readonly held?: string }
  /** The request stays; undefined: it is as wanted already. */
  | { readonly toNanos?: never; readonly why: string | undefined };

export function lowered(
  container: ContainerSpec,
  resource: Resource,
  wantedNanos: bigint,
  floors: Floors,
  ranges: readonly ContainerRange[],
): Lowering {
  const now = requestOf(container, resource);
  if (now === undefined) return { why: `no ${resource} request is set` };
  const wanted = roundedUp(wantedNanos, resource);
  if (now === wanted) return { why: undefined };
  if (wanted > now)
    return {
      why: `${resource} would be raised from ${text(now, resource)} to ${text(wanted, resource)}`,
    };
  const [least, by] = leastOf(container, resource, floors, ranges);
  if (wanted >= least) return { toNanos: wanted };
  const held = `${resource} is held at ${text(least, resource)} by ${by}`;
  return least < now ? { toNanos: least, held } : { why: held };
}

function text(nanos: bigint, resource: Resource): string {
  return quantityText(nanos, resource);
}

/** The least that is allowed, and by whom. */
function leastOf(
  container: ContainerSpec,
  resource: Resource,
  floors: Floors,
  ranges: readonly ContainerRange[],
): readonly [bigint, string] {
  const limit = container.resources?.limits?.[resource];
  const bounds: (readonly [bigint, string])[] = [[floors[resource], 'the configured floor']];
  for (const { min, maxLimitRequestRatio } of ranges) {
    const least = min?.[resource];
    const ratio = maxLimitRequestRatio?.[resource];
    if (least !== undefined) bounds.push([nanos(least), "the namespace's least request"]);
    if (ratio !== undefined && limit !== undefined && nanos(ratio) > 0n) {
      // limit / request <= ratio, both in nanos
      const divided = (nanos(limit) * 1_000_000_000n + nanos(ratio) - 1n) / nanos(ratio);
      bounds.push([divided, "the namespace's ratio of limit to request"]);
    }
  }
  const [value, by] = bounds.reduce((a, b) => (b[0] > a[0] ? b : a));
  return [roundedUp(value, resource), by];
}

function nanos(amount: string | number): bigint {
  return readQuantity(String(amount)) ?? 0n;
}
