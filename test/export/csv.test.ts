/** CSV as written, read back by a simple reader of RFC 4180. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { csvLine, csvNumber, csvText } from '../../src/export/index.ts';
import { readCsv } from '../support/references/read-csv.ts';

const CELLS: readonly (readonly [why: string, text: string, cell: string])[] = [
  ['a plain text stays as it is', 'default/app', 'default/app'],
  ['an empty text is an empty cell', '', ''],
  ['a comma needs quotes', 'a,b', '"a,b"'],
  ['a quote is doubled', 'a"b', '"a""b"'],
  ['a line feed needs quotes', 'a\nb', '"a\nb"'],
  ['a carriage return inside needs quotes', 'a\rb', '"a\rb"'],
  ['a text that begins with = is no formula', '=1+1', "'=1+1"],
  ['nor with +', '+1', "'+1"],
  ['nor with -', '-1', "'-1"],
  ['nor with @', '@SUM(A1)', "'@SUM(A1)"],
  ['nor with a tab', '\t=1', "'\t=1"],
  ['nor with a carriage return', '\r=1', '"\'\r=1"'],
  ['a formula with a comma is led and quoted', '=SUM(1,2)', '"\'=SUM(1,2)"'],
  ['a sign further in is left alone', 'a=b-c', 'a=b-c'],
  ['a quote at the beginning is left alone', "'a", "'a"],
];

for (const [why, text, cell] of CELLS)
  test(`S-6: a text cell: ${why}`, () => {
    assert.equal(csvText(text), cell);
  });

const NUMBERS: readonly (readonly [value: number, decimals: number | undefined, cell: string])[] = [
  [0.1 + 0.2, undefined, '0.30000000000000004'],
  [-1.5, undefined, '-1.5'],
  [1e-7, undefined, '1e-7'],
  [NaN, undefined, ''],
  [Infinity, 3, ''],
  [2 / 3, 3, '0.667'],
  [1234.5, 0, '1235'],
  [-0.0001, 3, '0.000'],
  [-0.4, 0, '0'],
  [1e21, 3, '1e+21'],
];

for (const [value, decimals, cell] of NUMBERS)
  test(`the number ${value} with ${decimals ?? 'all'} decimals is '${cell}'`, () => {
    assert.equal(csvNumber(value, decimals), cell);
  });

const text = fc.string({
  unit: fc.oneof(fc.constantFrom(...',"\n\r\t=+-@\'é'.split(''), '😀'), fc.string()),
});

test('S-6: all texts read back, but for the quote before a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 1 }), { minLength: 1 }), (lines) => {
      const written = lines.map((cells) => csvLine(cells.map(csvText))).join('');
      const led = lines.map((cells) => cells.map((c) => (/^[=+\-@\t\r]/.test(c) ? `'${c}` : c)));
      assert.deepEqual(readCsv(written), led);
    }),
  );
});

test('each finite number reads back to the same bits', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      assert.equal(Number(csvNumber(value)), value === 0 ? 0 : value);
    }),
  );
});
