/**
 * A thread's reader of sample batches: the cursor of workers/kernels/decode/series.ts and its scratch.
 */
import type { Arena, Owner } from '../memory/arena.ts';
import { fillStruct, structAt } from '../memory/struct.ts';
import {
  CHUNKED_READ,
  CURSOR_ROOM,
  NAME_IS_PREFIX,
  NO_ROOM,
  OTHER_METRIC,
  SAMPLES,
  STORED_CHUNKS,
  WRONG_CHECKSUM,
} from './layout/constants.ts';
import { NAMES, SAMPLES_BLOCK, SERIES_CURSOR, STORED_SERIES, TEXT_AT } from './layout/decode.ts';

/** Whole frames in the arena, in one of the encodings of src/metrics/source.ts. */
export interface ArenaBatch {
  readonly address: number;
  readonly bytes: number;
  readonly encoding: 'chunked-read' | 'samples' | 'stored-chunks';
}

const ENCODINGS: Readonly<Record<ArenaBatch['encoding'], number>> = {
  'chunked-read': CHUNKED_READ,
  samples: SAMPLES,
  'stored-chunks': STORED_CHUNKS,
};

const DAMAGES: Readonly<Record<number, string>> = {
  [WRONG_CHECKSUM]: 'a frame has a wrong checksum',
  [NO_ROOM]: 'a chunk has more samples than fit',
  [OTHER_METRIC]: 'a series is of a metric that was not asked for',
};

/** The batch's bytes do not decode. */
export class DamagedBatch extends Error {
  readonly status: number;
  constructor(status: number) {
    super(DAMAGES[status] ?? 'a frame is damaged');
    this.name = 'DamagedBatch';
    this.status = status;
  }
}

const SCRATCH_BYTES = 8 * CURSOR_ROOM;
/** Behind the cursor, aligned to a cache line. */
const SCRATCH_AT = 64 * Math.ceil(SERIES_CURSOR.bytes / 64);
/** Bytes of the cursor with its scratch. */
export const CURSOR_BYTES: number = SCRATCH_AT + 2 * SCRATCH_BYTES;

/** Bytes of a thread's scratch for `condense` and `indexKeys`. */
export const STATE_BYTES: number = 64 * 1024;

/** Bytes behind a batch that the decoder may read without using them: allocate batches with this slack. */
export const BATCH_SLACK_BYTES = 16;

/** Allocates a cursor with its scratch. @returns the cursor's address */
export function createCursor(arena: Arena, owner: Owner, crcTable: number): number {
  const cursor = arena.allocateZeroed(CURSOR_BYTES, owner);
  const scratchTimestamps = cursor + SCRATCH_AT;
  const scratchValues = scratchTimestamps + SCRATCH_BYTES;
  const fields = { crcTable, scratchTimestamps, scratchValues, room: CURSOR_ROOM };
  fillStruct(arena, cursor, SERIES_CURSOR, fields);
  return cursor;
}

/** A cursor that has read nothing. */
const START = {
  messageEnd: 0,
  seriesEnd: 0,
  data: 0,
  dataBytes: 0,
  latestMs: -Infinity,
  samplesRead: 0,
  labels: 0,
  labelsEnd: 0,
  timestamps: 0,
  values: 0,
  samples: 0,
};

/** Points the cursor at the start of `batch`. */
export function openBatch(arena: Arena, cursor: number, batch: ArenaBatch): void {
  fillStruct(arena, cursor, SERIES_CURSOR, {
    ...START,
    at: batch.address,
    end: batch.address + batch.bytes,
    encoding: ENCODINGS[batch.encoding],
  });
}

/** Where a block of samples has its parts, as workers/kernels/decode/series.ts reads them. */
export function blockPlaces(
  at: number,
  labelBytes: number,
  samples: number,
): Readonly<Record<'labels' | 'times' | 'values' | 'end', number>> {
  const labels = at + SAMPLES_BLOCK.bytes;
  const times = labels + 8 * Math.ceil(labelBytes / 8);
  const values = times + 8 * samples;
  return { labels, times, values, end: values + 8 * samples };
}

/** Where a series of stored chunks has its parts, as workers/kernels/decode/series.ts reads them. */
export function storedPlaces(
  at: number,
  labelBytes: number,
  chunkBytes: number,
): Readonly<Record<'labels' | 'chunks' | 'end', number>> {
  const labels = at + STORED_SERIES.bytes;
  const chunks = labels + labelBytes;
  return { labels, chunks, end: 8 * Math.ceil((chunks + chunkBytes) / 8) };
}

/** The time of the latest sample in the last batch; -Infinity without samples. */
export function latestSampleMs(arena: Arena, cursor: number): number {
  return structAt(arena, cursor, SERIES_CURSOR).latestMs;
}

/** Samples of the last batch, those outside of the requested times included. */
export function samplesRead(arena: Arena, cursor: number): number {
  return structAt(arena, cursor, SERIES_CURSOR).samplesRead;
}

/** The piece at which a kernel stopped: addresses of labels, timestamps and values. */
export interface Piece {
  readonly labels: number;
  readonly labelBytes: number;
  readonly timestamps: number;
  readonly values: number;
  readonly samples: number;
}

export function currentPiece(arena: Arena, cursor: number): Piece {
  const piece = structAt(arena, cursor, SERIES_CURSOR);
  const { labels, labelsEnd, timestamps, values, samples } = piece;
  return { labels, labelBytes: labelsEnd - labels, timestamps, values, samples };
}

/**
 * Writes label names as workers/kernels/decode/labels.ts reads them; a name that ends in `*` stands for
 * all names that begin so. @returns bytes written at `address`
 */
export function writeNames(arena: Arena, address: number, names: readonly string[]): number {
  const entriesAt = address + NAMES.bytes;
  let text = entriesAt + TEXT_AT.bytes * names.length;
  structAt(arena, address, NAMES).count = names.length;
  names.forEach((name, i) => {
    const isPrefix = name.endsWith('*');
    const bytes = Buffer.from(isPrefix ? name.slice(0, -1) : name);
    arena.u8(text, bytes.length).set(bytes);
    fillStruct(arena, entriesAt + TEXT_AT.bytes * i, TEXT_AT, {
      address: text,
      bytes: bytes.length + (isPrefix ? NAME_IS_PREFIX : 0),
    });
    text += bytes.length;
  });
  return text - address;
}
