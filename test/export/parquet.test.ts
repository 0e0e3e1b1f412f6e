/** Parquet files, read back by a program that has nothing of ours. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import {
  parquetChunks,
  ParquetFile,
  type ParquetBatch,
  type ParquetColumn,
} from '../../src/export/index.ts';
import { compact } from '../../src/export/parquet/compact.ts';
import { bitsOfCodes, hybrid } from '../../src/export/parquet/encodings.ts';
import { anyUnicode } from '../support/arbitraries/unicode.ts';
import { parquetFooter, parquetRows } from '../support/references/parquet-reading.ts';

type Row = Readonly<Record<string, number | string>>;

const COLUMNS: readonly ParquetColumn[] = [
  { name: 'when', kind: 'moment' },
  { name: 'usd', kind: 'number' },
  { name: 'few', kind: 'number' },
  { name: 'known', kind: 'number', isNullable: true },
  { name: 'pod', kind: 'text' },
];

/** Rows in groups, as a writer of a large table would. */
async function written(rows: readonly Row[], groupRows: number): Promise<Buffer> {
  const file = new ParquetFile(COLUMNS);
  const pieces = [file.begin()];
  for (let at = 0; at < rows.length; at += groupRows) {
    const group = rows.slice(at, at + groupRows);
    const values = COLUMNS.map(({ name, kind }) => {
      if (kind !== 'text') return Float64Array.from(group, (row) => Number(row[name]));
      const texts = [...new Set(['', 'unused', ...group.map((row) => String(row[name]))])];
      const codes = group.map((row) => texts.indexOf(String(row[name])));
      const bytesOf = (code: number): Uint8Array => Buffer.from(texts[code] ?? '');
      return { codes, size: texts.length, bytesOf };
    });
    pieces.push(...(await file.group(group.length, values)));
  }
  return Buffer.concat([...pieces, file.end({ made: 'by a tést' })]);
}

const NUMBER = fc.oneof(
  fc.constantFrom(0, -0, Number.NaN, Infinity, -Infinity, 5e-324, 1.7976931348623157e308, 0.1),
  fc.double(),
  fc.integer(),
);
const ROW: fc.Arbitrary<Row> = fc.record({
  when: fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
  usd: NUMBER,
  few: fc.constantFrom(0, -0, 1.5, Number.NaN),
  known: fc.oneof(fc.constant(Number.NaN), fc.double({ noNaN: true })),
  pod: fc.oneof(fc.constantFrom('', 'web', 'db'), anyUnicode()),
});
/** Long runs of a row, as sorted tables have them, and rows that differ. */
const ROWS = fc
  .array(fc.tuple(ROW, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 40 }))), {
    maxLength: 30,
  })
  .map((runs) => runs.flatMap(([row, times]) => Array<Row>(times).fill(row)));

