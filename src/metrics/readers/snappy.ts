/** Snappy's block format: the only file that knows snappyjs. */
import { compress } from 'snappyjs';

export function snappy(bytes: Uint8Array): Uint8Array {
  return compress(bytes);
}
