/**
 * Writes a block as Prometheus lays it out (https://github.com/prometheus/prometheus/tree/main/tsdb/docs/format).
 * It is made under a temporary name, synced, and renamed: a folder with a block's name is whole.
 *
 * ```
 *   01HX…/meta.json       what is in it, when
 *         index           labels to series, series to chunks
 *         chunks/000001   samples
 *         tombstones      none
 * ```
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { DISK } from '../../storage/disk.ts';
import { attempt } from '../../storage/disk-error.ts';
import { encodeMeta, type BlockMeta, type BlockParent } from '../format/block-meta.ts';
import { ChunkFiles } from './chunk-files.ts';
import type { IndexedChunk } from '../format/index-format.ts';
import { IndexWriter } from './index-writer.ts';
import { compareLabels } from '../format/label-scan.ts';
import { samplesIn, type BlockRange, type BlockSeries, type XorChunk } from '../format/series.ts';
import { NO_TOMBSTONES } from './tombstones.ts';
import { createUlid } from '../format/ulid.ts';

/** Prometheus removes folders of such names when it starts, and so do we. */
export const CREATING = '.tmp-for-creation';
/** The thread turns to others, such as senders, after so many. */
const SERIES_AT_ONCE = 1000;

/** How a block came to be; absent: cut from the head. */
export interface BlockOrigin {
  readonly level: number;
  readonly sources: readonly string[];
  readonly parents: readonly BlockParent[];
}

/**
 * @param folder of all blocks
 * @param series in the order of `compareLabels`; all samples within `range`. Those without chunks are left out
 * @returns undefined, and nothing is written, when there are no samples
 * @throws {Unavailable} when the disk refuses
 */
export async function writeBlock(
  folder: string,
  range: BlockRange,
  series: Iterable<BlockSeries>,
  origin?: BlockOrigin,
): Promise<BlockMeta | undefined> {
  const ulid = createUlid(Date.now());
  const path = join(folder, ulid);
  const temporary = `${path}${CREATING}`;
  return await attempt(`write block ${path}`, async () => {
    try {
      const meta = await fill(temporary, { ulid, range, series, origin });
      if (meta === undefined) {
        await rm(temporary, { recursive: true, force: true });
        return undefined;
      }
      await DISK.syncFolder(join(temporary, 'chunks'));
      await DISK.syncFolder(temporary);
      await DISK.rename(temporary, path);
      await DISK.syncFolder(folder);
      return meta;
    } catch (error) {
      await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
      throw error;
    }
  });
}

interface Contents {
  readonly ulid: string;
  readonly range: BlockRange;
  readonly series: Iterable<BlockSeries>;
  readonly origin: BlockOrigin | undefined;
}

async function fill(path: string, contents: Contents): Promise<BlockMeta | undefined> {
  const { ulid, range, origin } = contents;
  await mkdir(join(path, 'chunks'), { recursive: true });
  const index = new IndexWriter();
  const { samples, chunks, lengths } = await fillChunks(join(path, 'chunks'), contents, index);
  if (samples === 0) return undefined;
  const indexLength = await index.write(join(path, 'index'));
  const meta: BlockMeta = {
    ulid,
    startMs: range.startMs,
    endMs: range.endMs,
    samples,
    series: index.series,
    chunks,
    level: origin?.level ?? 1,
    sources: origin?.sources ?? [ulid],
    parents: origin?.parents ?? [],
    files: { index: indexLength, chunks: lengths },
  };
  await DISK.write(join(path, 'tombstones'), NO_TOMBSTONES);
  await DISK.write(join(path, 'meta.json'), Buffer.from(encodeMeta(meta)));
  return meta;
}

async function fillChunks(
  path: string,
  { range, series }: Contents,
  index: IndexWriter,
): Promise<{ samples: number; chunks: number; lengths: readonly number[] }> {
  const files = new ChunkFiles(path);
  let [samples, count] = [0, 0];
  let last = new Uint8Array(0);
  try {
    for (const { labels, chunks } of series) {
      if (chunks.length === 0) continue;
      if (compareLabels(last, labels) >= 0) throw new Error('BUG: series out of order');
      last = Uint8Array.from(labels);
      const indexed: IndexedChunk[] = [];
      let lastMs = range.startMs - 1;
      for (const chunk of chunks) {
        requireOrder(chunk, lastMs, range.endMs);
        lastMs = chunk.maxTimeMs;
        if (!files.hasRoom(chunk.bytes.length)) await files.makeRoom(chunk.bytes.length);
        const { minTimeMs, maxTimeMs } = chunk;
        indexed.push({ minTimeMs, maxTimeMs, number: files.add(chunk) });
        samples += samplesIn(chunk);
      }
      index.add(labels, indexed);
      if (index.series % SERIES_AT_ONCE === 0) await setImmediate();
      count += indexed.length;
    }
    return { samples, chunks: count, lengths: await files.finish() };
  } catch (error) {
    await files.abandon();
    throw error;
  }
}

function requireOrder({ minTimeMs, maxTimeMs }: XorChunk, lastMs: number, endMs: number): void {
  if (minTimeMs > lastMs && minTimeMs <= maxTimeMs && maxTimeMs < endMs) return;
  throw new Error(`BUG: a chunk of ${minTimeMs} to ${maxTimeMs}, after ${lastMs}, before ${endMs}`);
}
