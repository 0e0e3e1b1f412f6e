/** Costs as rates: by hour, day or month of 730 hours. */
import type { Frame } from '../../columnar/index.ts';
import { HOURS_PER_MONTH } from '../../query/index.ts';
import { MEASURES } from './schema.ts';

export const COST_METRICS = ['cumulative', 'hourly', 'daily', 'monthly'] as const;
export type CostMetric = (typeof COST_METRICS)[number];

const HOURS: Readonly<Record<Exclude<CostMetric, 'cumulative'>, number>> = {
  hourly: 1,
  daily: 24,
  monthly: HOURS_PER_MONTH,
};

/**
 * Turns the costs of grouped rows to rates, in place.
 * @param windowHours length of the set's window, up to now
 */
export function turnToRates(frame: Frame, metric: CostMetric, windowHours: number): void {
  if (metric === 'cumulative') return;
  const factor = windowHours > 0 ? HOURS[metric] / windowHours : 0;
  for (const { column, unit } of MEASURES) {
    if (unit !== 'USD' || !frame.has(column)) continue;
    const values = frame.f64(column);
    for (let row = 0; row < values.length; row++) values[row] = (values[row] ?? 0) * factor;
  }
}
