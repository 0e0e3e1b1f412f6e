/**
 * A block's file of deleted samples (https://github.com/prometheus/prometheus/blob/main/tsdb/docs/format/tombstones.md).
 * Samples of ours are never deleted one by one, so it is always empty.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { codeOf } from '../../storage/disk-error.ts';
import { DamagedBlock } from '../format/damaged-block.ts';

/** Its magic, version 1, and the checksum of nothing. */
export const NO_TOMBSTONES: Uint8Array = Uint8Array.of(0x01, 0x30, 0xba, 0x30, 1, 0, 0, 0, 0);

/** A missing file is an empty one, as for Prometheus. @throws {DamagedBlock} for any other content */
export function requireNoTombstones(path: string): void {
  const bytes = Buffer.alloc(NO_TOMBSTONES.length + 1);
  let length: number;
  try {
    const file = openSync(path, 'r');
    length = readSync(file, bytes, 0, bytes.length, 0);
    closeSync(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (bytes.subarray(0, length).equals(NO_TOMBSTONES)) return;
  throw new DamagedBlock(path, 0, 'it tells of deleted samples, or of nothing that can be read');
}
