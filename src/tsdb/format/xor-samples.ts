/** Samples of an XOR chunk, for merging and checking; queries decode by the kernels. */

const WORD = 2 ** 32;

/** Filled by `decode`; held until the next call. */
export class XorSamples {
  count = 0;
  timesMs: Float64Array = new Float64Array(120);
  /** Doubles as two words. */
  lows: Uint32Array = new Uint32Array(120);
  highs: Uint32Array = new Uint32Array(120);
  #bytes: Uint8Array = new Uint8Array(0);
  /** In bits. */
  #at = 0;

  /** @throws {RangeError} for bytes that no writer writes: cut off, or times that do not rise */
  decode(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#at = 0;
    const count = this.#read(16);
    // A sample takes at least two bits.
    if (count === 0 || 2 * count > 8 * bytes.length)
      throw new RangeError('it has no such number of samples');
    this.#reserve(count);
    this.count = count;
    let [time, step, leading, significant] = [0, 0, 0, 64];
    let [low, high] = [0, 0];
    for (let i = 0; i < count; i++) {
      if (i === 0) {
        time = this.#varint();
        high = this.#read(32);
        low = this.#read(32);
      } else {
        step = i === 1 ? this.#uvarint() : step + this.#deltaOfSteps();
        time += step;
        if (!(step > 0) || !Number.isSafeInteger(time))
          throw new RangeError('its times do not rise');
        if (this.#read(1) === 1) {
          if (this.#read(1) === 1) {
            leading = this.#read(5);
            significant = this.#read(6) || 64;
          }
          const trailing = 64 - leading - significant;
          if (trailing < 0) throw new RangeError('a value has more than 64 bits');
          const top = significant > 32 ? this.#read(significant - 32) : 0;
          const rest = this.#read(Math.min(significant, 32));
          low ^= shiftedLow(rest, trailing);
          high ^= shiftedHigh(top, rest, trailing);
        }
      }
      this.timesMs[i] = time;
      this.lows[i] = low;
      this.highs[i] = high;
    }
  }

  #reserve(count: number): void {
    if (count <= this.timesMs.length) return;
    this.timesMs = new Float64Array(count);
    this.lows = new Uint32Array(count);
    this.highs = new Uint32Array(count);
  }

  #deltaOfSteps(): number {
    if (this.#read(1) === 0) return 0;
    if (this.#read(1) === 0) return signed(this.#read(14), 14);
    if (this.#read(1) === 0) return signed(this.#read(17), 17);
    if (this.#read(1) === 0) return signed(this.#read(20), 20);
    return (this.#read(32) | 0) * WORD + this.#read(32);
  }

  #varint(): number {
    const zigzag = this.#uvarint();
    return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  }

  #uvarint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.#read(8);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new RangeError('a number is too large');
  }

  /** 1 to 32 bits. */
  #read(count: number): number {
    const end = this.#at + count;
    if (end > 8 * this.#bytes.length) throw new RangeError('it is cut off');
    let value = 0;
    while (this.#at < end) {
      const free = 8 - (this.#at & 7);
      const taken = Math.min(free, end - this.#at);
      const byte = this.#bytes[this.#at >> 3] ?? 0;
      value = (value << taken) | ((byte >> (free - taken)) & ((1 << taken) - 1));
      this.#at += taken;
    }
    return value >>> 0;
  }
}

/** As Prometheus has it: half of the numbers and one more are positive. */
function signed(value: number, bits: number): number {
  return value > 2 ** (bits - 1) ? value - 2 ** bits : value;
}

/** Words of (top * 2^32 + rest) * 2^shift. */
function shiftedLow(rest: number, shift: number): number {
  return shift >= 32 ? 0 : rest << shift;
}

function shiftedHigh(top: number, rest: number, shift: number): number {
  if (shift === 0) return top;
  return shift >= 32 ? rest << (shift - 32) : (top << shift) | (rest >>> (32 - shift));
}
