/** Reads what the head has: series by metric and matchers, chunks that touch a range. */
import { compileMatchers } from '../../metrics/matching.ts';
import type { Selection, TimeRange, Together } from '../../metrics/index.ts';
import type { BlockSeries, XorChunk } from '../blocks/series.ts';
import type { Head } from './head.ts';
import { labelTexts } from './label-bytes.ts';
import type { Part } from './part.ts';
import type { Series } from './series-table.ts';

/** The parts that a series has now: a window that is cut while they are read does not take them away. */
interface Found {
  readonly labels: Uint8Array;
  readonly parts: readonly Part[];
}

/**
 * Series by series, each with its samples as of when it is reached.
 * @throws {Fault} at once, for a matcher that does not compile
 */
export function readHead(
  head: Head,
  what: Selection | Together,
  range: TimeRange,
): Iterable<BlockSeries> {
  const found = seriesOf(head, what).flatMap(({ labels, parts }) => {
    const within = parts.filter(
      ({ window }) => window.endMs > range.startMs && window.startMs <= range.endMs,
    );
    return within.length === 0 ? [] : [{ labels, parts: within }];
  });
  return chunksOf(found, range);
}

function seriesOf(head: Head, what: Selection | Together): readonly Series[] {
  if ('metrics' in what) return what.metrics.flatMap((metric) => head.table.ofMetric(metric));
  const series = head.table.ofMetric(what.metric);
  if (what.matchers.length === 0) return series;
  const matches = compileMatchers(what.matchers);
  return series.filter(({ labels }) => matches(labelTexts(labels)));
}

function* chunksOf(found: readonly Found[], range: TimeRange): Generator<BlockSeries> {
  for (const { labels, parts } of found) {
    const chunks: XorChunk[] = [];
    for (const part of parts)
      for (const chunk of part.chunks())
        if (chunk.maxTimeMs >= range.startMs && chunk.minTimeMs <= range.endMs) chunks.push(chunk);
    if (chunks.length > 0) yield { labels, chunks };
  }
}
