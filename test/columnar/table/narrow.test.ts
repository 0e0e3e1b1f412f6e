import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  Arena,
  constantNumber,
  DictionaryBuilder,
  narrowEnd,
  narrowNumbers,
  narrowTexts,
  narrowType,
  widen,
  type NarrowArray,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const arena = new Arena(dirtyMemory(4 << 20));
const address = arena.allocate(1 << 20, 1);

/** Widens the bytes of the narrow column, as for a file. */
function widened(narrow: NarrowArray, to: 'f64' | 'u32'): Float64Array | Uint32Array {
  const from = narrowType(narrow);
  const wide = arena[to](address, narrow.length);
  const target = narrowEnd(arena, address, narrow.length, { from, to });
  target.set(new Uint8Array(narrow.buffer, narrow.byteOffset, narrow.byteLength));
  widen(target, wide, from);
  return wide;
}

const bitsOf = (values: ArrayLike<number>): bigint[] => [
  ...new BigUint64Array(Float64Array.from(values).buffer),
];

const WIDTHS: readonly (readonly [string, readonly number[]])[] = [
  ['u8', [0, 255, 7]],
  ['u16', [0, 256, 65535]],
  ['u32', [65536, 4294967295]],
  ['i32', [-1, 2147483647]],
  ['i32', [-2147483648, 0]],
  ['f64', [-1, 2147483648]],
  ['f64', [-2147483649]],
  ['f64', [4294967296]],
  ['f64', [0.5]],
  ['f64', [-0]],
  ['f64', [1, NaN]],
  ['f64', [Infinity]],
  ['u8', []],
];
for (const [type, values] of WIDTHS) {
  test(`${JSON.stringify(values.map(String))} is stored as ${type}, and read back bit by bit`, () => {
    const narrow = narrowNumbers(Float64Array.from(values));
    assert.equal(narrowType(narrow), type);
    assert.deepEqual(bitsOf(widened(narrow, 'f64')), bitsOf(values));
  });
}

test('any numbers are read back bit by bit', () => {
  const whole = fc.integer({ min: -70_000, max: 70_000 });
  const numbers = fc.oneof(
    fc.array(fc.double()),
    fc.array(whole),
    fc.array(fc.nat(300)),
    fc.array(fc.nat(2 ** 31)),
    fc.array(fc.oneof(fc.nat(9), fc.constant(-0))),
  );
  fc.assert(
    fc.property(numbers, (values) => {
      const narrow = narrowNumbers(Float64Array.from(values));
      assert.deepEqual(bitsOf(widened(narrow, 'f64')), bitsOf(values));
    }),
  );
});

const CONSTANTS: readonly (readonly [readonly number[], number | undefined])[] = [
  [[], undefined],
  [[3], 3],
  [[0, 0], 0],
  [[0, -0], undefined],
  [[-0, -0], undefined],
  [[0.1, 0.1, 0.1], 0.1],
  [[1, 1, 2], undefined],
  [[NaN, NaN], undefined],
  [[Infinity], undefined],
];
for (const [values, expected] of CONSTANTS) {
  test(`the constant of ${JSON.stringify(values.map(String))} is ${expected}`, () => {
    assert.ok(Object.is(constantNumber(Float64Array.from(values)), expected), String(values));
  });
}

test('a column of texts stores the texts it uses, the empty one first', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('', 'a', 'ü', '日本', 'b/c')),
      fc.nat(400),
      (own, more) => {
        const texts = new DictionaryBuilder();
        for (let i = 0; i < more; i++) texts.code(`another ${i}`);
        const column = { codes: Uint32Array.from(own, (text) => texts.code(text)), texts };
        const narrow = narrowTexts(column);
        const codes = widened(narrow.codes, 'u32');
        assert.deepEqual(
          Array.from(codes, (code) => narrow.texts[code]),
          own,
        );
        assert.equal(narrow.texts[0], '');
        assert.deepEqual(new Set(narrow.texts), new Set(['', ...own]));
      },
    ),
  );
});

const TEXTS: readonly (readonly [number, string])[] = [
  [255, 'u8'],
  [256, 'u16'],
  [65_535, 'u16'],
  [65_536, 'u32'],
];
for (const [count, type] of TEXTS) {
  test(`${count} texts and the empty one take codes of ${type}`, () => {
    const texts = new DictionaryBuilder();
    const codes = Uint32Array.from({ length: count }, (_, i) => texts.code(`t${i}`));
    const narrow = narrowTexts({ codes, texts });
    assert.equal(narrowType(narrow.codes), type);
    assert.equal(narrow.texts.length, count + 1);
    assert.deepEqual(widened(narrow.codes, 'u32'), codes);
  });
}
