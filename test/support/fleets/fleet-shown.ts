/** Series as an exporter shows them at its scrapes. */
import type { Labels, Sample } from '../../../scripts/openmetrics.ts';
import type { Span } from './fleet.ts';

export interface Series {
  readonly name: string;
  readonly labels: Labels;
  readonly samples: readonly Sample[];
}

/** A series that exists in a span; the value may change with time, undefined is no sample. */
export interface Shown {
  readonly name: string;
  readonly labels: Labels;
  readonly span: Span;
  readonly value: (timeMs: number) => number | undefined;
}

export function sampled(shown: Shown, times: readonly number[], from: Labels): Series {
  const [startMs, endMs] = shown.span;
  const samples: Sample[] = [];
  for (const timeMs of times) {
    const value = timeMs >= startMs && timeMs < endMs ? shown.value(timeMs) : undefined;
    if (value !== undefined) samples.push([timeMs, value]);
  }
  return { name: shown.name, labels: { ...from, ...shown.labels }, samples };
}

export function one(): number {
  return 1;
}

/** How long, in core-seconds, each CPU works before the next one takes over. */
const TURN_SECONDS = 7;

/** A counter of CPU usage by the CPUs that took turns at it; those that did nothing are not shown. */
export function eachCpu(series: Series, cpus: number | undefined): Series[] {
  if (cpus === undefined || series.labels['cpu'] === undefined) return [series];
  const round = cpus * TURN_SECONDS;
  return Array.from({ length: cpus }, (_, cpu) => {
    const samples = series.samples.map(([timeMs, used]): Sample => {
      const rounds = Math.floor(used / round);
      const begun = used - rounds * round - cpu * TURN_SECONDS;
      return [timeMs, rounds * TURN_SECONDS + Math.min(Math.max(begun, 0), TURN_SECONDS)];
    });
    const labels = { ...series.labels, cpu: `cpu${String(cpu).padStart(2, '0')}` };
    return { ...series, labels, samples: samples.filter(([, used]) => used > 0) };
  });
}
