/**
 * Prometheus XOR chunks (tsdb/chunkenc/xor.go), written as Prometheus would, tens of millions of
 * samples a second: a benchmark's store is made of a hundred million. The slow, obvious twin that
 * tests compare with is test/support/stores/xor-encoder.ts.
 */

/** Classes of the delta of deltas: prefix, its bits, and bits of the number that follows. */
const CLASSES: readonly (readonly [prefix: number, prefixBits: number, size: number])[] = [
  [0b10, 2, 14],
  [0b110, 3, 17],
  [0b1110, 4, 20],
];
const NO_WINDOW = 255;

export class XorWriter {
  readonly #bytes: Uint8Array = new Uint8Array(64 * 1024);
  #at = 0;
  #word = 0;
  #free = 32;
  #leading = NO_WINDOW;
  #trailing = 0;

  /**
   * Samples [from, to), at most 4,000 of them: times are whole ms within ±2^51 whose steps differ
   * by less than 2^19, `bits` the doubles as pairs of (low, high) words.
   * @returns a view that holds until the next call
   */
  chunk(timesMs: Float64Array, bits: Uint32Array, from: number, to: number): Uint8Array {
    this.#at = 0;
    this.#word = 0;
    this.#free = 32;
    this.#leading = NO_WINDOW;
    this.#write(to - from, 16);
    this.#varint(2 * (timesMs[from] ?? 0));
    this.#write(bits[2 * from + 1] ?? 0, 32);
    this.#write(bits[2 * from] ?? 0, 32);
    let delta = 0;
    for (let i = from + 1; i < to; i++) {
      const step = (timesMs[i] ?? 0) - (timesMs[i - 1] ?? 0);
      if (i === from + 1) this.#varint(step);
      else this.#deltaOfDelta(step - delta);
      delta = step;
      const low = (bits[2 * i] ?? 0) ^ (bits[2 * i - 2] ?? 0);
      const high = (bits[2 * i + 1] ?? 0) ^ (bits[2 * i - 1] ?? 0);
      this.#value(low, high);
    }
    return this.#finish();
  }

  #deltaOfDelta(dod: number): void {
    if (dod === 0) return this.#write(0, 1);
    for (const [prefix, prefixBits, size] of CLASSES) {
      const half = 2 ** (size - 1);
      if (dod <= -half || dod > half) continue;
      this.#write(prefix, prefixBits);
      return this.#write(dod & (2 ** size - 1), size);
    }
    throw new Error(`BUG: samples' distances differ by ${dod} ms`);
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

  #varint(value: number): void {
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
    const bytes = this.#bytes;
    bytes[this.#at] = word >>> 24;
    bytes[this.#at + 1] = word >>> 16;
    bytes[this.#at + 2] = word >>> 8;
    bytes[this.#at + 3] = word;
    this.#at += 4;
  }

  #finish(): Uint8Array {
    const tail = Math.ceil((32 - this.#free) / 8);
    this.#emit(this.#word);
    return this.#bytes.subarray(0, this.#at - 4 + tail);
  }
}

function trailingZeros(word: number): number {
  return 31 - Math.clz32(word & -word);
}
