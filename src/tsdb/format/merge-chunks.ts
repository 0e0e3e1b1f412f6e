/**
 * Chunks of one series from several sources as one list. Chunks that overlap no other stay as they are; the
 * others are decoded and written again.
 *
 * Two samples of one time become one, whichever source they are of: a number before a NaN, the larger
 * number, then the larger bits. So the result does not depend on what was merged with what first.
 */
import { decodedOf } from './cut-chunk.ts';
import type { XorChunk } from './series.ts';
import { XorAppender } from './xor-appender.ts';

const CHUNK_SAMPLES = 120;

interface Sample {
  readonly timeMs: number;
  readonly low: number;
  readonly high: number;
}

/** @throws {Unavailable} for a chunk that cannot be decoded */
export function mergeChunks(lists: readonly (readonly XorChunk[])[]): XorChunk[] {
  const all = lists.flat().sort((a, b) => a.minTimeMs - b.minTimeMs || a.maxTimeMs - b.maxTimeMs);
  const merged: XorChunk[] = [];
  for (let from = 0; from < all.length;) {
    let lastMs = all[from]?.maxTimeMs ?? 0;
    let to = from + 1;
    for (let next = all[to]; next !== undefined && next.minTimeMs <= lastMs; next = all[to]) {
      lastMs = Math.max(lastMs, next.maxTimeMs);
      to++;
    }
    merged.push(...mergeOverlapping(all.slice(from, to)));
    from = to;
  }
  return merged;
}

function mergeOverlapping(chunks: readonly XorChunk[]): readonly XorChunk[] {
  const [first, ...others] = chunks;
  if (first === undefined || others.every(({ bytes }) => isEqual(bytes, first.bytes)))
    return chunks.slice(0, 1);
  const samples: Sample[] = [];
  for (const { bytes } of chunks) {
    const decoded = decodedOf(bytes);
    for (let i = 0; i < decoded.count; i++) {
      const [timeMs = 0, low = 0, high = 0] = [
        decoded.timesMs[i],
        decoded.lows[i],
        decoded.highs[i],
      ];
      samples.push({ timeMs, low, high });
    }
  }
  samples.sort((a, b) => a.timeMs - b.timeMs || rank(b, a));
  const merged: XorChunk[] = [];
  let appender = new XorAppender();
  let lastMs = NaN;
  for (const { timeMs, low, high } of samples) {
    if (timeMs === lastMs) continue;
    lastMs = timeMs;
    if (appender.count === CHUNK_SAMPLES) {
      merged.push(appender.finish());
      appender = new XorAppender();
    }
    appender.appendBits(timeMs, low, high);
  }
  merged.push(appender.finish());
  return merged;
}

const words = new Uint32Array(2);
const number = new Float64Array(words.buffer);

/** Positive when `a` is kept rather than `b`. */
function rank(a: Sample, b: Sample): number {
  const [left, right] = [valueOf(a), valueOf(b)];
  if (left > right) return 1;
  if (left < right) return -1;
  const numbers = Number(!Number.isNaN(left)) - Number(!Number.isNaN(right));
  return numbers || a.high - b.high || a.low - b.low;
}

function valueOf({ low, high }: Sample): number {
  words[0] = low;
  words[1] = high;
  return number[0] ?? NaN;
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
