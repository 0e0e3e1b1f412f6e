/** What blocks are written from and read as. */

/**
 * Labels of one series as `encodeLabels` of src/metrics writes them: repeated prompb.Label as field 1,
 * sorted by name, `__name__` among them.
 */
export type LabelBytes = Uint8Array;

export interface XorChunk {
  readonly minTimeMs: number;
  /** The time of its last sample. */
  readonly maxTimeMs: number;
  /** A Prometheus XOR chunk (tsdb/chunkenc/xor.go): the number of samples as u16be, then bits. */
  readonly bytes: Uint8Array;
  /** CRC-32C of the byte of its encoding and its bytes, where a block told it and it was checked. */
  readonly checksum?: number;
}

export interface BlockSeries {
  readonly labels: LabelBytes;
  /** In order of time, not overlapping. */
  readonly chunks: readonly XorChunk[];
}

/** A longer span is cut between two chunks. */
export const SPAN_BYTES_MAX: number = 256 << 10;

/** Chunks that follow each other in a file of chunks, as they stand there: length, encoding, data, checksum. */
export interface StoredSpan {
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
  readonly bytes: Uint8Array;
}

/** A series as queries read it: no chunk is checked before it is decoded. */
export interface StoredSeries {
  readonly labels: LabelBytes;
  /** In order of time, not overlapping. */
  readonly spans: readonly StoredSpan[];
}

export function samplesIn(chunk: XorChunk): number {
  return ((chunk.bytes[0] ?? 0) << 8) | (chunk.bytes[1] ?? 0);
}

export interface BlockRange {
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
}
