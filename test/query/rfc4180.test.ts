import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Fault, readRows, RowReader } from '../../src/query/index.ts';
import { readCsv } from '../support/references/read-csv.ts';

const READ: readonly (readonly [what: string, text: string, rows: readonly string[][]])[] = [
  ['nothing', '', []],
  ['one cell', 'a', [['a']]],
  ['a last line without its end', 'a,b\n1,2', [['a', 'b'], ['1', '2']]],
  ['lines that end as on the wire', 'a,b\r\n1,2\r\n', [['a', 'b'], ['1', '2']]],
  ['empty cells', ',\n,', [['', ''], ['', '']]],
  ['an empty line', 'a\n\nb', [['a'], [''], ['b']]],
  ['quotes around anything', '"a,b","c""d","e\nf",""', [['a,b', 'c"d', 'e\nf', '']]],
  ['blanks, which are text', ' a , b', [[' a ', ' b']]],
]; // prettier-ignore

describe('CSV is read with', () => {
  for (const [what, text, rows] of READ)
    test(what, () => assert.deepEqual(readRows(text, 'f'), rows));
});

const REFUSED: readonly (readonly [what: string, text: string, place: string])[] = [
  ['a quote inside a bare cell', 'a,b\n1,2"', 'row 2, column 2'],
  ['text after a quoted cell', '"a"b', 'row 1, column 1'],
  ['a quoted cell that never ends', 'a,"b\n1,2\n', 'row 1, column 2'],
  ['a carriage return alone', 'a\rb', 'row 1, column 1'],
  ['blanks before a quote', 'a, "b"', 'row 1, column 2'],
];

describe('CSV is refused, by file, row and column, with', () => {
  for (const [what, text, place] of REFUSED)
    test(what, () =>
      assert.throws(
        () => readRows(text, 'types.csv'),
        (fault: unknown) =>
          fault instanceof Fault && fault.message.startsWith(`types.csv, ${place}: `),
      ),
    );
});

const CELLS = fc.array(
  fc.array(fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é') }), {
    minLength: 1,
    maxLength: 4,
  }),
  { maxLength: 5 },
);

test('any quoted cells are read back, with any line ends', () => {
  fc.assert(
    fc.property(CELLS, fc.constantFrom('\n', '\r\n'), fc.boolean(), (rows, end, endsLast) => {
      const lines = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join());
      const text = lines.join(end) + (endsLast && rows.length > 0 ? end : '');
      assert.deepEqual(readRows(text, 'f'), rows);
    }),
  );
});

test('any text is read or refused as by a reader that goes letter by letter', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n'), maxLength: 12 });
  fc.assert(
    fc.property(texts, (text) => {
      const ended = `${text}\n`;
      let expected: string[][] | undefined;
      try {
        expected = readCsv(ended);
      } catch {
        assert.throws(() => readRows(ended, 'f'), Fault);
        return;
      }
      assert.deepEqual(readRows(ended, 'f'), expected);
    }),
    { numRuns: 1000 },
  );
});

/** The result of reading: rows, or the place of the first mistake. */
function outcome(read: () => string[][]): string[][] | string {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return error.message.replace(/: .*/s, '');
  }
}

test('a file in pieces, cut anywhere, has the same rows or the same mistake as the whole file', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r\n'), maxLength: 20 });
  const cuts = fc.array(fc.nat({ max: 20 }), { maxLength: 4 });
  fc.assert(
    fc.property(texts, cuts, (text, places) => {
      const ends = [...places.toSorted((a, b) => a - b), text.length];
      const pieces = ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end));
      const inPieces = outcome(() => {
        const reader = new RowReader('f');
        return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.finish()];
      });
      assert.deepEqual(
        inPieces,
        outcome(() => readRows(text, 'f')),
      );
    }),
    { numRuns: 2000 },
  );
});

test('a quote that is never closed does not hold the whole file in memory', () => {
  const reader = new RowReader('f.csv');
  const piece = 'a\n'.repeat(2 ** 20);
  reader.push('a,b\n1,"');
  assert.throws(
    () => Array.from({ length: 20 }, () => reader.push(piece)),
    (fault: unknown) => fault instanceof Fault && fault.message.startsWith('f.csv, row 2: '),
  );
});
