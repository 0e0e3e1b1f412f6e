/** A stream of Arrow, read while the memory of its chunks is used again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ARROW_END, arrowBatches, arrowPieces } from '../../src/storage/index.ts';

interface Batch {
  readonly moments: readonly number[];
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
}

const row = fc.tuple(
  fc.integer({ min: 0, max: 4e12 }),
  fc.double(),
  fc.constantFrom('', 'a', 'ü', 'shop'),
);
const anyBatch = fc.array(row, { minLength: 1, maxLength: 40 }).map((rows): Batch => ({
  moments: rows.map(([moment]) => moment),
  numbers: rows.map(([, number]) => number),
  texts: rows.map(([, , text]) => text),
}));

function piecesOf({ moments, numbers, texts }: Batch): ReturnType<typeof arrowPieces> {
  const known = [...new Set(texts)];
  return arrowPieces(moments.length, [
    { name: 'moment', kind: 'moment', values: Float64Array.from(moments) },
    { name: 'number', kind: 'number', values: Float64Array.from(numbers) },
    {
      name: 'text',
      kind: 'text',
      codes: Int32Array.from(texts, (t) => known.indexOf(t)),
      texts: known,
    },
  ]);
}

/** Each chunk's bytes are others once the next is asked for, as in an answer. */
async function* overwritten(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.slice(at, at + chunkBytes);
    yield chunk;
    chunk.fill(0xee);
    await Promise.resolve();
  }
}

test('batches are read as written, however chunks are cut and reused', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyBatch, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 4000 }),
      async (batches, chunkBytes) => {
        const pieces = await Promise.all(batches.map(piecesOf));
        const head = pieces[0]?.head ?? ARROW_END;
        const stream = Buffer.concat([head, ...pieces.map(({ batch }) => batch), ARROW_END]);
        const found: Batch[] = [];
        for await (const { rows, columns } of arrowBatches(overwritten(stream, chunkBytes))) {
          const [moment, number, text] = columns;
          assert.ok(moment?.kind === 'moment' && number?.kind === 'number', 'kinds');
          assert.ok(text?.kind === 'text', 'kinds');
          assert.equal(rows, moment.values.length);
          found.push({
            moments: [...moment.values],
            numbers: [...number.values],
            texts: Array.from(text.codes, (code) => text.texts[code] ?? '?'),
          });
        }
        assert.deepEqual(found, batches);
      },
    ),
    { numRuns: 100 },
  );
});
