/** Files that several write at the same time. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DISK, writeWhole } from '../../src/storage/disk.ts';

test('a file that many write at once is one of theirs, whole, and nothing else is left', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-at-once-'));
  try {
    const path = join(folder, 'prices.json');
    const texts = Array.from({ length: 50 }, (_, i) => `${i};`.repeat(2000 + i));
    await Promise.all(texts.map((text) => writeWhole(DISK, path, Buffer.from(text))));
    assert.ok(texts.includes(readFileSync(path, 'utf8')));
    assert.deepEqual(readdirSync(folder), ['prices.json']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
