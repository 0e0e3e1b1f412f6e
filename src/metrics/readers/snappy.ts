/** Snappy's block format (github.com/google/snappy, format_description.txt): the only file that knows hysnappy. */
import { snappyCompressor, snappyUncompressor } from 'hysnappy';

/** Both are compiled when they are first needed, and keep the memory that the largest text took. */
let compress: ((bytes: Uint8Array) => Uint8Array) | undefined;
let uncompress: ((compressed: Uint8Array, bytes: number) => Uint8Array) | undefined;

export function snappy(bytes: Uint8Array): Uint8Array {
  compress ??= snappyCompressor();
  return compress(bytes);
}

/** How many bytes a text claims to have uncompressed; undefined when it does not begin with a length. */
export function snappyBytes(compressed: Uint8Array): number | undefined {
  let length = 0;
  for (let i = 0; i < 5; i++) {
    const byte = compressed[i];
    if (byte === undefined) return undefined;
    length += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return length <= 0xffffffff ? length : undefined;
  }
  return undefined;
}

/** @throws for what is not snappy, or is longer than `bytesMax` */
export function unsnappy(compressed: Uint8Array, bytesMax: number): Uint8Array {
  const bytes = snappyBytes(compressed);
  if (bytes === undefined) throw new Error('not compressed with snappy');
  if (bytes > bytesMax) throw new Error(`it claims ${bytes} bytes, at most ${bytesMax} are read`);
  try {
    uncompress ??= snappyUncompressor();
    return uncompress(compressed, bytes);
  } catch (error) {
    // A text that makes it trap may leave it half changed.
    uncompress = undefined;
    throw error;
  }
}
