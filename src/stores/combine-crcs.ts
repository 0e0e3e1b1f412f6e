/** Checksums of parts put together, CRC-32C as src/tsdb/format/crc32c.ts has it. */

const POLYNOMIAL = 0x82f63b78;

/**
 * The checksum of two parts by those of each, so that bytes whose checksum is known are not read again: the
 * first one's is multiplied by x^(8 × bytes) modulo the polynomial, as crc32_combine of zlib does.
 * @param bytes the length of the second part
 */
export function combineCrcs(first: number, second: number, bytes: number): number {
  return (product(powerOf(bytes), first) ^ second) >>> 0;
}

/** x^(8 × bytes) by the number of bytes, as far as asked for; 0: not yet. */
const powers = new Int32Array(4096);
/** x^(8 × 2^n). */
const squares = makeSquares();

function makeSquares(): Int32Array {
  const table = new Int32Array(32);
  let power = 1 << 23; // x^8: the highest bit is x^0
  for (let n = 0; n < table.length; n++) {
    table[n] = power;
    power = product(power, power);
  }
  return table;
}

function powerOf(bytes: number): number {
  const known = powers[bytes] ?? 0;
  if (known !== 0) return known;
  let power = 1 << 31; // x^0
  for (let n = 0, rest = bytes; rest > 0; n++, rest >>>= 1)
    if (rest & 1) power = product(power, squares[n] ?? 0);
  if (bytes < powers.length) powers[bytes] = power;
  return power;
}

/** The product of two polynomials, modulo CRC-32C's. */
function product(a: number, b: number): number {
  let [sum, term] = [0, b];
  for (let bit = 1 << 31; bit !== 0; bit >>>= 1) {
    if (a & bit) sum ^= term;
    term = term & 1 ? (term >>> 1) ^ POLYNOMIAL : term >>> 1;
  }
  return sum;
}
