/** What a container used beside its request: quantiles of its samples, and how they are drawn. */
import { allOf, quoted } from '../../costs/fields.ts';
import { pathOf } from '../../path.ts';
import type { Change, Recommendation, Resource, SizingAnswer } from './sizing.ts';

/** Parts of the samples that are at most as large as what is told. */
export const QUANTILES = [0.5, 0.95, 0.99] as const;

/**
 * The recommendation that would hold a part of the samples with nothing to spare: it is that quantile.
 * @param part in (0, 1]
 */
export function quantilePath(of: Recommendation, window: string, part: number): string {
  const filter = allOf([
    `cluster:${quoted(of.clusterID)}`,
    `namespace:${quoted(of.namespace)}`,
    `controllerKind:${quoted(of.controllerKind)}`,
    `controllerName:${quoted(of.controllerName)}`,
    `container:${quoted(of.containerName)}`,
  ]);
  return pathOf('model/savings/requestSizingV2', {
    window,
    filter,
    algorithmCPU: 'quantile',
    algorithmRAM: 'quantile',
    qCPU: part,
    qRAM: part,
    targetCPUUtilization: 1,
    targetRAMUtilization: 1,
    minRecCPUMillicores: 0,
    minRecRAMBytes: 0,
  });
}

/** A quantile of one container; undefined: nothing is told of it. Millicores or MiB. */
export function quantileIn(
  answer: Pick<SizingAnswer, 'Recommendations'> | undefined,
  of: Recommendation,
  resource: Resource,
): number | undefined {
  // A filter selects pods, and with them their other containers.
  const found = answer?.Recommendations.find(
    (each) =>
      each.clusterID === of.clusterID &&
      each.namespace === of.namespace &&
      each.controllerKind === of.controllerKind &&
      each.controllerName === of.controllerName &&
      each.containerName === of.containerName,
  );
  const amounts = found?.normalizedRecommendedRequest;
  return resource === 'cpu' ? amounts?.cpuInMilliCores : amounts?.memoryInMiB;
}

export interface Level {
  readonly says: string;
  readonly kind: 'used' | 'today' | 'recommended';
  /** Millicores or MiB; undefined: not known yet. */
  readonly value: number | undefined;
}

/** All that is told of a resource, from what is always used to what is asked for. */
export function levelsOf(
  { average, most, from, to }: Change,
  quantiles: readonly (number | undefined)[],
): readonly Level[] {
  // Quantiles are within 1 % and rounded up: they may be told above the most.
  const capped = (value: number | undefined): number | undefined =>
    value === undefined ? undefined : Math.min(value, most);
  const used = (says: string, value: number | undefined): Level => ({ says, kind: 'used', value });
  return [
    used('on average', average),
    used('half of the time at most', capped(quantiles[0])),
    used('95 % of samples at most', capped(quantiles[1])),
    used('99 % of samples at most', capped(quantiles[2])),
    used('at the most', most),
    { says: 'request today', kind: 'today', value: from },
    { says: 'recommended', kind: 'recommended', value: to },
  ];
}

export interface Band {
  readonly from: number;
  readonly to: number;
  /** 0 for the half that is always there, 1 up to 95 %, 2 up to the most. */
  readonly rarity: number;
}

/** Spans of what was used, from 0 on, without those that are empty; quantiles are within 1 %, so none begins before the last. */
export function bandsOf(
  most: number,
  p50: number | undefined,
  p95: number | undefined,
): readonly Band[] {
  if (p50 === undefined || p95 === undefined) return [];
  const ends = [Math.min(p50, most), Math.min(Math.max(p50, p95), most), most];
  return ends
    .map((to, rarity) => ({ from: ends[rarity - 1] ?? 0, to, rarity }))
    .filter(({ from, to }) => to > from);
}
