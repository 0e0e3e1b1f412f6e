import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { crc32c } from '../../bench/byte-writer.ts';
import { XorWriter } from '../../bench/xor-writer.ts';
import { crc32cByBits } from '../support/stores/chunked-frames.ts';
import { bitsOf, encodeXorChunk } from '../support/stores/xor-encoder.ts';

const START_MS = 1_710_000_000_000;

function assertSame(steps: readonly number[], values: Float64Array, writer: XorWriter): void {
  let timeMs = START_MS;
  const timesMs = Float64Array.from(values, (_, i) => (timeMs += steps[i] ?? 60_000));
  const written = writer.chunk(timesMs, new Uint32Array(values.buffer), 0, values.length);
  const samples = Array.from(values, (value, i) => ({
    timestampMs: BigInt(timesMs[i] ?? 0),
    valueBits: bitsOf(value),
  }));
  assert.deepEqual(Buffer.from(written), Buffer.from(encodeXorChunk(samples)));
}

/** Values of every size, some repeated, and neighbours that differ in few bits. */
const value = fc.oneof(
  fc.double({ noNaN: true }),
  fc.constantFrom(0, 1, 1.5, 2 ** 32, -1),
  fc.integer({ min: 0, max: 2 ** 31 }),
  fc.integer({ min: 0, max: 1000 }).map((n) => 1e6 + n / 1e9),
);

test('a written chunk is the reference encoder’s, bit by bit', () => {
  const writer = new XorWriter();
  const steps = fc.array(fc.integer({ min: 1, max: 500_000 }), { maxLength: 120 });
  const values = fc.array(value, { minLength: 1, maxLength: 120 });
  fc.assert(
    fc.property(steps, values, (s, v) => assertSame(s, Float64Array.from(v), writer)),
    { numRuns: 300 },
  );
});

test('the table-driven checksum is the bit-by-bit one', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => crc32c(bytes) === crc32cByBits(bytes)));
});