test('whatever is written is read back to the bit, in any number of groups', async () => {
  const property = fc.asyncProperty(
    ROWS,
    fc.integer({ min: 1, max: 100 }),
    async (rows, groupRows) => {
      const bytes = await written(rows, groupRows);
      const read = await parquetRows(bytes);
      assert.equal(read.length, rows.length);
      rows.forEach((row, i) => {
        const told = { ...row, when: new Date(Number(row['when'])) };
        const known = Number.isNaN(row['known']) ? null : row['known'];
        assert.deepEqual({ ...read[i] }, { ...told, known });
        for (const name of ['usd', 'few', 'known'])
          assert.ok(Object.is(read[i]?.[name] ?? Number.NaN, row[name]), `${name} of row ${i}`);
      });
      const groups = parquetFooter(bytes).row_groups.map(({ num_rows }) => Number(num_rows));
      assert.equal(groups.length, Math.ceil(rows.length / groupRows));
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

test('the footer tells types, the least and the greatest, nulls, and notes', async () => {
  const rows = [
    { when: 0, usd: 1.5, few: 0, known: 7, pod: 'é' },
    { when: 1, usd: -2, few: -0, known: Number.NaN, pod: 'a' },
    { when: 2, usd: 0, few: 0, known: 7, pod: 'z' },
  ];
  const bytes = await written(rows, 10);
  const { schema, row_groups, key_value_metadata, version } = parquetFooter(bytes);
  assert.equal(version, 1);
  assert.deepEqual(key_value_metadata, [{ key: 'made', value: 'by a tést' }]);
  assert.deepEqual(
    schema
      .slice(1)
      .map(
        ({ name, type, repetition_type: repetition, converted_type: converted, logical_type }) => {
          return [name, type, repetition, converted, logical_type?.type];
        },
      ),
    [
      ['when', 'INT64', 'REQUIRED', 'TIMESTAMP_MILLIS', 'TIMESTAMP'],
      ['usd', 'DOUBLE', 'REQUIRED', undefined, undefined],
      ['few', 'DOUBLE', 'REQUIRED', undefined, undefined],
      ['known', 'DOUBLE', 'OPTIONAL', undefined, undefined],
      ['pod', 'BYTE_ARRAY', 'REQUIRED', 'UTF8', 'STRING'],
    ],
  );
  const told = row_groups[0]?.columns.map(({ meta_data }) => {
    const {
      min_value: least,
      max_value: greatest,
      null_count: nulls,
    } = meta_data?.statistics ?? {};
    return [least, greatest, Number(nulls)];
  });
  // é is greater than z by its bytes; zeros are the lower and the greater one.
  const moments = [new Date(0), new Date(2), 0];
  assert.deepEqual(told, [moments, [-2, 1.5, 0], [-0, 0, 0], [7, 7, 1], ['a', 'é', 0]]);
});

test('NaN and long texts leave the least and the greatest untold', async () => {
  const long = 'x'.repeat(65);
  const bytes = await written([{ when: 0, usd: Number.NaN, few: 1, known: 1, pod: long }], 1);
  const columns = parquetFooter(bytes).row_groups[0]?.columns ?? [];
  const isTold = (i: number): boolean => columns[i]?.meta_data?.statistics?.min_value !== undefined;
  assert.deepEqual([0, 1, 2, 3, 4].map(isTold), [true, false, true, true, false]);
});

test('each page has the checksum of its bytes, and the pages of a group fill it', async () => {
  const rows = Array.from({ length: 300 }, (_, i) => {
    return { when: i, usd: Math.sqrt(i), few: i % 3, known: i, pod: `pod-${i % 40}` };
  });
  const bytes = await written(rows, 128);
  let at = 4;
  for (const { columns } of parquetFooter(bytes).row_groups) {
    for (const { meta_data: chunk } of columns) {
      const first = chunk?.dictionary_page_offset ?? chunk?.data_page_offset;
      assert.equal(Number(first), at);
      const end = at + Number(chunk?.total_compressed_size);
      for (; at < end;) at = checkedPage(bytes, at);
      assert.equal(at, end);
    }
  }
});

/** Reads the head of a page, which has four numbers and a structure of numbers. @returns the place behind the page */
function checkedPage(bytes: Buffer, start: number): number {
  let at = start;
  const number = (): number => {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      shift += 7;
      if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  };
  const fields = [0, 0, 0, 0].map(() => (assert.equal(bytes[at++], 0x15), number()));
  assert.equal((bytes[at++] ?? 0) & 15, 12);
  while (bytes[at++] !== 0) number();
  assert.equal(bytes[at++], 0);
  const page = bytes.subarray(at, at + (fields[2] ?? 0));
  assert.equal(crc32(page) | 0, fields[3]);
  return at + page.length;
}

describe('codes', () => {
  test('numbers of any width are those that a plain reading finds', () => {
    const codes = fc.integer({ min: 1, max: 24 }).chain((bits) => {
      const code = fc.integer({ min: 0, max: 2 ** bits - 1 });
      const run = fc.tuple(code, fc.integer({ min: 1, max: 20 }));
      return fc.tuple(fc.constant(bits), fc.array(run, { maxLength: 20 }));
    });
    fc.assert(
      fc.property(codes, ([bits, runs]) => {
        const all = runs.flatMap(([code, times]) => Array<number>(times).fill(code));
        assert.deepEqual(plainReading(hybrid(all, bits), bits, all.length), all);
      }),
    );
  });

  test('a run costs a few bytes, and the width is that of the greatest code', () => {
    assert.equal(hybrid(new Uint32Array(100_000).fill(3), 2).length, 4);
    assert.deepEqual([1, 2, 3, 4, 5, 256, 257].map(bitsOfCodes), [1, 1, 2, 2, 3, 8, 9]);
  });
});

/** By the words of the format, a bit at a time. */
function plainReading(bytes: Uint8Array, bits: number, count: number): number[] {
  const values: number[] = [];
  let at = 0;
  while (at < bytes.length) {
    let [head, shift] = [0, 0];
    for (let byte = 128; byte >= 128; shift += 7)
      head += ((byte = bytes[at++] ?? 0) & 127) << shift;
    if (head % 2 === 0) {
      let value = 0;
      for (let i = 0; i < Math.ceil(bits / 8); i++) value += (bytes[at++] ?? 0) * 256 ** i;
      values.push(...Array<number>(head / 2).fill(value));
      continue;
    }
    const packed = 8 * ((head - 1) / 2);
    for (let i = 0; i < packed; i++) {
      let value = 0;
      for (let bit = 0; bit < bits; bit++) {
        const place = i * bits + bit;
        value += (((bytes[at + (place >> 3)] ?? 0) >> (place & 7)) & 1) * 2 ** bit;
      }
      values.push(value);
    }
    at += (packed * bits) / 8;
  }
  // The last group is filled up.
  assert.ok(values.length < count + 8);
  return values.slice(0, count);
}

test('structures are those of the compact protocol, long steps and lists too', () => {
  // Field 1: i32 -1; field 20: true; field 21: a list of 15 i64s, the last 2^40; field 22: a text.
  const long = [...Array<number>(14).fill(0), 2 ** 40].map((i64) => ({ i64 }));
  const bytes = compact({
    1: { i32: -1 },
    20: { bool: true },
    21: { list: long },
    22: { text: 'é' },
  });
  const list = [0x19, 0xf6, 15, ...Array<number>(14).fill(0), 0x80, 0x80, 0x80, 0x80, 0x80, 0x40];
  assert.deepEqual([...bytes], [0x15, 1, 0x01, 40, ...list, 0x18, 2, 0xc3, 0xa9, 0]);
});

test('batches become one file, and no batch an empty one', async () => {
  const batch = (usd: number[]): ParquetBatch => {
    const columns = [{ name: 'usd', kind: 'number' as const, values: Float64Array.from(usd) }];
    return { rows: usd.length, columns };
  };
  const rowsOf = async (batches: readonly ParquetBatch[]): Promise<unknown> =>
    parquetRows(await buffer(parquetChunks(Readable.from(batches))));
  assert.deepEqual(await rowsOf([batch([1, Number.NaN]), batch([]), batch([3])]), [
    { usd: 1 },
    { usd: null },
    { usd: 3 },
  ]);
  assert.deepEqual(await rowsOf([]), []);
});
