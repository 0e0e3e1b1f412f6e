/**
 * Finds the lines of wanted metrics in a page of the text format that comes in chunks. Memory is that of
 * one line, whatever a page has: lines of other metrics are passed over, however long they are.
 */
import { Unavailable } from '../../query/index.ts';

/** A page that is no page of metrics, or too much of one. */
export class PageFault extends Unavailable {}

/** Called with each wanted line, without its end; the bytes are valid during the call only. */
export type TakeLine = (bytes: Buffer, from: number, to: number, metric: number) => void;

/** Labels of a container take up to 2 KiB in a cluster with long names. */
const LINE_BYTES_MAX = 16 * 1024;
const EMPTY = Buffer.alloc(0);
const [LINE_END, BRACE, SPACE, TAB] = [0x0a, 0x7b, 0x20, 0x09];

export class PageLines {
  readonly #names: readonly Buffer[];
  readonly #longest: number;
  readonly #take: TakeLine;
  /** The beginning of a line of which the rest is to come. */
  #carry: Buffer = EMPTY;
  #carried = 0;
  /** Within a line that is passed over. */
  #isPassing = false;

  constructor(names: readonly string[], take: TakeLine) {
    this.#names = names.map((name) => Buffer.from(name));
    this.#longest = Math.max(0, ...this.#names.map((name) => name.length));
    this.#take = take;
  }

  /** Begins another page. */
  reset(): void {
    this.#carry = EMPTY;
    this.#carried = 0;
    this.#isPassing = false;
  }

  /** @throws {PageFault} for a wanted line that is too long */
  push(chunk: Buffer): void {
    let at = 0;
    if (this.#isPassing || this.#carried > 0) {
      const end = chunk.indexOf(LINE_END);
      const isWhole = end >= 0;
      this.#extend(chunk, 0, isWhole ? end : chunk.length);
      if (!isWhole) return;
      this.#endLine();
      at = end + 1;
    }
    for (;;) {
      const end = chunk.indexOf(LINE_END, at);
      if (end < 0) break;
      const metric = this.#metricOf(chunk, at, end);
      if (metric >= 0) this.#take(chunk, at, end, metric);
      at = end + 1;
    }
    if (at < chunk.length) this.#extend(chunk, at, chunk.length);
  }

  /** The page is complete; its last line may have no end. */
  end(): void {
    if (this.#isPassing || this.#carried > 0) this.#endLine();
    // Hundreds of pages wait for their next reading at a time.
    this.#carry = EMPTY;
  }

  #extend(chunk: Buffer, from: number, to: number): void {
    if (this.#isPassing) return;
    if (this.#carry === EMPTY) this.#carry = Buffer.allocUnsafeSlow(LINE_BYTES_MAX);
    const fits = Math.min(to - from, LINE_BYTES_MAX - this.#carried);
    chunk.copy(this.#carry, this.#carried, from, from + fits);
    this.#carried += fits;
    if (this.#carried <= this.#longest) return;
    const isWanted = this.#metricOf(this.#carry, 0, this.#carried) >= 0;
    if (isWanted && fits < to - from) {
      throw new PageFault(`a line of its page is longer than ${LINE_BYTES_MAX} bytes`);
    }
    if (isWanted) return;
    this.#isPassing = true;
    this.#carried = 0;
  }

  #endLine(): void {
    const metric = this.#isPassing ? -1 : this.#metricOf(this.#carry, 0, this.#carried);
    if (metric >= 0) this.#take(this.#carry, 0, this.#carried, metric);
    this.#carried = 0;
    this.#isPassing = false;
  }

  /** The index of the wanted metric that the line is of, -1 for another line. */
  #metricOf(bytes: Buffer, from: number, to: number): number {
    const names = this.#names;
    for (let i = 0; i < names.length; i++) {
      const name = names[i] ?? EMPTY;
      const end = from + name.length;
      if (end >= to) continue;
      const after = bytes[end];
      if (after !== BRACE && after !== SPACE && after !== TAB) continue;
      if (bytes[from] === name[0] && name.compare(bytes, from, end) === 0) return i;
    }
    return -1;
  }
}
