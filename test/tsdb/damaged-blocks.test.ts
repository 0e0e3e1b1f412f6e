import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { crc32c } from '../../src/tsdb/format/crc32c.ts';
import { XorSamples } from '../../src/tsdb/format/xor-samples.ts';
import { Unavailable } from '../../src/query/index.ts';
import {
  fsckBlocks,
  openBlock,
  storedBatches,
  writeBlock,
  type BlockSeries,
} from '../../src/tsdb/index.ts';
import { readBatches, type ReadSeries } from '../support/references/read-batches.ts';
import { asBlockSeries, type PlainSeries } from '../support/stores/block-samples.ts';
import { bitsOf, decodeXorChunkByBits, encodeXorChunk } from '../support/stores/xor-encoder.ts';

const START_MS = Date.UTC(2024, 2, 10, 22);
const RANGE = { startMs: START_MS, endMs: START_MS + 7_200_000 };
const ALL_TIMES = { startMs: -Infinity, endMs: Infinity };
/** What a decoder says. */
const WRONG_CHUNK = /^a chunk has a wrong checksum$/;
const FILES = ['meta.json', 'index', 'tombstones', 'chunks/000001'];

const SERIES: readonly PlainSeries[] = Array.from({ length: 12 }, (_, place) => ({
  labels: { __name__: place % 2 === 0 ? 'a' : 'b', pod: `pod-${place}` },
  samples: Array.from({ length: 1 + place * 3 }, (_, i) => [
    START_MS + i * 30_000 + ((i * 37) % 90),
    place + i / 7,
  ]),
}));

/** Labels and chunks, in order. */
function asBytes(series: readonly BlockSeries[]): string[] {
  return series.map(({ labels, chunks }) =>
    [labels, ...chunks.map(({ bytes }) => bytes)]
      .map((one) => Buffer.from(one).toString('hex'))
      .join(),
  );
}

