/**
 * Samples of a block that were deleted, as its file `tombstones` tells them
 * (https://github.com/prometheus/prometheus/blob/main/tsdb/docs/format/tombstones.md):
 *
 * ```
 *   0130ba30 01 │ uvarint series, varint first time, varint last time │ … │ CRC-32C of all these
 * ```
 */
import { ByteReader } from './byte-reader.ts';
import { crc32c } from './crc32c.ts';
import type { TimeSpan } from './cut-chunk.ts';

const TOMBSTONES_MAGIC = 0x0130ba30;
const TOMBSTONES_VERSION = 1;
const HEAD_BYTES = 5;
const CHECKSUM_BYTES = 4;

/** By the number of the series. */
export type DeletedSpans = ReadonlyMap<number, readonly TimeSpan[]>;

/** @param path for messages @throws {DamagedBlock} */
export function readDeletedSpans(path: string, bytes: Uint8Array): DeletedSpans {
  const end = bytes.length - CHECKSUM_BYTES;
  const body = new ByteReader(path, bytes, 0, 0, Math.max(end, 0));
  if (body.u32() !== TOMBSTONES_MAGIC) body.fail('it tells of no deleted samples', 0);
  if (body.u8() !== TOMBSTONES_VERSION) body.fail(`it is not of version ${TOMBSTONES_VERSION}`, 4);
  if (new ByteReader(path, bytes, 0, end).u32() !== crc32c(bytes, HEAD_BYTES, end))
    body.fail('it has a wrong checksum', end);
  const spans = new Map<number, TimeSpan[]>();
  while (body.left > 0) {
    const number = body.uvarint();
    const [fromMs, toMs] = [body.time(), body.time()];
    const known = spans.get(number);
    if (known === undefined) spans.set(number, [{ fromMs, toMs }]);
    else known.push({ fromMs, toMs });
  }
  return spans;
}
