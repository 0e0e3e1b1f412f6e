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
