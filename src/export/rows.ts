/**
 * Rows of text written into a bounded piece of memory from a row on, so that an answer of any length
 * is made in chunks.
 */

/** What was written: bytes, and the row to go on with. */
export interface Chunk {
  readonly bytes: number;
  readonly nextRow: number;
}

/**
 * Writes rows [row, rows) to `target` until they end or the next one does not fit.
 *
 * @param write one row as text, with what parts it from the row before or after it
 * @returns bytes 0 with rows left when not even one row fits: the caller comes with more room
 */
export function writeRows(
  target: Uint8Array,
  row: number,
  rows: number,
  write: (row: number) => string,
): Chunk {
  const buffer = Buffer.from(target.buffer, target.byteOffset, target.byteLength);
  let bytes = 0;
  let next = row;
  for (; next < rows; next++) {
    const text = write(next);
    // A UTF-16 unit is at most three bytes of UTF-8; only near the end is it worth counting.
    const fits = text.length * 3 <= buffer.length - bytes;
    if (!fits && Buffer.byteLength(text) > buffer.length - bytes) break;
    bytes += buffer.write(text, bytes);
  }
  return { bytes, nextRow: next };
}