describe('a damaged block', () => {
  let folder = '';
  let path = '';
  const whole = new Map<string, Buffer>();
  const reference = asBytes(asBlockSeries(SERIES, 10));
  let samples: Map<string, ReadSeries> = new Map();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'prorata-blocks-'));
    const meta = await writeBlock(folder, RANGE, asBlockSeries(SERIES, 10));
    path = join(folder, meta?.ulid ?? '');
    for (const file of FILES) whole.set(file, readFileSync(join(path, file)));
    samples = await storedWith('index', whole.get('index') ?? Buffer.alloc(0));
  });
  after(async () => await rm(folder, { recursive: true }));

  /** All series, by metric as queries read, with `bytes` in place of a file's. */
  async function readWith(file: string, bytes: Uint8Array): Promise<string[]> {
    writeFileSync(join(path, file), bytes);
    try {
      const block = await openBlock(path);
      try {
        const all = ['a', 'b'].flatMap((metric) => [
          ...block.read({ metric, matchers: [] }, ALL_TIMES),
        ]);
        return asBytes(all);
      } finally {
        block.close();
      }
    } finally {
      writeFileSync(join(path, file), whole.get(file) ?? '');
    }
  }

  /** The samples of the same series, whose chunks are checked as they are decoded. */
  async function storedWith(file: string, bytes: Uint8Array): Promise<Map<string, ReadSeries>> {
    writeFileSync(join(path, file), bytes);
    try {
      const block = await openBlock(path);
      try {
        return await readBatches(storedBatches(block.stored(['a', 'b'], ALL_TIMES)));
      } finally {
        block.close();
      }
    } finally {
      writeFileSync(join(path, file), whole.get(file) ?? '');
    }
  }

  /** Where a checked read fails, this one does or the chunks do not decode: no answer is another. */
  async function assertStoredFoundOrSame(file: string, bytes: Uint8Array): Promise<void> {
    let answer: Map<string, ReadSeries>;
    try {
      answer = await storedWith(file, bytes);
    } catch (error) {
      assert.ok(error instanceof Error);
      if (!(error instanceof Unavailable)) assert.match(error.message, WRONG_CHUNK);
      return;
    }
    assert.deepEqual(answer, samples);
  }

  /** The read fails, naming the block, or answers what was written. */
  async function assertFoundOrSame(file: string, bytes: Uint8Array): Promise<void> {
    let answer: string[];
    try {
      answer = await readWith(file, bytes);
    } catch (error) {
      assert.ok(error instanceof Unavailable, String(error));
      assert.ok(error.message.includes(path), error.message);
      return;
    }
    assert.deepEqual(answer, reference);
  }

  const place = fc.tuple(fc.constantFrom(...FILES), fc.nat(1e6), fc.nat(7));

  test('each flipped bit is found, or changes no answer', async () => {
    const property = fc.asyncProperty(place, async ([file, at, bit]) => {
      const bytes = Buffer.from(whole.get(file) ?? '');
      bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << bit);
      await assertFoundOrSame(file, bytes);
      await assertStoredFoundOrSame(file, bytes);
    });
    await fc.assert(property, { numRuns: 250 });
  });

  test('a file that is cut off, goes on, or has zeros for bytes, is found or changes no answer', async () => {
    const property = fc.asyncProperty(place, fc.nat(2), async ([file, at, tail], kind) => {
      const bytes = whole.get(file) ?? Buffer.alloc(0);
      const cut = at % bytes.length;
      const changed = [
        bytes.subarray(0, cut),
        Buffer.concat([bytes, Buffer.alloc(1 + tail, tail)]),
        Buffer.concat([bytes.subarray(0, cut), Buffer.alloc(bytes.length - cut)]),
      ][kind];
      await assertFoundOrSame(file, changed ?? bytes);
      await assertStoredFoundOrSame(file, changed ?? bytes);
    });
    await fc.assert(property, { numRuns: 80 });
  });

  test('hostile bytes with right checksums are refused or read, and never end the process', async () => {
    const index = whole.get('index') ?? Buffer.alloc(0);
    const sections = [5, index.readUInt32BE(index.length - 8)]; // symbols, table of postings
    const property = fc.asyncProperty(
      fc.constantFrom(...sections),
      fc.nat(1e6),
      fc.nat(255),
      async (start, at, byte) => {
        const bytes = Buffer.from(index);
        const length = bytes.readUInt32BE(start);
        bytes[start + 4 + (at % length)] = byte;
        bytes.writeUInt32BE(crc32c(bytes, start + 4, start + 4 + length), start + 4 + length);
        await readWith('index', bytes).catch((error: unknown) => {
          assert.ok(error instanceof Unavailable, String(error));
        });
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });

  test('fsck names file and offset of what it finds, and nothing in a whole block', async () => {
    const samples = SERIES.reduce((sum, one) => sum + one.samples.length, 0);
    assert.deepEqual(await fsckBlocks(folder), { blocks: 1, series: 12, samples, findings: [] });
    const chunks = Buffer.from(whole.get('chunks/000001') ?? '');
    chunks[40] = (chunks[40] ?? 0) ^ 1;
    writeFileSync(join(path, 'chunks/000001'), chunks);
    await writeFile(join(path, 'tombstones'), 'x');
    const broken = await fsckBlocks(folder);
    assert.deepEqual(
      broken.findings.map((one) => one.path),
      [join(path, 'tombstones')],
    );
    await writeFile(join(path, 'tombstones'), whole.get('tombstones') ?? '');
    const found = await fsckBlocks(folder);
    const [finding] = found.findings;
    assert.equal(found.findings.length, 1);
    assert.equal(finding?.path, join(path, 'chunks', '000001'));
    assert.ok((finding?.offset ?? 99) <= 40);
    assert.match(finding?.message ?? '', /checksum/);
    await writeFile(join(path, 'chunks/000001'), whole.get('chunks/000001') ?? '');
    await cp(path, `${path}.tmp-for-creation`, { recursive: true });
    assert.match((await fsckBlocks(folder)).findings[0]?.message ?? '', /a crash left it/);
    await rm(`${path}.tmp-for-creation`, { recursive: true });
    assert.deepEqual(await fsckBlocks(join(folder, 'none')), {
      blocks: 0,
      series: 0,
      samples: 0,
      findings: [],
    });
    assert.equal((await readdir(folder)).length, 1);
  });
});

test('samples of a chunk are those of the bit-by-bit decoder, also of chunks that were reopened', () => {
  const samples = fc.array(
    fc.tuple(
      fc.oneof(fc.integer({ min: 1, max: 90_000 }), fc.integer({ min: 1, max: 2 ** 40 })),
      fc.double(),
    ),
    { minLength: 1, maxLength: 60 },
  );
  const decoded = new XorSamples();
  fc.assert(
    fc.property(samples, fc.boolean(), (steps, isReopened) => {
      let timeMs = START_MS;
      const all = steps.map(([step, value]) => ({
        timestampMs: BigInt((timeMs += step)),
        valueBits: bitsOf(value),
      }));
      decoded.decode(encodeXorChunk(all, isReopened));
      const found = Array.from({ length: decoded.count }, (_, i) => ({
        timestampMs: BigInt(decoded.timesMs[i] ?? 0),
        valueBits: (BigInt(decoded.highs[i] ?? 0) << 32n) | BigInt(decoded.lows[i] ?? 0),
      }));
      assert.deepEqual(found, all);
    }),
  );
});

test('any bytes are a chunk as the bit-by-bit decoder reads it, or a range error', () => {
  const decoded = new XorSamples();
  const bytes = fc.uint8Array({ minLength: 0, maxLength: 60 });
  fc.assert(
    fc.property(bytes, fc.integer({ min: 0, max: 9 }), (rest, count) => {
      const chunk = Uint8Array.of(0, count, ...rest);
      try {
        decoded.decode(chunk);
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
        return;
      }
      const reference = decodeXorChunkByBits(chunk);
      assert.equal(reference.length, decoded.count);
      for (const [i, { timestampMs }] of reference.entries())
        assert.equal(Number(timestampMs), decoded.timesMs[i]);
    }),
    { numRuns: 300 },
  );
});
