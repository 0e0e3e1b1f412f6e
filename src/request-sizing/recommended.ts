/** Recommendations in the arena: those of a page, in order, as columns of numbers. */
import { Frame, type Engine } from '../columnar/index.ts';

/** Numbers of a recommendation; its place is that of its row of demand. */
export const RECOMMENDED_NUMBERS = [
  'cpuMillicores',
  'ramMib',
  'cpuLatestMillicores',
  'ramLatestMib',
  'cpuAverageMillicores',
  'ramAverageMib',
  'cpuMaxMillicores',
  'ramMaxMib',
  'cpuEfficiency',
  'ramEfficiency',
  'totalEfficiency',
  'cpuMonthlyUsd',
  'ramMonthlyUsd',
  'totalMonthlyUsd',
] as const;
export type RecommendedNumber = (typeof RECOMMENDED_NUMBERS)[number];

export interface Recommended {
  /** Those of the page, in order; `place`, `byName` (places in the page by name), and numbers. */
  readonly frame: number;
  readonly rows: number;
  /** Of all pages. */
  readonly count: number;
  readonly totalMonthlyUsd: number;
  /** Containers of which no usage is known. */
  readonly withoutUsage: number;
}

/** The recommendations that are written. */
export function openRecommended({ arena }: Engine, frame: number): Frame {
  return new Frame(arena, frame);
}
