/**
 * Makes the data folder of a Prometheus: promtool makes the same of text, but a hundred million samples
 * are 17 GB of text; here they take seconds.
 */
import { mkdirSync } from 'node:fs';
import { encodeLabels } from '../src/metrics/index.ts';
import {
  compareLabels,
  writeBlock,
  XorAppender,
  type BlockRange,
  type BlockSeries,
  type LabelBytes,
  type XorChunk,
} from '../src/tsdb/index.ts';

/** Sorted by name, the metric's own name `__name__` among them. */
export type SeriesLabels = readonly (readonly [name: string, value: string])[];

export interface SampledSeries {
  readonly labels: SeriesLabels;
  /** Times in whole ms and values, of equal length; may be the same arrays for the next series. */
  samples(): { readonly timesMs: Float64Array; readonly values: Float64Array };
}

export interface BlockStats {
  readonly series: number;
  readonly samples: number;
  readonly chunks: number;
  /** Bytes of the chunks and the index. */
  readonly bytes: number;
}

/** What Prometheus aims at. */
const CHUNK_SAMPLES = 120;

/** Makes the one block of `folder`, which Prometheus takes as `--storage.tsdb.path`. */
export async function writeStore(
  folder: string,
  range: BlockRange,
  series: readonly SampledSeries[],
): Promise<BlockStats> {
  mkdirSync(folder, { recursive: true });
  const meta = await writeBlock(folder, range, inOrder(series));
  if (meta?.files === undefined) throw new Error('BUG: a block without samples');
  const bytes = meta.files.chunks.reduce((sum, length) => sum + length, meta.files.index);
  return { series: meta.series, samples: meta.samples, chunks: meta.chunks, bytes };
}

function* inOrder(series: readonly SampledSeries[]): Generator<BlockSeries> {
  const labelled = series.map((one): [LabelBytes, SampledSeries] => [
    encodeLabels(Object.fromEntries(one.labels)),
    one,
  ]);
  for (const [labels, one] of labelled.sort(([a], [b]) => compareLabels(a, b)))
    yield { labels, chunks: chunksOf(one) };
}

function chunksOf(series: SampledSeries): XorChunk[] {
  const { timesMs, values } = series.samples();
  const chunks: XorChunk[] = [];
  for (let from = 0; from < values.length; from += CHUNK_SAMPLES) {
    const appender = new XorAppender();
    const to = Math.min(values.length, from + CHUNK_SAMPLES);
    for (let i = from; i < to; i++) appender.append(timesMs[i] ?? 0, values[i] ?? 0);
    chunks.push(appender.finish());
  }
  return chunks;
}
