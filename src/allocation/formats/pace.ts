/**
 * How fast a reader is: chunks grow while the socket takes them all at once, and shrink when it does
 * not. Rows are encoded ahead only for a reader that takes chunks at once. The length of its rows
 * decides how many fill the next chunk.
 */
import { SLOT_LEAST_BYTES, SLOT_MOST_BYTES } from './slots.ts';

/**
 * Chunks taken at once before they double: the socket's own buffers take some of anybody. With eight an
 * answer of 16 MB was over before chunks were long.
 */
const STEADY_CHUNKS = 2;
/** The part of a slot to fill, if rows are as long as those before. */
const FILL = 0.95;

export class Pace {
  #bytes = SLOT_LEAST_BYTES;
  #takenAtOnce = 0;
  #encodedBytes = 0;
  #encodedRows = 0;

  /** The length of the next chunk at most. */
  get bytes(): number {
    return this.#bytes;
  }

  get isFast(): boolean {
    return this.#bytes > SLOT_LEAST_BYTES;
  }

  /** @param atOnce whether the reader took the last chunk at once; one that says nothing did */
  taken(atOnce: boolean = true): void {
    this.#takenAtOnce = atOnce ? this.#takenAtOnce + 1 : 0;
    if (!atOnce) this.#bytes = Math.max(SLOT_LEAST_BYTES, this.#bytes / 2);
    else if (this.#takenAtOnce % STEADY_CHUNKS === 0) {
      this.#bytes = Math.min(SLOT_MOST_BYTES, this.#bytes * 2);
    }
  }

  /** Rows of the answer that were encoded. */
  encoded(bytes: number, rows: number): void {
    this.#encodedBytes += bytes;
    this.#encodedRows += rows;
  }

  /** The length of the first rows is unknown: as many are encoded as fit. */
  rowsIn(bytes: number): number {
    if (this.#encodedRows === 0) return Infinity;
    return Math.max(1, Math.floor((FILL * bytes * this.#encodedRows) / this.#encodedBytes));
  }
}
