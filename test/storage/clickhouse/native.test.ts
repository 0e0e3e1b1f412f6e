/** Blocks of ClickHouse's Native format: read as they were written, however the answer is cut into pieces. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Unavailable } from '../../../src/query/index.ts';
import { nativeBlocks, type ReadBlock } from '../../../src/storage/clickhouse/native-read.ts';
import {
  CODED,
  nativeBlock,
  type NativeColumn,
} from '../../../src/storage/clickhouse/native-write.ts';
import { Refused } from '../../../src/storage/clickhouse/refusal.ts';

const SIZES = { 0: Uint8Array, 1: Uint16Array, 2: Uint32Array } as const;

const columnOf = (rows: number): fc.Arbitrary<NativeColumn> => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 9 });
  const times = { minLength: rows, maxLength: rows };
  const text = fc.uint8Array({ maxLength: 300 });
  const coded = fc
    .tuple(fc.array(text, { minLength: 1, maxLength: 300 }), fc.constantFrom(0, 1, 2))
    .chain(([texts, size]) =>
      fc
        .array(fc.nat(Math.min(texts.length, 256) - 1), times)
        .map((codes) => ({ texts, codes: SIZES[size as 0 | 1 | 2].from(codes) })),
    );
  return fc.oneof(
    fc.record({
      name,
      type: fc.constant('Float64' as const),
      values: fc.array(fc.double(), times).map((values) => Float64Array.from(values)),
    }),
    fc.record({
      name,
      type: fc.constant('UInt64' as const),
      values: fc.array(fc.bigInt(0n, 2n ** 64n - 1n), times).map((all) => BigUint64Array.from(all)),
    }),
    fc.record({
      name,
      type: fc.constant('UInt32' as const),
      values: fc.array(fc.nat(), times).map((values) => Uint32Array.from(values)),
    }),
    fc.record({ name, type: fc.constant('String' as const), values: fc.array(text, times) }),
    fc.record({ name, type: fc.constant(CODED), values: coded }),
  );
};

interface Block {
  readonly rows: number;
  readonly columns: readonly NativeColumn[];
}

const block: fc.Arbitrary<Block> = fc
  .integer({ min: 1, max: 40 })
  .chain((rows) =>
    fc.record({ rows: fc.constant(rows), columns: fc.array(columnOf(rows), { maxLength: 5 }) }),
  );

async function* cut(bytes: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const end = at + (lengths[i % lengths.length] ?? 1);
    yield bytes.subarray(at, end);
    at = end;
  }
}

function written(blocks: readonly Block[]): Buffer {
  return Buffer.concat(blocks.flatMap(({ rows, columns }) => [...nativeBlock(rows, columns)]));
}

async function read(bytes: Uint8Array, lengths: readonly number[]): Promise<ReadBlock[]> {
  const blocks: ReadBlock[] = [];
  for await (const one of nativeBlocks(cut(bytes, lengths), 'read')) blocks.push(one);
  return blocks;
}

/** Values as plain texts and numbers, one a row. */
function plain(values: ReadBlock['columns'][number]['values']): unknown[] {
  if (!('codes' in values)) {
    return Array.from(values as Iterable<unknown>, (each) =>
      each instanceof Uint8Array ? textOf(each) : each,
    );
  }
  const { codes, texts } = values;
  return Array.from(codes, (code) => textOf(texts[code] ?? new Uint8Array()));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

const pieces = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 });

test('blocks are read as they were written, in whatever pieces they come', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(block, { maxLength: 3 }), pieces, async (blocks, lengths) => {
      const found = await read(written(blocks), lengths);
      const told = (all: readonly (Block | ReadBlock)[]): unknown =>
        all.map(({ rows, columns }) => [
          rows,
          columns.map(({ name, values }) => [name, plain(values)]),
        ]);
      assert.deepEqual(told(found), told(blocks));
    }),
  );
});

test('an answer that ends in the midst of a block is an error, wherever it ends', async () => {
  await fc.assert(
    fc.asyncProperty(block, fc.nat(), async (one, where) => {
      const bytes = written([one]);
      const end = 1 + (where % Math.max(1, bytes.length - 1));
      if (end >= bytes.length) return;
      await assert.rejects(read(bytes.subarray(0, end), [64]), (error) => {
        assert.ok(error instanceof Unavailable, String(error));
        assert.match(error.message, /^ClickHouse cannot read: (the answer is cut off|a column)/);
        return true;
      });
    }),
  );
});

test('an error that the server sends behind rows is told in its words', async () => {
  const one: Block = {
    rows: 2,
    columns: [{ name: 'a', type: 'Float64', values: Float64Array.of(1, 2) }],
  };
  const said =
    'Code: 159, e.displayText() = DB::Exception: Timeout exceeded: elapsed 1.07 seconds, e.what() = DB::Exception\n';
  const answer = Buffer.concat([written([one]), Buffer.from(said)]);
  for (const lengths of [[7], [4096]]) {
    await assert.rejects(read(answer, lengths), (error) => {
      assert.ok(error instanceof Refused, String(error));
      assert.equal(error.code, 159);
      assert.equal(
        error.message,
        'ClickHouse cannot read: Timeout exceeded: elapsed 1.07 seconds (code 159)',
      );
      return true;
    });
  }
});
