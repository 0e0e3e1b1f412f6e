/** Blocks as writers, compactors and failures of disks leave them. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { folderSource } from '../../src/blocks/places/folder-source.ts';
import type { TimeRange } from '../../src/metrics/index.ts';
import { DamagedBlock } from '../../src/tsdb/index.ts';
import { quickFolder } from '../support/quick-folder.ts';
import type { PlainSeries } from '../support/stores/block-samples.ts';
import { opened, readAll } from '../support/stores/opened-blocks.ts';
import { markDeleted, storeBlock, type BlockWish } from '../support/stores/stored-blocks.ts';

const START_MS = Date.UTC(2024, 2, 10);
const BLOCK_MS = 7_200_000;
const ALL: TimeRange = { startMs: START_MS, endMs: START_MS + BLOCK_MS };
const home = quickFolder('left-blocks');

function newFolder(): string {
  return mkdtempSync(join(home, 'blocks-'));
}

describe('a folder of blocks as others left it', () => {
  const series: PlainSeries[] = [
    { labels: { __name__: 'up', pod: 'a' }, samples: [[START_MS, 1]] },
    { labels: { __name__: 'up', pod: 'b' }, samples: [[START_MS, 2]] },
  ];
  const wish: BlockWish = { startMs: START_MS, endMs: START_MS + BLOCK_MS, series };
  const UP = { metrics: ['up'] };

  test('one that is being written, or being deleted, is no block', async () => {
    const folder = newFolder();
    const ulid = (await storeBlock(folder, wish)) ?? '';
    const other = (await storeBlock(folder, { ...wish, series: series.slice(0, 1) })) ?? '';
    renameSync(join(folder, other), join(folder, `${other}.tmp-for-creation`));
    const third = (await storeBlock(folder, wish)) ?? '';
    rmSync(join(folder, third, 'meta.json'));
    assert.equal((await readAll(opened(folderSource(folder)), UP, ALL)).size, 2);
    rmSync(join(folder, ulid), { recursive: true });
    const warnings: string[] = [];
    assert.equal((await readAll(opened(folderSource(folder)), UP, ALL, { warnings })).size, 0);
    assert.deepEqual(warnings, [`file://${folder} has no blocks: nothing is counted`]);
  });

  for (const [file, damage, reason] of [
    ['meta.json', (bytes: Buffer) => bytes.subarray(0, 20), /JSON/],
    ['index', (bytes: Buffer) => bytes.subarray(0, 40), /it is cut off/],
    ['index', (bytes: Buffer) => flipped(bytes, 20), /wrong checksum/],
    ['chunks/000001', (bytes: Buffer) => flipped(bytes, 12), /a chunk has a wrong checksum/],
    ['chunks/000001', (bytes: Buffer) => bytes.subarray(0, 9), /no chunk stands here|cut off/],
    ['tombstones', () => Buffer.from('0130ba3001000000ff', 'hex'), /wrong checksum/],
  ] as const)
    test(`a damaged ${file} (${reason.source}) fails reads, which name it`, async () => {
      const folder = newFolder();
      const ulid = (await storeBlock(folder, wish)) ?? '';
      const path = join(folder, ulid, file);
      writeFileSync(path, damage(readFileSync(path)));
      const error = await readAll(opened(folderSource(folder)), UP, ALL).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof DamagedBlock, String(error));
      assert.ok(error.message.startsWith(`file://${path} `), error.message);
      assert.match(error.message, reason);
      // Who marks it for deletion reads on without it.
      markDeleted(folder, ulid);
      assert.equal((await readAll(opened(folderSource(folder)), UP, ALL)).size, 0);
    });

  test('a file of a block that is listed and not there is named', async () => {
    const folder = newFolder();
    const ulid = (await storeBlock(folder, wish)) ?? '';
    rmSync(join(folder, ulid, 'index'));
    await assert.rejects(readAll(opened(folderSource(folder)), UP, ALL), {
      name: 'DamagedBlock',
      message: `file://${join(folder, ulid, 'index')} is damaged at byte 0: the file is missing`,
    });
  });

  test("tenants' folders: one is chosen, and without one all are named", async () => {
    const folder = newFolder();
    for (const tenant of ['team-a', 'team-b']) mkdirSync(join(folder, tenant));
    await storeBlock(join(folder, 'team-a'), wish);
    await storeBlock(join(folder, 'team-b'), { ...wish, series: series.slice(1) });
    writeFileSync(join(folder, 'team-a', 'bucket-index.json.gz'), '');
    mkdirSync(join(folder, 'team-a', 'markers'));
    const source = folderSource(folder);
    assert.equal((await readAll(opened(source, { tenant: 'team-a/' }), UP, ALL)).size, 2);
    assert.equal((await readAll(opened(source, { tenant: 'team-b/' }), UP, ALL)).size, 1);
    await assert.rejects(readAll(opened(source), UP, ALL), /has blocks of tenants: team-a, team-b/);
  });

  test('what matches alone is fetched, and a header and parts of the index once', async () => {
    const folder = newFolder();
    const many = Array.from({ length: 400 }, (_, i): PlainSeries => ({
      labels: { __name__: i < 200 ? 'large' : 'up', pod: `pod-${i}` },
      samples: Array.from({ length: 100 }, (__, j) => [START_MS + j * 1000, Math.sin(i + j)]),
    }));
    await storeBlock(folder, { ...wish, series: many });
    const blocks = opened(folderSource(folder));
    const chunkBytes = (): number =>
      blocks.reads
        .filter(([key]) => key.includes('/chunks/'))
        .reduce((sum, [, bytes]) => sum + bytes, 0);
    const matchers = [{ label: 'pod', operator: '=', value: 'pod-300' }] as const;
    const found = await readAll(blocks, { metric: 'up', matchers }, ALL);
    assert.equal(found.size, 1);
    assert.ok(chunkBytes() < 2000, `${chunkBytes()} bytes for one series`);
    const before = blocks.reads.length;
    await readAll(blocks, { metric: 'up', matchers }, ALL);
    // A chunk.
    assert.equal(blocks.reads.length - before, 1);
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 255;
  return copy;
}
