/** Snappy's block format: the only file that knows snappyjs. */
import { compress, uncompress } from 'snappyjs';

export function snappy(bytes: Uint8Array): Uint8Array {
  return compress(bytes);
}

/** @throws for what is not snappy, or is longer than `bytesMax` */
export function unsnappy(bytes: Uint8Array, bytesMax: number): Uint8Array {
  return uncompress(bytes, bytesMax);
}
