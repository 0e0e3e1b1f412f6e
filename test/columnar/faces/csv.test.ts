/** The kernel that reads CSV, against the reader of query/rfc4180.ts and against V8's numbers. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import {
  cellText,
  compileKernels,
  createEngine,
  CSV_SLACK_BYTES,
  readCsv,
  recordsEnd,
  Scratch,
  TextIndex,
  type CsvColumns,
} from '../../../src/columnar/index.ts';
import { readRows } from '../../../src/query/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { cellOf } from '../../support/stores/focus-rows.ts';

const OWNER = 1;
const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(16 << 20), OWNER);
const { arena, kernels } = engine;
/** The index of the current test. */
let index: TextIndex;
beforeEach(() => (index = new TextIndex(engine, OWNER)));
afterEach(() => index.free());

/** The result of `use` on the columns, while they are in memory. */
function reading<T>(csv: string, columns: number, use: (read: CsvColumns | undefined) => T): T {
  const bytes = Buffer.from(csv);
  const address = arena.allocate(bytes.length + CSV_SLACK_BYTES, TASK);
  // Bytes behind the records must not matter.
  arena
    .u8(address, bytes.length + CSV_SLACK_BYTES)
    .fill(0x22)
    .set(bytes);
  const [numbers, texts] = [[0], Array.from({ length: columns - 1 }, (_, i) => i + 1)];
  const plan = { columns, texts, numbers, index };
  const scratch = new Scratch(arena, TASK);
  const read = readCsv(kernels, scratch, { address, bytes: bytes.length }, plan, 1000);
  const used = use(read);
  arena.release(TASK);
  return used;
}

function textsOf(read: CsvColumns | undefined): string[][] {
  return Array.from({ length: read?.rows ?? 0 }, (_, row) =>
    (read?.texts ?? []).map((codes) => cellText(index.text(codes[row] ?? 0))),
  );
}

const cell = fc.oneof(
  fc.constantFrom('', 'NULL', 'a', '"', '""', 'x,y', '\n', '\r\n', 'ü', 'a"b', ' '),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);
// RFC 4180 leaves open whether a CR at a line's end is part of a bare cell.
const records = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 60 });
const lineEnd = fc.constantFrom('\n', '\r\n');

test('cells are read as they were written, with quotes, line ends and any texts', () => {
  fc.assert(
    fc.property(records, lineEnd, fc.boolean(), (rows, end, isEnded) => {
      const lines = rows.map((cells) => ['1', ...cells.map(cellOf)].join(','));
      const csv = lines.join(end) + (isEnded && lines.length > 0 ? end : '');
      assert.deepEqual(
        readRows(csv, 'csv').map((cells) => cells.slice(1)),
        rows,
      );
      assert.deepEqual(reading(csv, 4, textsOf), rows);
    }),
  );
});

test('equal texts have one code, in any column and block', () => {
  const names = fc.array(
    fc.constantFrom('', 'a', 'bb', 'a,', 'a long text, of more than 16 bytes'),
  );
  fc.assert(
    fc.property(names, names, (first, second) => {
      const codesOf = (given: readonly string[]): number[] => {
        const csv = given.map((name) => `0,${cellOf(name)},${cellOf(name)}\n`).join('');
        const [left, right] =
          reading(csv, 3, (read) => read?.texts.map((codes) => [...codes])) ?? [];
        assert.deepEqual(left, right);
        return left ?? [];
      };
      const codes = new Map<string, number>([['', 0]]);
      for (const given of [first, second]) {
        for (const [row, code] of codesOf(given).entries()) {
          const name = given[row] ?? '';
          assert.equal(code, codes.get(name) ?? code);
          codes.set(name, code);
        }
      }
      assert.equal(new Set(codes.values()).size, codes.size);
    }),
  );
});

test('the index grows to room for all texts, and none is in it twice', () => {
  const texts = Array.from({ length: 900 }, (_, i) => `${i}`.padStart(i, 'x'));
  const csv = texts.map((text) => `0,${text},${text}y\n`).join('');
  const rows = texts.map((text) => [text, `${text}y`]);
  assert.deepEqual(reading(csv, 3, textsOf), rows);
  const { size } = index;
  assert.deepEqual(reading(csv, 3, textsOf), rows);
  assert.equal(index.size, size);
});

