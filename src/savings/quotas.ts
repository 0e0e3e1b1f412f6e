/** Resource quotas that allow far more than is used. A quota costs nothing: it saves by what it prevents. */
import type { Gauge } from './disk-use.ts';

export interface SizedQuota {
  readonly clusterId: string;
  readonly namespace: string;
  readonly resourceQuota: string;
  /** Such as `requests.cpu`. */
  readonly resource: string;
  /** Cores, bytes or a count. */
  readonly hard: number;
  readonly maxUsed: number;
  readonly utilization: number | null;
  readonly recommendedHard: number;
}

/** Resources that are whole numbers: bytes and counts; cores are told to a tenth. */
function roundedUp(resource: string, amount: number): number {
  // Quotients such as 0.3 / 0.1 may be a rounding error above a whole number.
  const up = (value: number): number => Math.ceil(value * (1 - 1e-12));
  return resource.endsWith('cpu') ? up(amount * 10) / 10 : up(amount);
}

/**
 * @param targetUtilization the part of a quota that may be used, in (0, 1]
 * @returns quotas whose limit would be another, the least used first
 */
export function sizedQuotas(gauges: readonly Gauge[], targetUtilization: number): SizedQuota[] {
  const found = new Map<string, { of: Gauge; hard?: number; used?: number }>();
  for (const gauge of gauges) {
    const { cluster, labels, max, last } = gauge;
    const { type, ...others } = labels;
    const key = JSON.stringify([cluster, Object.entries(others)]);
    const known = found.get(key) ?? { of: gauge };
    found.set(key, known);
    if (type === 'hard') known.hard = last;
    else if (type === 'used') known.used = max;
  }
  return [...found.values()]
    .flatMap(({ of, hard, used }) =>
      hard === undefined || used === undefined ? [] : [sized(of, hard, used, targetUtilization)],
    )
    .filter(({ hard, recommendedHard }) => hard !== recommendedHard)
    .sort(
      (a, b) => (a.utilization ?? 0) - (b.utilization ?? 0) || (nameOf(a) < nameOf(b) ? -1 : 1),
    );
}

function sized({ cluster, labels }: Gauge, hard: number, used: number, target: number): SizedQuota {
  const resource = labels['resource'] ?? '';
  return {
    clusterId: cluster,
    namespace: labels['exported_namespace'] ?? labels['namespace'] ?? '',
    resourceQuota: labels['resourcequota'] ?? '',
    resource,
    hard,
    maxUsed: used,
    utilization: hard > 0 ? used / hard : null,
    recommendedHard: roundedUp(resource, used / target),
  };
}

function nameOf({ clusterId, namespace, resourceQuota, resource }: SizedQuota): string {
  return [clusterId, namespace, resourceQuota, resource].join('/');
}
