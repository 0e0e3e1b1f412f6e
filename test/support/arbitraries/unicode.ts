/** Well-formed text of any script, with names that a plain object would trip over. */
import fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;

/** fast-check's own `binary` unit lays out a table of all of them, which takes half a second. */
export const CODE_POINT: fc.Arbitrary<string> = fc
  .oneof(fc.nat(0x7f), fc.nat(0xffff - SURROGATES), fc.nat(0x10ffff - SURROGATES))
  .map((n) => String.fromCodePoint(n < SURROGATES_FROM ? n : n + SURROGATES));

const NAMES = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty'];

/** @param maxLength in characters */
export function anyUnicode({ maxLength }: { maxLength?: number } = {}): fc.Arbitrary<string> {
  const names = NAMES.filter(({ length }) => length <= (maxLength ?? Infinity));
  const text = fc.string({ unit: CODE_POINT, ...(maxLength === undefined ? {} : { maxLength }) });
  if (names.length === 0) return text;
  return fc.oneof({ weight: 9, arbitrary: text }, fc.constantFrom(...names));
}
