/** Parts of a chunk, written again: samples that were deleted, or are of others to tell, are left out. */
import { Unavailable } from '../../query/index.ts';
import type { XorChunk } from './series.ts';
import { XorAppender } from './xor-appender.ts';
import { XorSamples } from './xor-samples.ts';

/** Times, both inclusive. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** @returns undefined where nothing is left @throws {Unavailable} for a chunk that cannot be decoded */
export function withoutSpans(chunk: XorChunk, spans: readonly TimeSpan[]): XorChunk | undefined {
  const { minTimeMs, maxTimeMs } = chunk;
  const touching = spans.filter(({ fromMs, toMs }) => fromMs <= maxTimeMs && toMs >= minTimeMs);
  if (touching.length === 0) return chunk;
  if (touching.some(({ fromMs, toMs }) => fromMs <= minTimeMs && toMs >= maxTimeMs))
    return undefined;
  return samplesWhere(
    chunk,
    (timeMs) => !touching.some(({ fromMs, toMs }) => timeMs >= fromMs && timeMs <= toMs),
  );
}

/** @returns undefined where nothing is left @throws {Unavailable} for a chunk that cannot be decoded */
export function within(chunk: XorChunk, { fromMs, toMs }: TimeSpan): XorChunk | undefined {
  const { minTimeMs, maxTimeMs } = chunk;
  if (minTimeMs >= fromMs && maxTimeMs <= toMs) return chunk;
  if (minTimeMs > toMs || maxTimeMs < fromMs) return undefined;
  return samplesWhere(chunk, (timeMs) => timeMs >= fromMs && timeMs <= toMs);
}

/** Times of a chunk's samples. @throws {Unavailable} for a chunk that cannot be decoded */
export function timesIn({ bytes }: XorChunk): Float64Array {
  const decoded = decodedOf(bytes);
  return decoded.timesMs.slice(0, decoded.count);
}

function samplesWhere(
  { bytes }: XorChunk,
  isKept: (timeMs: number) => boolean,
): XorChunk | undefined {
  const { count, timesMs, lows, highs } = decodedOf(bytes);
  const appender = new XorAppender();
  for (let i = 0; i < count; i++) {
    const timeMs = timesMs[i] ?? 0;
    if (isKept(timeMs)) appender.appendBits(timeMs, lows[i] ?? 0, highs[i] ?? 0);
  }
  return appender.count === 0 ? undefined : appender.finish();
}

const decoder = new XorSamples();

/** Held until the next one. @throws {Unavailable} for a chunk that cannot be decoded */
export function decodedOf(bytes: Uint8Array): XorSamples {
  try {
    decoder.decode(bytes);
    return decoder;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Unavailable(`a stored chunk cannot be decoded: ${reason}`, { cause });
  }
}
