/**
 * A stream of Arrow in pieces that can be made one by one, in any thread:
 *
 *   head      the schema, once
 *   batch     the dictionaries of a set's columns and its record batch, once a set
 *   ARROW_END
 */
import type { StreamBatch, StreamColumn } from './arrow.ts';

export interface ArrowPieces {
  readonly head: Uint8Array;
  readonly batch: Uint8Array;
}

/** The end of every stream: no further message. */
export const ARROW_END: Uint8Array = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

/**
 * Columns of the same names and kinds have the same head.
 * @param roomOf gives room for at most so many bytes, in which the pieces are then
 */
export async function arrowPieces(
  rows: number,
  columns: readonly StreamColumn[],
  roomOf: (bytes: number) => Uint8Array = (bytes) => new Uint8Array(bytes),
): Promise<ArrowPieces> {
  const { arrowStream } = await import('./arrow.ts');
  const stream = arrowStream(rows, columns, roomOf);
  // A message begins with ff ff ff ff and the length of what describes it; a schema has no more.
  const view = new DataView(stream.buffer, stream.byteOffset, stream.length);
  const headBytes = 8 + view.getInt32(4, true);
  return {
    head: stream.subarray(0, headBytes),
    batch: stream.subarray(headBytes, stream.length - ARROW_END.length),
  };
}

/**
 * Batches of a stream of such pieces, one at a time.
 * @param chunks each may change once the next is requested
 */
export async function* arrowBatches(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<StreamBatch> {
  const { readStream } = await import('./arrow.ts');
  yield* readStream(copies(chunks));
}

/** Copies of chunks, as the reader's batches are views on its input. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk);
}
