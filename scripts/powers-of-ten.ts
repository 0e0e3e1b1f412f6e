/**
 * The table of powers of ten behind shortest decimals (workers/kernels/text/shortest.ts), as the source
 * of a kernel. Made when the kernels are built: nobody types 10 KB of digits by hand.
 */

/** Exponents of the table; every double's shortest form needs one of these. */
const LEAST = -293;
const GREATEST = 325;
const BITS = 128;

/** 10^exponent cut to its first 128 bits: in [2^127, 2^128), rounded down. */
export function firstBits(exponent: number): bigint {
  if (exponent >= 0) return shifted(10n ** BigInt(exponent));
  const divisor = 10n ** BigInt(-exponent);
  // More than enough bits of the quotient, then cut.
  return shifted((1n << BigInt(divisor.toString(2).length + BITS)) / divisor);
}

function shifted(value: bigint): bigint {
  const excess = value.toString(2).length - BITS;
  return excess >= 0 ? value >> BigInt(excess) : value << BigInt(-excess);
}

/** The kernel's source: the least exponent, and 16 bytes an exponent, upper half first. */
export function powersOfTenSource(): string {
  const halves: string[] = [];
  for (let exponent = LEAST; exponent <= GREATEST; exponent++) {
    const bits = firstBits(exponent);
    halves.push(hex(bits >> 64n), hex(bits & (2n ** 64n - 1n)));
  }
  const lines: string[] = [];
  for (let i = 0; i < halves.length; i += 5) lines.push(`  ${halves.slice(i, i + 5).join(', ')},`);
  return `// Made by scripts/powers-of-ten.ts: 10^${LEAST} to 10^${GREATEST}, the first 128 bits of each.

export const LEAST_POWER: i32 = ${LEAST};
export const POWERS: usize = memory.data<u64>([
${lines.join('\n')}
]);
`;
}

function hex(half: bigint): string {
  return `0x${half.toString(16)}`;
}
