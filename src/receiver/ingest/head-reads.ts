/** Reads what the head has: series by metric and matchers, chunks that touch a range. */
import { compileMatchers } from '../../metrics/matching.ts';
import type { TimeRange } from '../../metrics/index.ts';
import type { BlockQuery, BlockSeries, SeriesSource } from '../../tsdb/index.ts';
import type { Head } from './head.ts';
import type { HeadWindow } from './head-window.ts';
import { labelTexts } from './label-bytes.ts';
import type { Part } from './part.ts';
import type { Series } from './series-table.ts';

/**
 * The windows that touch the range. Their series are those of now, so that a window which is cut while they
 * are read does not take them away; the samples are those of when they are reached.
 * @throws {Fault} for a matcher that does not compile
 */
export function readHead(head: Head, query: BlockQuery, range: TimeRange): SeriesSource[] {
  const windows = head.windows.filter((window) => touches(window, range));
  if (windows.length === 0) return [];
  const series = seriesOf(head, query);
  return windows.map((window) => {
    const { startMs, endMs } = window;
    const parts = series.flatMap((each) => each.partIn(window) ?? []);
    return { startMs, endMs, series: () => chunksWithin(parts, range) };
  });
}

function touches({ startMs, endMs }: HeadWindow, range: TimeRange): boolean {
  return startMs <= range.endMs && endMs > range.startMs;
}

function seriesOf(head: Head, query: BlockQuery): readonly Series[] {
  if ('metrics' in query) return head.table.ofMetrics(query.metrics);
  const series = head.table.ofMetrics([query.metric]);
  if (query.matchers.length === 0) return series;
  const matches = compileMatchers(query.matchers);
  return series.filter(({ labels }) => matches(labelTexts(labels)));
}

function* chunksWithin(parts: readonly Part[], range: TimeRange): Generator<BlockSeries> {
  for (const part of parts) {
    const chunks = part
      .chunks()
      .filter(({ minTimeMs, maxTimeMs }) => maxTimeMs >= range.startMs && minTimeMs <= range.endMs);
    if (chunks.length > 0) yield { labels: part.labels, chunks };
  }
}
