/** Files cut into blocks of whole records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileKernels, createEngine } from '../../../src/columnar/index.ts';
import { readFrom } from '../../../src/billing/focus/bytes.ts';
import { cutBlocks, type CsvFile } from '../../../src/billing/focus/csv-blocks.ts';
import { readRows } from '../../../src/query/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { cellOf } from '../../support/stores/focus-rows.ts';

const OWNER = 1;
const TASK = 2;
const { arena, kernels } = createEngine(compileKernels(), dirtyMemory(16 << 20), OWNER);
const RECORD_BYTES_MAX = 400;

async function* pieces(content: Buffer, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += bytes) yield content.subarray(at, at + bytes);
}

function cut(content: Buffer, pieceBytes: number, blockBytes: number): Promise<CsvFile> {
  const read = readFrom(pieces(content, pieceBytes));
  const limits = { blockBytes, recordBytesMax: RECORD_BYTES_MAX };
  return cutBlocks(read, 'bill.csv', { arena, kernels, owner: TASK, ...limits });
}

async function textsOf(file: CsvFile): Promise<string[]> {
  const texts: string[] = [];
  for await (const { address, bytes, room } of file.blocks()) {
    texts.push(Buffer.from(arena.u8(address, bytes)).toString());
    arena.free(address, room);
  }
  return texts;
}

const cell = fc.oneof(
  fc.constantFrom('', 'a', '"', 'x,y', '\n', 'ü'),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);
const records = fc.array(fc.array(cell, { minLength: 2, maxLength: 3 }), { minLength: 1 });

test('blocks hold the same rows wherever they and the pieces of the file are cut', async () => {
  const sizes = fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 800, max: 1200 }));
  await fc.assert(
    fc.asyncProperty(records, sizes, fc.boolean(), async (rows, [piece, block], hasMark) => {
      const lines = rows.map((cells) => `${cells.map(cellOf).join(',')}\n`);
      const content = Buffer.from(`${hasMark ? '\uFEFF' : ''}a,b\n${lines.join('')}`);
      const file = await cut(content, piece, block);
      const texts = await textsOf(file);
      assert.deepEqual(file.header, ['a', 'b']);
      assert.deepEqual(
        texts.flatMap((text) => readRows(text, 'csv')),
        readRows(lines.join(''), 'csv'),
      );
      assert.equal(arena.bytesOf(TASK), 0, 'blocks are all that is held');
    }),
    { numRuns: 60 },
  );
});

test('a quote that is never closed is refused before it holds the whole file', async () => {
  const content = Buffer.from(`a,b\n"${'x'.repeat(100_000)}`);
  await assert.rejects(async () => textsOf(await cut(content, 50, 800)), {
    name: 'Fault',
    message: 'bill.csv, a row: it is longer than 400 bytes',
  });
  arena.release(TASK);
});

test('a header that never ends is refused', async () => {
  await assert.rejects(cut(Buffer.alloc(100_000, 'x'), 50, 800), {
    message: 'bill.csv, row 1: it is longer than 400 bytes',
  });
});

test('a header alone is a file without rows, an empty file is none', async () => {
  assert.deepEqual(await textsOf(await cut(Buffer.from('a,"b\n"'), 1, 800)), []);
  await assert.rejects(cut(Buffer.alloc(0), 1, 800), { message: 'bill.csv is empty' });
});