describe('numbers', () => {
  const decimal = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      fc.stringMatching(/^\d{1,18}$/),
      fc.stringMatching(/^\d{0,20}$/),
    )
    .map(([sign, whole, places]) => `${sign}${whole}${places === '' ? '' : `.${places}`}`);
  const spelled = fc.oneof(
    decimal,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  );

  test('are those that V8 reads, or are listed as odd', () => {
    fc.assert(
      fc.property(spelled, fc.boolean(), (text, isQuoted) => {
        const csv = `${isQuoted ? `"${text}"` : text},x\n`;
        const [value, odd] = reading(csv, 2, (read) => [read?.numbers[0]?.[0], read?.odd[0]]);
        if (odd === undefined) assert.ok(Object.is(value, Number(text)), `${text} is ${value}`);
        else assert.deepEqual(odd, { row: 0, number: 0, text });
      }),
    );
  });

  const PLAIN: readonly (readonly [string, number])[] = [
    ['0.00000080000', 8e-7],
    ['2.000000000000000', 2],
    ['-0', -0],
    ['9007199254740992', 2 ** 53],
    [' 1.5 ', 1.5],
    ['.5', 0.5],
    ['5.', 5],
    ['', NaN],
    ['NULL', NaN],
  ];
  for (const [text, value] of PLAIN) {
    test(`'${text}' is ${value}`, () => {
      const read = reading(`${text},x\n`, 2, (columns) => [columns?.numbers[0]?.[0], columns?.odd]);
      assert.deepEqual(read, [value, []]);
    });
  }

  for (const text of ['1e3', '9007199254740993', '1,5', '1.2.3', '-', '.', 'abc', '0x1', '1 2']) {
    test(`'${text}' is odd`, () => {
      const odd = reading(`${cellOf(text)},x\n`, 2, (read) => read?.odd);
      assert.deepEqual(odd, [{ row: 0, number: 0, text }]);
    });
  }
});

test('records with another number of cells are listed, and empty lines are no records', () => {
  const csv = '1,a\n\n2\n3,b,c\r\n\r\n4,d';
  const [rows, uneven] = reading(csv, 2, (read) => [read?.rows, read?.uneven]);
  assert.equal(rows, 4);
  assert.deepEqual(uneven, [{ row: 1, cells: 1 }, { row: 2, cells: 3 }]); // prettier-ignore
});

test('more rows than the maximum are not read', () => {
  assert.equal(
    reading('1,a\n'.repeat(1001), 2, (read) => read),
    undefined,
  );
});

describe('a quote in a wrong place', () => {
  const before = '1,a\n2,"b"\n';
  const long = `3,"${'x'.repeat(200)}"`;
  for (const broken of ['3,a"b"\n', '3,"a"b\n', '3,"a\n', '3, "a"\n', `${long}y\n`, '3,""a"\n'])
    test(`ends the reading before ${JSON.stringify(broken).slice(0, 20)}`, () => {
      const csv = `${before}${broken}4,d\n`;
      const [rows, isMisquoted] = reading(csv, 2, (read) => [read?.rows, read?.isMisquoted]);
      assert.deepEqual([rows, isMisquoted], [2, true]);
      assert.throws(() => readRows(csv, 'csv'), /is not a cell/);
    });
});

test('the end of the last complete record is that of the reader, wherever bytes are cut', () => {
  fc.assert(
    fc.property(records, fc.nat(), (rows, at) => {
      const csv = Buffer.from(rows.map((cells) => `${cells.map(cellOf).join(',')}\n`).join(''));
      const cut = csv.subarray(0, csv.length === 0 ? 0 : at % (csv.length + 1));
      const address = arena.allocate(cut.length + 1, TASK);
      const bytes = arena.u8(address, cut.length);
      bytes.set(cut);
      const end = recordsEnd(kernels, bytes);
      arena.release(TASK);
      let [expected, isQuoted] = [0, false];
      cut.forEach((byte, i) => {
        if (byte === 0x22) isQuoted = !isQuoted;
        else if (byte === 0x0a && !isQuoted) expected = i + 1;
      });
      assert.equal(end, expected);
    }),
  );
});
