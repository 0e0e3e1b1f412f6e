/** Blocks as Thanos and Mimir lay them out in a bucket, written into a folder. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  chunkExtent,
  CHUNKS_HEAD_BYTES,
  crc32c,
  writeBlock,
  type BlockRange,
  type BlockSeries,
} from '../../../src/tsdb/index.ts';
import { asBlockSeries, type PlainSeries } from './block-samples.ts';

export interface BlockWish extends BlockRange {
  readonly series: readonly PlainSeries[];
  /** External labels, as Thanos tells them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** In ms; absent: it is no block of Thanos. */
  readonly resolutionMs?: number;
  /** ULIDs of what it was made of. */
  readonly sources?: readonly string[];
  readonly isMarked?: boolean;
  readonly chunkSamples?: number;
  /** What the first chunk of each series is longer than its samples need. */
  readonly spareBytes?: number;
  /** Which chunks, as they follow each other in the file, are written as histograms. */
  readonly isHistogram?: (chunk: number) => boolean;
  /** By the number of a series in its order, times that were deleted. */
  readonly deleted?: readonly (readonly [series: number, fromMs: number, toMs: number])[];
}

/** @returns its ULID; undefined where there are no samples, and no block */
export async function storeBlock(folder: string, wish: BlockWish): Promise<string | undefined> {
  const { startMs, endMs, series, sources, chunkSamples } = wish;
  const origin =
    sources === undefined ? undefined : { level: 1 + sources.length, sources, parents: [] };
  const range = { startMs, endMs };
  const written = asBlockSeries(series, chunkSamples).map((one) => withSpare(one, wish.spareBytes));
  const meta = await writeBlock(folder, range, written, origin);
  if (meta === undefined) return undefined;
  const path = join(folder, meta.ulid);
  if (wish.isHistogram !== undefined) makeHistograms(path, wish.isHistogram);
  const file = join(path, 'meta.json');
  if (wish.labels !== undefined || wish.resolutionMs !== undefined) {
    const thanos = {
      labels: wish.labels ?? {},
      downsample: { resolution: wish.resolutionMs ?? 0 },
      source: 'sidecar',
    };
    const json = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...json, thanos }));
  }
  if (wish.isMarked === true) markDeleted(folder, meta.ulid);
  if (wish.deleted !== undefined)
    writeFileSync(
      join(path, 'tombstones'),
      tombstones(readFileSync(join(path, 'index')), wish.deleted),
    );
  return meta.ulid;
}

/** Readers stop at the last sample. */
function withSpare(series: BlockSeries, spareBytes = 0): BlockSeries {
  const chunks = series.chunks.map(({ checksum: _checksum, ...chunk }, i) =>
    i > 0 || spareBytes === 0
      ? chunk
      : { ...chunk, bytes: Buffer.concat([chunk.bytes, Buffer.alloc(spareBytes)]) },
  );
  return { ...series, chunks };
}

/** By their encoding, with the checksum of that. */
function makeHistograms(path: string, isHistogram: (chunk: number) => boolean): void {
  const file = join(path, 'chunks', '000001');
  const bytes = readFileSync(file);
  for (let at = CHUNKS_HEAD_BYTES, chunk = 0; at < bytes.length; chunk++) {
    const extent = chunkExtent(bytes, at, { path: file, offset: at });
    if (extent === undefined) throw new Error('a chunk is cut off');
    const [from, end] = [at + extent.lengthBytes, at + extent.totalBytes - 4];
    if (isHistogram(chunk)) {
      bytes[from] = 2 + (chunk % 2);
      bytes.writeUInt32BE(crc32c(bytes, from, end), end);
    }
    at += extent.totalBytes;
  }
  writeFileSync(file, bytes);
}

export function markDeleted(folder: string, ulid: string): void {
  const mark = { id: ulid, version: 1, deletion_time: 1, details: 'source of a compacted block' };
  writeFileSync(join(folder, ulid, 'deletion-mark.json'), JSON.stringify(mark));
}

/** As Prometheus deletes: out of sight at once. */
export function deleteBlock(folder: string, ulid: string): void {
  const path = join(folder, ulid);
  renameSync(path, `${path}.tmp-for-deletion`);
  rmSync(`${path}.tmp-for-deletion`, { recursive: true });
}

/** The numbers of series stand in the list of all of them, the first one of the postings. */
function tombstones(index: Buffer, deleted: NonNullable<BlockWish['deleted']>): Uint8Array {
  const postings = Number(index.readBigUInt64BE(index.length - 52 + 32));
  const bytes: number[] = [];
  for (const [series, fromMs, toMs] of deleted) {
    const number = index.readUInt32BE(postings + 8 + 4 * series);
    for (const value of [BigInt(number), zigzag(fromMs), zigzag(toMs)]) {
      let rest = value;
      for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
      bytes.push(Number(rest));
    }
  }
  const body = Uint8Array.from(bytes);
  const head = Uint8Array.of(0x01, 0x30, 0xba, 0x30, 1);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32c(body));
  return Buffer.concat([head, body, checksum]);
}

function zigzag(value: number): bigint {
  const whole = Number.isFinite(value) ? BigInt(value) : value < 0 ? -(2n ** 63n) : 2n ** 63n - 1n;
  return BigInt.asUintN(64, (whole << 1n) ^ (whole >> 63n));
}
