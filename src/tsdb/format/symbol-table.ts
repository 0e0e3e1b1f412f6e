/** The texts of a block as they stand in its index, found by number. */
import { fieldBytes, writeHead } from '../../metrics/field-heads.ts';
import type { ByteReader } from './byte-reader.ts';

export class SymbolTable {
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;

  /** @param body of the section, checked; it is kept */
  constructor(body: ByteReader) {
    const count = body.u32();
    if (count > body.left) body.fail('there are more texts than bytes');
    this.#starts = new Uint32Array(count);
    this.#ends = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const length = body.uvarint();
      this.#starts[i] = body.skip(length);
      this.#ends[i] = body.at;
    }
    if (body.left > 0) body.fail('texts are followed by more');
    const { buffer, byteOffset, length } = body.bytes;
    this.#bytes = Buffer.from(buffer, byteOffset, length);
  }

  get count(): number {
    return this.#starts.length;
  }

  /** What it holds in memory. */
  get size(): number {
    return this.#bytes.length + 8 * this.count;
  }

  /** @returns the number of a text, by halves, as texts are sorted; -1 when it is not there */
  find(text: string): number {
    const wanted = Buffer.from(text);
    let [from, to] = [0, this.count];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const order = this.#bytes.compare(
        wanted,
        0,
        wanted.length,
        this.#starts[middle],
        this.#ends[middle],
      );
      if (order === 0) return middle;
      if (order < 0) from = middle + 1;
      else to = middle;
    }
    return -1;
  }

  text(number: number): string {
    return this.#bytes.toString('utf8', this.#starts[number], this.#ends[number]);
  }

  /** The order of two texts, bytewise. */
  compare(a: number, b: number): number {
    const bytes = this.#bytes;
    return bytes.compare(bytes, this.#starts[b], this.#ends[b], this.#starts[a], this.#ends[a]);
  }

  /** Labels as `encodeLabels` of src/metrics writes them, of symbols of names and values in turn. */
  encode(labels: readonly number[]): Uint8Array {
    let total = 0;
    for (let i = 0; i < labels.length; i += 2) total += fieldBytes(this.#pairBytes(labels, i));
    // Of a pool: memory of its own takes longer than what is written to it.
    const encoded = Buffer.allocUnsafe(total);
    let at = 0;
    for (let i = 0; i < labels.length; i += 2) {
      at = writeHead(encoded, at, 0x0a, this.#pairBytes(labels, i));
      at = this.#writeText(encoded, at, 0x0a, labels[i] ?? 0);
      at = this.#writeText(encoded, at, 0x12, labels[i + 1] ?? 0);
    }
    return encoded;
  }

  #pairBytes(labels: readonly number[], at: number): number {
    return (
      fieldBytes(this.#length(labels[at] ?? 0)) + fieldBytes(this.#length(labels[at + 1] ?? 0))
    );
  }

  #length(number: number): number {
    return (this.#ends[number] ?? 0) - (this.#starts[number] ?? 0);
  }

  #writeText(encoded: Uint8Array, at: number, tag: number, number: number): number {
    const start = this.#starts[number] ?? 0;
    const length = this.#length(number);
    const from = writeHead(encoded, at, tag, length);
    for (let i = 0; i < length; i++) encoded[from + i] = this.#bytes[start + i] ?? 0;
    return from + length;
  }
}
