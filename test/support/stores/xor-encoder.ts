/**
 * XOR chunks one bit at a time, as tsdb/chunkenc/xor.go of Prometheus writes and reads them: the
 * slow, obvious reference of the kernel. Timestamps are ms, values the 64 bits of a double.
 */
export interface Sample {
  readonly timestampMs: bigint;
  readonly valueBits: bigint;
}

const view = new DataView(new ArrayBuffer(8));

export function bitsOf(value: number): bigint {
  view.setFloat64(0, value);
  return view.getBigUint64(0);
}

/** The delta-of-delta classes: prefix, its length, and bits of the number that follows. */
const CLASSES: readonly (readonly [bigint, number, number])[] = [
  [0b10n, 2, 14],
  [0b110n, 3, 17],
  [0b1110n, 4, 20],
];

class BitWriter {
  readonly #bits: number[] = [];

  write(value: bigint, count: number): void {
    for (let i = count - 1; i >= 0; i--) this.#bits.push(Number((value >> BigInt(i)) & 1n));
  }

  writeUvarint(value: bigint): void {
    for (; value > 127n; value >>= 7n) this.write((value & 127n) | 128n, 8);
    this.write(value, 8);
  }

  bytes(): Uint8Array {
    const out = new Uint8Array(Math.ceil(this.#bits.length / 8));
    this.#bits.forEach((bit, i) => (out[i >> 3] = (out[i >> 3] ?? 0) | (bit << (7 - (i & 7)))));
    return out;
  }
}

class ValueWriter {
  readonly #out: BitWriter;
  #previous = 0n;
  #leading: number;
  #trailing = 0;

  /** @param reopened a reopened chunk starts with a window of all 64 bits, a new one with none */
  constructor(out: BitWriter, reopened: boolean) {
    this.#out = out;
    this.#leading = reopened ? 0 : 255;
  }

  first(bits: bigint): void {
    this.#out.write(bits, 64);
    this.#previous = bits;
  }

  next(bits: bigint): void {
    const xor = bits ^ this.#previous;
    this.#previous = bits;
    if (xor === 0n) return this.#out.write(0n, 1);
    const text = xor.toString(2).padStart(64, '0');
    const leading = Math.min(31, text.indexOf('1'));
    const trailing = 63 - text.lastIndexOf('1');
    if (leading >= this.#leading && trailing >= this.#trailing) {
      this.#out.write(0b10n, 2);
    } else {
      [this.#leading, this.#trailing] = [leading, trailing];
      this.#out.write(0b11n, 2);
      this.#out.write(BigInt(leading), 5);
      this.#out.write(BigInt(64 - leading - trailing), 6);
    }
    this.#out.write(xor >> BigInt(this.#trailing), 64 - this.#leading - this.#trailing);
  }
}

function writeDeltaOfDelta(out: BitWriter, dod: bigint): void {
  if (dod === 0n) return out.write(0n, 1);
  for (const [prefix, prefixBits, size] of CLASSES) {
    const half = 1n << BigInt(size - 1);
    if (dod <= -half || dod > half) continue;
    out.write(prefix, prefixBits);
    return out.write(dod, size);
  }
  out.write(0b1111n, 4);
  out.write(dod, 64);
}

/** At most 65,535 samples as one chunk. */
export function encodeXorChunk(samples: readonly Sample[], reopened = false): Uint8Array {
  const out = new BitWriter();
  const values = new ValueWriter(out, reopened);
  let [time, delta] = [0n, 0n];
  out.write(BigInt(samples.length), 16);
  samples.forEach(({ timestampMs, valueBits }, i) => {
    const newDelta = BigInt.asUintN(64, timestampMs - time);
    if (i === 0) {
      out.writeUvarint(BigInt.asUintN(64, (timestampMs << 1n) ^ (timestampMs >> 63n)));
      values.first(valueBits);
    } else {
      if (i === 1) out.writeUvarint(newDelta);
      else writeDeltaOfDelta(out, BigInt.asIntN(64, newDelta - delta));
      values.next(valueBits);
      delta = newDelta;
    }
    time = timestampMs;
  });
  return out.bytes();
}

/** Reads a chunk back; throws RangeError when it ends too early. */
export function decodeXorChunkByBits(chunk: Uint8Array): Sample[] {
  let at = 0;
  const read = (count: number): bigint => {
    let value = 0n;
    for (; count > 0; count--, at++) {
      const byte = chunk[at >> 3];
      if (byte === undefined) throw new RangeError('the chunk ends too early');
      value = (value << 1n) | BigInt((byte >> (7 - (at & 7))) & 1);
    }
    return value;
  };
  const readUvarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = read(8);
      value |= (byte & 127n) << shift;
      if (byte < 128n) return value;
    }
  };
  const readDeltaOfDelta = (): bigint => {
    for (const size of [0, 14, 17, 20]) {
      if (read(1) === 1n) continue;
      const raw = read(size);
      return size > 0 && raw > 1n << BigInt(size - 1) ? raw - (1n << BigInt(size)) : raw;
    }
    return BigInt.asIntN(64, read(64));
  };
  let [time, delta, value, leading, significant] = [0n, 0n, 0n, 0, 64];
  return Array.from({ length: Number(read(16)) }, (_, i) => {
    if (i === 0) {
      const zigzag = readUvarint();
      time = (zigzag >> 1n) ^ -(zigzag & 1n);
      value = read(64);
      return { timestampMs: time, valueBits: value };
    }
    delta = i === 1 ? readUvarint() : delta + readDeltaOfDelta();
    time = BigInt.asIntN(64, time + delta);
    if (read(1) === 1n) {
      if (read(1) === 1n) [leading, significant] = [Number(read(5)), Number(read(6)) || 64];
      value ^= read(significant) << BigInt(64 - leading - significant);
    }
    return { timestampMs: time, valueBits: value };
  });
}
