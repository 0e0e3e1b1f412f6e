/**
 * Prometheus XOR chunks (tsdb/chunkenc/xor.go), a sample at a time. The slow, obvious twin that tests
 * compare with is test/support/stores/xor-encoder.ts.
 *
 * ```
 *   samples   first sample          second                 each further
 *   u16be     time      value       step      value        delta of steps       value
 *             varint    64 bits     uvarint   xor          0, or class + bits   xor
 *
 *   xor:  0 the same · 10 bits within the last window · 11 leading zeros (5), length (6), bits
 * ```
 */
import type { XorChunk } from './series.ts';

/** The number of samples is a u16. */
export const CHUNK_SAMPLES_MAX = 65_535;
const NO_WINDOW = 255;
const FIRST_BYTES = 32;
const WORD = 2 ** 32;

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

export class XorAppender {
  #bytes: Uint8Array = new Uint8Array(FIRST_BYTES);
  /** Whole words written, in bytes; further bits are in `#word`, of which `#free` are free. */
  #at = 0;
  #word = 0;
  #free = 16; // the number of samples is written last
  #count = 0;
  #firstMs = 0;
  #lastMs = 0;
  #step = 0;
  #low = 0;
  #high = 0;
  #leading = NO_WINDOW;
  #trailing = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * @param timeMs whole, within ±2^51, after the one before
   * @param value any double; the payload of a NaN is kept as far as JavaScript does
   */
  append(timeMs: number, value: number): void {
    number[0] = value;
    this.appendBits(timeMs, words[0] ?? 0, words[1] ?? 0);
  }

  /** Like `append`, of a double as two words. */
  appendBits(timeMs: number, low: number, high: number): void {
    const count = this.#count;
    if (count >= CHUNK_SAMPLES_MAX) throw new Error('BUG: a chunk of too many samples');
    if (count === 0) {
      this.#firstMs = timeMs;
      this.#uvarint(timeMs < 0 ? -2 * timeMs - 1 : 2 * timeMs);
      this.#write(high, 32);
      this.#write(low, 32);
    } else {
      const step = timeMs - this.#lastMs;
      if (!(step > 0)) throw new Error(`BUG: a sample at ${timeMs} after ${this.#lastMs}`);
      if (count === 1) this.#uvarint(step);
      else this.#deltaOfSteps(step - this.#step);
      this.#step = step;
      this.#value(low ^ this.#low, high ^ this.#high);
    }
    this.#count = count + 1;
    this.#lastMs = timeMs;
    this.#low = low;
    this.#high = high;
  }

  /** A copy of the chunk so far; more may be appended. */
  finish(): XorChunk {
    const tail = Math.ceil((32 - this.#free) / 8);
    const bytes = new Uint8Array(this.#at + tail);
    bytes.set(this.#bytes.subarray(0, this.#at));
    for (let i = 0; i < tail; i++) bytes[this.#at + i] = this.#word >>> (24 - 8 * i);
    bytes[0] = this.#count >>> 8;
    bytes[1] = this.#count;
    return { minTimeMs: this.#firstMs, maxTimeMs: this.#lastMs, bytes };
  }

  #deltaOfSteps(delta: number): void {
    if (delta === 0) this.#write(0, 1);
    else if (delta > -8192 && delta <= 8192) this.#write((0b10 << 14) | (delta & 0x3fff), 16);
    else if (delta > -65_536 && delta <= 65_536) this.#write((0b110 << 17) | (delta & 0x1ffff), 20);
    else if (delta > -524_288 && delta <= 524_288)
      this.#write((0b1110 << 20) | (delta & 0xfffff), 24);
    else {
      this.#write(0b1111, 4);
      this.#write(Math.floor(delta / WORD) | 0, 32);
      this.#write(delta | 0, 32);
    }
  }

  #value(low: number, high: number): void {
    if ((low | high) === 0) return this.#write(0, 1);
    const leading = Math.min(31, high === 0 ? 32 + Math.clz32(low) : Math.clz32(high));
    const trailing = low === 0 ? 32 + trailingZeros(high) : trailingZeros(low);
    if (this.#leading !== NO_WINDOW && leading >= this.#leading && trailing >= this.#trailing) {
      this.#write(0b10, 2);
    } else {
      this.#leading = leading;
      this.#trailing = trailing;
      const significant = 64 - leading - trailing;
      this.#write((0b11 << 11) | (leading << 6) | (significant & 63), 13);
    }
    this.#window(low, high);
  }

  /** The bits between leading and trailing zeros. */
  #window(low: number, high: number): void {
    const count = 64 - this.#leading - this.#trailing;
    const shift = this.#trailing;
    if (shift >= 32) return this.#write(high >>> (shift - 32), count);
    const rest = shift === 0 ? low : (low >>> shift) | (high << (32 - shift));
    if (count <= 32) return this.#write(count === 32 ? rest : rest & (2 ** count - 1), count);
    this.#write(high >>> shift, count - 32);
    this.#write(rest, 32);
  }

  #uvarint(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#write((rest % 128) + 128, 8);
    this.#write(rest, 8);
  }

  /** The low `count` bits of `value`, 1 to 32; the others are zero unless count is 32. */
  #write(value: number, count: number): void {
    if (count < this.#free) {
      this.#free -= count;
      this.#word |= value << this.#free;
      return;
    }
    const rest = count - this.#free;
    this.#emit(this.#word | (value >>> rest));
    this.#free = 32 - rest;
    this.#word = rest === 0 ? 0 : value << this.#free;
  }

  #emit(word: number): void {
    if (this.#at + 4 > this.#bytes.length) this.#grow();
    const bytes = this.#bytes;
    bytes[this.#at] = word >>> 24;
    bytes[this.#at + 1] = word >>> 16;
    bytes[this.#at + 2] = word >>> 8;
    bytes[this.#at + 3] = word;
    this.#at += 4;
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

function trailingZeros(word: number): number {
  return 31 - Math.clz32(word & -word);
}
