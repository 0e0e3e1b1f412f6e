/**
 * A thread's reader of sample batches: the cursor of workers/kernels/series.ts and its scratch.
 */
import type { Arena, Owner } from './arena.ts';

/** Whole frames in the arena, in one of the encodings of src/metrics/source.ts. */
export interface ArenaBatch {
  readonly address: number;
  readonly bytes: number;
  readonly encoding: 'chunked-read' | 'samples';
}

/** What `condense` gives for a series of another metric than the one it is at. */
export const OTHER_METRIC = 2;

const DAMAGES: Readonly<Record<number, string>> = {
  [-2]: 'a frame has a wrong checksum',
  [-3]: 'a chunk has more samples than fit',
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

/** Samples of scratch: a piece is closed at 4,096, and one chunk holds at most 65,535. */
const ROOM = 4096 + 65536;
const CURSOR_BYTES = 80;
const LATEST_AT = 64;

/** Bytes of a thread's scratch for `condense` and `indexKeys`. */
export const STATE_BYTES: number = 64 * 1024;

/** Bytes beyond a batch that the decoder may read (never uses): allocate batches with this slack. */
export const BATCH_SLACK_BYTES = 16;

/** Allocates a cursor with its scratch. @returns the cursor's address */
export function createCursor(arena: Arena, owner: Owner, crcTable: number): number {
  const cursor = arena.allocateZeroed(CURSOR_BYTES + 2 * 8 * ROOM, owner);
  const fields = arena.u32(cursor, 7);
  fields[3] = crcTable;
  fields[4] = cursor + CURSOR_BYTES;
  fields[5] = cursor + CURSOR_BYTES + 8 * ROOM;
  fields[6] = ROOM;
  return cursor;
}

/** Points the cursor at the start of `batch`. */
export function openBatch(arena: Arena, cursor: number, batch: ArenaBatch): void {
  const fields = arena.u32(cursor, 16);
  fields[0] = batch.address;
  fields[1] = batch.address + batch.bytes;
  fields[2] = batch.encoding === 'chunked-read' ? 0 : 1;
  fields.fill(0, 7);
  arena.f64(cursor + LATEST_AT, 1)[0] = -Infinity;
}

/** The time of the latest sample in the batch that was walked; -Infinity without any. */
export function latestSampleMs(arena: Arena, cursor: number): number {
  return arena.f64(cursor + LATEST_AT, 1)[0];
}

/** The piece a kernel stopped at: addresses of labels, timestamps and values. */
export interface Piece {
  readonly labels: number;
  readonly labelBytes: number;
  readonly timestamps: number;
  readonly values: number;
  readonly samples: number;
}

export function currentPiece(arena: Arena, cursor: number): Piece {
  const [labels, labelsEnd, timestamps, values, samples] = arena.u32(cursor + 36, 5);
  return { labels, labelBytes: labelsEnd - labels, timestamps, values, samples };
}

/**
 * Writes label names as workers/kernels/labels.ts reads them; a name that ends in `*` stands for
 * every name it begins. @returns bytes written at `address`
 */
export function writeNames(arena: Arena, address: number, names: readonly string[]): number {
  let text = address + 4 + 8 * names.length;
  const table = arena.u32(address, 1 + 2 * names.length);
  table[0] = names.length;
  names.forEach((name, i) => {
    const isPrefix = name.endsWith('*');
    const bytes = Buffer.from(isPrefix ? name.slice(0, -1) : name);
    arena.u8(text, bytes.length).set(bytes);
    table[1 + 2 * i] = text;
    table[2 + 2 * i] = (bytes.length | (isPrefix ? 0x80000000 : 0)) >>> 0;
    text += bytes.length;
  });
  return text - address;
}
