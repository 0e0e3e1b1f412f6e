import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { crc32c, crcOfMore } from '../../src/tsdb/format/crc32c.ts';
import { XorAppender } from '../../src/tsdb/index.ts';
import { crc32cByBits } from '../support/stores/chunked-frames.ts';
import { bitsOf, encodeXorChunk } from '../support/stores/xor-encoder.ts';

interface Point {
  readonly step: number;
  readonly value: number;
}

/** Values of every size, some repeated, and neighbours that differ in few bits. */
const value = fc.oneof(
  fc.double(),
  fc.constantFrom(0, 1, 1.5, 2 ** 32, -1, -0, Infinity, NaN),
  fc.integer({ min: 0, max: 2 ** 31 }),
  fc.integer({ min: 0, max: 1000 }).map((n) => 1e6 + n / 1e9),
);

/** Steps of a scrape, jittered, and around the bounds of each class, to 100 years. */
const step = fc.oneof(
  fc.constantFrom(15_000, 30_000, 60_000),
  fc.integer({ min: 29_980, max: 30_020 }),
  fc.constantFrom(8_192, 8_193, 65_536, 65_537, 524_287, 524_288, 524_289, 1_048_577),
  fc.integer({ min: 1, max: 3_155_760_000_000 }),
);
const points = fc.array(fc.record({ step, value }), { minLength: 1, maxLength: 130 });
const startMs = fc.constantFrom(1_710_000_000_000, 0, -1, -60_000_000_000_000, 7);

/** Every chunk on the way: finishing one takes nothing away from what follows. */
function assertSame(from: number, all: readonly Point[], isFinishedEachTime: boolean): void {
  const appender = new XorAppender();
  const samples: { timestampMs: bigint; valueBits: bigint }[] = [];
  let timeMs = from;
  for (const [i, point] of all.entries()) {
    if (i > 0) timeMs += point.step;
    appender.append(timeMs, point.value);
    samples.push({ timestampMs: BigInt(timeMs), valueBits: bitsOf(point.value) });
    if (!isFinishedEachTime && i < all.length - 1) continue;
    const chunk = appender.finish();
    assert.deepEqual(Buffer.from(chunk.bytes), Buffer.from(encodeXorChunk(samples)));
    assert.deepEqual([chunk.minTimeMs, chunk.maxTimeMs], [from, timeMs]);
  }
}

test('an appended chunk is the reference encoder’s, bit by bit', () => {
  const property = fc.property(startMs, points, (from, all) => assertSame(from, all, false));
  fc.assert(property, { numRuns: 150 });
});

test('a chunk that is finished may grow on', () => {
  const few = fc.array(fc.record({ step, value }), { minLength: 1, maxLength: 12 });
  fc.assert(fc.property(startMs, few, (from, all) => assertSame(from, all, true)));
});

test('samples out of order, and too many of them, are mistakes of the caller', () => {
  const appender = new XorAppender();
  appender.append(5, 1);
  for (const timeMs of [5, 4, NaN]) assert.throws(() => appender.append(timeMs, 1), /^Error: BUG:/);
  for (let i = 1; i < 65_535; i++) appender.append(5 + i, 1);
  assert.deepEqual([...appender.finish().bytes.subarray(0, 2)], [255, 255]);
  assert.throws(() => appender.append(1e6, 1), /^Error: BUG: a chunk of too many samples/);
});

test('the checksum by tables is the bit-by-bit one, for any part of the bytes', () => {
  const property = fc.property(fc.uint8Array({ maxLength: 90 }), fc.nat(9), (bytes, from) => {
    const start = Math.min(from, bytes.length);
    assert.equal(crc32c(bytes, start), crc32cByBits(bytes.subarray(start)));
  });
  fc.assert(property);
});

test('the checksum of a part goes on to that of both', () => {
  const part = fc.uint8Array({ maxLength: 40 });
  const property = fc.property(part, part, (a, b) => {
    const both = crcOfMore(crc32c(a), b, 0, b.length);
    assert.equal(both, crc32c(Buffer.concat([a, b])));
  });
  fc.assert(property);
});
