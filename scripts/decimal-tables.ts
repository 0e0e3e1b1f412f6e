/**
 * The tables behind the decimals of most doubles (workers/kernels/text/decimals.ts), as the source of a
 * kernel: what a binary exponent makes of a mantissa, and how 17 digits are laid out around a point.
 */

/** Exponents q of c x 2^q: numbers of 1e-5 to 1e14, whose point stands among their digits or just before. */
const LEAST_EXPONENT = -69;
const GREATEST_EXPONENT = -4;
/** A double's exponent as it is stored, of c x 2^0. */
const BIAS = 1075;
/** Place of the first digit, as a power of ten. */
const LEAST_PLACE = -5;
const GREATEST_PLACE = 14;

const EXPONENT_WORDS = 8;
const LAYOUT_BYTES = 48;
const WINDOW = 16;
const POINT = 0x2e;
/** No digit's place. */
const NOTHING = 0xff;

/** The greatest k with 10^k <= 2^q, q < 0. */
function log10OfPower(q: number): number {
  let k = 0;
  while (10n ** BigInt(-k) < 2n ** BigInt(-q)) k--;
  return k;
}

/**
 * With n = -(k + 1): 2^(q - 10) x 10^n, times 2^96, which is whole, in words from the second on; half a
 * unit of the last place, 2^(q - 1) x 10^n, times 2^32; where its layouts lie.
 */
export function exponentWords(q: number): number[] {
  const k = log10OfPower(q);
  const tens = 10n ** BigInt(-(k + 1));
  const power = tens << BigInt(q + 86);
  const half = q + 31 >= 0 ? tens << BigInt(q + 31) : tens >> BigInt(-(q + 31));
  const word = (at: bigint): number => Number((power >> at) & 0xffffffffn);
  const layouts = (k + 16 - LEAST_PLACE) * 2 * LAYOUT_BYTES;
  return [word(32n), word(64n), word(0n), Number(half), layouts, 0, 0, 0];
}

/**
 * Which digit goes to each byte, what else stands there, then four words: bytes before the first
 * digit, what a point adds to the digits' length, digits before the point, and their length alone.
 * @param isCut whether the first digit is a zero that is not written
 */
export function layout(place: number, isCut: boolean): number[] {
  const cut = isCut && place > 0 ? 1 : 0;
  const pointAt = place < 0 ? WINDOW : place + 1 - cut;
  const bytes = Array.from({ length: WINDOW }, (_, i) => i);
  const digits = bytes.map((i) => (i === pointAt ? NOTHING : i + cut - (i > pointAt ? 1 : 0)));
  const others = bytes.map((i) => (i === pointAt ? POINT : 0));
  const added = (place < 0 ? 0 : 1) - cut;
  const words = [place < 0 ? 1 - place : 0, added, place + 1, place + 1 - cut];
  return [...digits, ...others, ...words.flatMap(littleEndian)];
}

function littleEndian(word: number): number[] {
  return [0, 8, 16, 24].map((shift) => (word >> shift) & 0xff);
}

/** The kernel's source. */
export function decimalTablesSource(): string {
  const exponents = range(LEAST_EXPONENT, GREATEST_EXPONENT).flatMap(exponentWords);
  const layouts = range(LEAST_PLACE, GREATEST_PLACE).flatMap((place) =>
    [false, true].flatMap((isCut) => layout(place, isCut)),
  );
  return `// Made by scripts/decimal-tables.ts.

export const LEAST_EXPONENT: u32 = ${LEAST_EXPONENT + BIAS};
export const EXPONENTS_COUNT: u32 = ${GREATEST_EXPONENT - LEAST_EXPONENT + 1};
export const EXPONENT_BYTES: u32 = ${4 * EXPONENT_WORDS};
export const EXPONENTS: usize = memory.data<u32>([
${lines(exponents, EXPONENT_WORDS)}
], 16);

export const LAYOUT_BYTES: u32 = ${LAYOUT_BYTES};
export const LAYOUTS: usize = memory.data<u8>([
${lines(layouts, WINDOW)}
], 16);
`;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function lines(values: readonly number[], perLine: number): string {
  const rows: string[] = [];
  for (let i = 0; i < values.length; i += perLine) {
    rows.push(`  ${values.slice(i, i + perLine).join(', ')},`);
  }
  return rows.join('\n');
}
