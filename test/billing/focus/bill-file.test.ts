/** What a file is shows in its bytes: packed ones are unpacked, within limits. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { opened, openBillFile, streamedBill } from '../../../src/billing/focus/bill-file.ts';
import { readHead } from '../../../src/billing/focus/bytes.ts';
import { zstdBomb, zstdFrame } from '../../support/stores/zstd-frame.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-bills-'));
after(() => rmSync(home, { recursive: true, force: true }));
const ALL_BYTES = 2 ** 20;

async function* pieces(content: Uint8Array, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += bytes) yield content.subarray(at, at + bytes);
}

async function contentOf(file: Uint8Array, pieceBytes: number): Promise<Buffer> {
  const found = await opened(streamedBill('bill', pieces(file, pieceBytes)));
  assert.ok(found.form === 'csv', found.form);
  return readHead(found.read, ALL_BYTES);
}

describe('a file', () => {
  const forms = [(content: Uint8Array) => content, gzipSync, zstdFrame] as const;
  for (const pack of forms)
    test(`is the same as before ${pack.name || 'nothing'}, in pieces of any length`, () => {
      const content = fc.uint8Array({ maxLength: 300_000 }).map((bytes) =>
        // What begins as a packed file does would be taken for one.
        Buffer.concat([Buffer.from('a,b\n'), bytes]),
      );
      return fc.assert(
        fc.asyncProperty(content, fc.integer({ min: 1, max: 70_000 }), async (bytes, piece) => {
          assert.ok(bytes.equals(await contentOf(pack(bytes), piece)), 'other bytes came out');
        }),
        { numRuns: 20 },
      );
    });

  test('is read from its beginning to its end, and reports its bytes', async () => {
    const path = join(home, 'plain.csv');
    writeFileSync(path, 'a,b\n1,2\n');
    let count = 0;
    const file = await openBillFile(path, (bytes) => (count += bytes));
    const found = await opened(file);
    assert.equal(found.form === 'csv' && String(await readHead(found.read, 100)), 'a,b\n1,2\n');
    await file.close();
    assert.deepEqual([count, file.bytes], [8, 8]);
  });
});

const half = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length - 20);
const noise = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7919) % 251));
const MISTAKES: readonly (readonly [what: string, file: Buffer, message: RegExp])[] = [
  ['gzip cut off', half(gzipSync(noise)), /^bill is damaged, as gzip: unexpected end of file$/],
  ['zstd cut off', half(zstdFrame(noise)), /^bill is damaged, as zstd: unexpected EOF$/],
  ['a ZIP archive', Buffer.from('PK\u0003\u0004 and more'), /^bill is a ZIP archive$/],
  ['Parquet from a stream', Buffer.from('PAR1....'), /^bill: Parquet cannot be read from a stream/],
  [
    'a bomb of gzip',
    gzipSync(Buffer.alloc(40 << 20)),
    /^bill grows to more than 300 times its size: no bill does$/,
  ],
  ['a bomb of zstd', zstdBomb(300), /^bill grows to more than 300 times its size: no bill does$/],
  ['a worse bomb of zstd', zstdBomb(20_000), /^zstd data that grow so fast are no bill$/],
];

for (const [what, file, message] of MISTAKES)
  test(`S-21: ${what} is refused by name`, () =>
    assert.rejects(
      async () => {
        const found = await opened(streamedBill('bill', pieces(file, 65_536)));
        const target = Buffer.alloc(65_536);
        if (found.form === 'csv') while ((await found.read(target)) > 0);
      },
      { name: 'Fault', message },
    ));
