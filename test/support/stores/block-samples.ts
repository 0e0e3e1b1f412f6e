/** Series as plain texts and numbers, to be written into blocks and compared with what is read back. */
import { encodeLabels, type TimeRange } from '../../../src/metrics/index.ts';
import {
  compareLabels,
  XorAppender,
  type BlockSeries,
  type LabelBytes,
  type XorChunk,
} from '../../../src/tsdb/index.ts';
import { decodeXorChunkByBits } from './xor-encoder.ts';
import { numberOf } from '../references/read-batches.ts';

export interface PlainSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** In order of time. */
  readonly samples: readonly (readonly [timeMs: number, value: number])[];
}

/** In the order of a block. */
export function asBlockSeries(series: readonly PlainSeries[], chunkSamples = 120): BlockSeries[] {
  return series
    .map(({ labels, samples }) => ({
      labels: encodeLabels(labels),
      chunks: chunksOf(samples, chunkSamples),
    }))
    .sort((a, b) => compareLabels(a.labels, b.labels));
}

export function chunksOf(samples: PlainSeries['samples'], chunkSamples = 120): XorChunk[] {
  const chunks: XorChunk[] = [];
  for (let from = 0; from < samples.length; from += chunkSamples) {
    const appender = new XorAppender();
    for (const [ms, value] of samples.slice(from, from + chunkSamples)) appender.append(ms, value);
    chunks.push(appender.finish());
  }
  return chunks;
}

/** Samples by label texts, bit by bit, whatever pieces they come in. */
export function plainSamples(
  series: Iterable<BlockSeries>,
  range: TimeRange = { startMs: -Infinity, endMs: Infinity },
): Map<string, (readonly [timeMs: number, value: number])[]> {
  const found = new Map<string, (readonly [number, number])[]>();
  for (const { labels, chunks } of series) {
    const key = labelKey(labelTexts(labels));
    const samples = found.get(key) ?? [];
    for (const chunk of chunks)
      for (const { timestampMs, valueBits } of decodeXorChunkByBits(chunk.bytes)) {
        const ms = Number(timestampMs);
        if (ms >= range.startMs && ms <= range.endMs) samples.push([ms, numberOf(valueBits)]);
      }
    if (samples.length > 0) found.set(key, samples);
  }
  return found;
}

export function labelKey(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** As `encodeLabels` wrote them, of fewer than 128 bytes each. */
export function labelTexts(labels: LabelBytes): Record<string, string> {
  const texts: Record<string, string> = {};
  const bytes = Buffer.from(labels);
  for (let at = 0; at < bytes.length;) {
    const name = at + 4;
    const nameEnd = name + (bytes[at + 3] ?? 0);
    const value = nameEnd + 2;
    const valueEnd = value + (bytes[nameEnd + 1] ?? 0);
    texts[bytes.toString('utf8', name, nameEnd)] = bytes.toString('utf8', value, valueEnd);
    at = valueEnd;
  }
  return texts;
}
