/** Series of any metric as an OpenMetrics file: gauges that hold, steps and steady counters. */
import { type Labels, openMetricsWriter, type Sample } from '../../../scripts/openmetrics.ts';

export interface ToldSeries {
  readonly name: string;
  readonly labels: Labels;
  readonly samples: readonly Sample[];
}

/** When samples are taken: at phaseMs past every full interval, from startMs up to endMs. */
export interface Scraped {
  readonly startMs: number;
  readonly endMs: number;
  readonly everyMs: number;
  readonly phaseMs?: number;
}

/** @param value at a time; undefined is no sample */
export function told(
  name: string,
  labels: Labels,
  { startMs, endMs, everyMs, phaseMs = 0 }: Scraped,
  value: number | ((timeMs: number) => number | undefined) = 1,
): ToldSeries {
  const samples: Sample[] = [];
  const firstMs = Math.ceil((startMs - phaseMs) / everyMs) * everyMs + phaseMs;
  for (let timeMs = firstMs; timeMs <= endMs; timeMs += everyMs) {
    const now = typeof value === 'number' ? value : value(timeMs);
    if (now !== undefined) samples.push([timeMs, now]);
  }
  return { name, labels, samples };
}

/** @returns how many samples were written */
export async function writeSeries(file: string, series: readonly ToldSeries[]): Promise<number> {
  const writer = openMetricsWriter(file);
  for (const name of new Set(series.map((one) => one.name))) {
    writer.family(name, 'unknown');
    for (const one of series) {
      if (one.name === name && one.samples.length > 0) {
        await writer.series(one.labels, one.samples);
      }
    }
  }
  return await writer.close();
}
