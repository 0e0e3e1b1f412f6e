/**
 * Reads Prometheus XOR chunks that this process wrote: those of the head, for samples that come late. Chunks of
 * queries are read by a kernel (workers/kernels/decode/xor-chunk.ts).
 */
import type { Samples } from './samples.ts';

/** Sizes of the delta of steps by the ones before it: 10, 110, 1110; 1111 are all 64 bits. */
const SIZES = [0, 14, 17, 20];

/** Appends the samples of the chunk to `to`. */
export function decodeXor(bytes: Uint8Array, to: Samples): void {
  const count = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  if (count === 0) return;
  const bits = new Bits(bytes, 16);
  const zigzag = bits.uvarint();
  let timeMs = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  let high = bits.take(32);
  let low = bits.take(32);
  to.push(timeMs, low, high);
  let [step, leading, trailing] = [0, 0, 0];
  for (let i = 1; i < count; i++) {
    step = i === 1 ? bits.uvarint() : step + deltaOfSteps(bits);
    timeMs += step;
    if (bits.take(1) === 1) {
      if (bits.take(1) === 1) {
        leading = bits.take(5);
        trailing = 64 - leading - (bits.take(6) || 64);
      }
      const size = 64 - leading - trailing;
      const upper = size > 32 ? bits.take(size - 32) : 0;
      const lower = bits.take(Math.min(32, size));
      low ^= shiftedLow(lower, trailing);
      high ^= shiftedHigh(upper, lower, trailing);
    }
    to.push(timeMs, low, high);
  }
}

function deltaOfSteps(bits: Bits): number {
  let ones = 0;
  while (ones < 4 && bits.take(1) === 1) ones++;
  if (ones === 0) return 0;
  if (ones === 4) {
    const high = bits.take(32) | 0;
    return high * 2 ** 32 + (bits.take(32) >>> 0);
  }
  const size = SIZES[ones] ?? 0;
  const value = bits.take(size);
  return value > 2 ** (size - 1) ? value - 2 ** size : value;
}

function shiftedLow(lower: number, shift: number): number {
  return shift >= 32 ? 0 : lower << shift;
}

function shiftedHigh(upper: number, lower: number, shift: number): number {
  if (shift >= 32) return lower << (shift - 32);
  return shift === 0 ? upper : (upper << shift) | (lower >>> (32 - shift));
}

/** A stream of bits, the most significant of each byte first. */
class Bits {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** 0 to 32 bits; 32 of them as a signed number. */
  take(count: number): number {
    let [value, left] = [0, count];
    while (left > 0) {
      const free = 8 - (this.#at & 7);
      const taken = Math.min(free, left);
      const byte = this.#bytes[this.#at >>> 3] ?? 0;
      value = (value << taken) | ((byte >>> (free - taken)) & ((1 << taken) - 1));
      this.#at += taken;
      left -= taken;
    }
    return value;
  }

  uvarint(): number {
    for (let [value, scale] = [0, 1]; ; scale *= 128) {
      const byte = this.take(8);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
}
