import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  Arena,
  compileKernels,
  createEngine,
  instantiateKernels,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import {
  bitsOf,
  decodeXorChunkByBits,
  encodeXorChunk,
  type Sample,
} from '../../support/stores/xor-encoder.ts';

const engine = createEngine(compileKernels(), dirtyMemory(16 << 20), 1);
const { arena } = engine;
const DAMAGED = -1;
const NO_ROOM = -2;
const ROOM = 65536;
const GUARD = 0x5a5a5a5a;
const chunkAt = arena.allocate(2 << 20, 1);
/** A guard word before and after each of both columns. */
const timesAt = arena.allocate(ROOM * 8 + 16, 1) + 8;
const valuesAt = arena.allocate(ROOM * 8 + 16, 1) + 8;
const STALE = 0x7ff0000000000002n;

function decode(chunk: Uint8Array, room: number, padding = 255): number {
  arena.u8(chunkAt, chunk.length + 8).fill(padding);
  arena.u8(chunkAt, chunk.length).set(chunk);
  const guards = [timesAt, valuesAt].flatMap((at) => [
    arena.u32(at - 8, 2),
    arena.u32(at + room * 8, 2),
  ]);
  for (const guard of guards) guard.fill(GUARD);
  const samples = engine.kernels.decodeXorChunk(chunkAt, chunk.length, timesAt, valuesAt, room);
  for (const guard of guards)
    assert.deepEqual([...guard], [GUARD, GUARD], 'wrote outside its room');
  return samples;
}

function assertDecodes(chunk: Uint8Array, samples: readonly Sample[]): void {
  assert.equal(decode(chunk, samples.length), samples.length);
  const times = arena.f64(timesAt, samples.length);
  const values = new BigUint64Array(arena.buffer, arena.placeOf(valuesAt), samples.length);
  samples.forEach(({ timestampMs, valueBits }, i) => {
    assert.equal(times[i], Number(timestampMs), `timestamp ${i}`);
    assert.equal(values[i], valueBits, `value ${i}`);
  });
}

function roundTrip(samples: readonly Sample[]): void {
  for (const reopened of [false, true]) {
    const chunk = encodeXorChunk(samples, reopened);
    assert.deepEqual(decodeXorChunkByBits(chunk), samples);
    assertDecodes(chunk, samples);
  }
}

const T0 = 1_767_225_600_000n;

function samplesOf(deltasMs: readonly bigint[], values: readonly bigint[]): Sample[] {
  let timestampMs = T0;
  return deltasMs.map((deltaMs, i) => {
    timestampMs = BigInt.asIntN(64, timestampMs + deltaMs);
    return { timestampMs, valueBits: values[i % values.length] ?? 0n };
  });
}

const delta = fc.oneof(
  { weight: 6, arbitrary: fc.constant(60_000n) },
  { weight: 2, arbitrary: fc.bigInt({ min: 59_990n, max: 60_010n }) },
  { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 1n << 20n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }) },
);
const valueBits = fc.oneof(
  fc.constantFrom(...[0, -0, 1, Infinity, -Infinity, NaN, 5e-324, 1e-310].map(bitsOf), STALE),
  fc.double().map(bitsOf),
  fc.nat(1000).map(bitsOf),
  fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
);
const anySamples = fc.array(fc.tuple(delta, valueBits), { maxLength: 200 }).map((rows) =>
  samplesOf(
    rows.map(([deltaMs]) => deltaMs),
    rows.map(([, bits]) => bits),
  ),
);

test('decodeXorChunk returns each bit of the encoded samples', () => {
  const minute = Array.from({ length: 120 }, () => 60_000n);
  const rows: [string, bigint[], bigint[]][] = [
    ['nothing', [], []],
    ['one sample', [0n], [bitsOf(1.5)]],
    ['two samples', [0n, 15_000n], [bitsOf(1.5), bitsOf(2)]],
    ['a constant', minute, [bitsOf(2 ** 30)]],
    ['two constants and a stale marker', minute, [bitsOf(1), bitsOf(1), bitsOf(1), STALE]],
    ['every sign of nothing', minute, [0, -0, Infinity, -Infinity, NaN, 5e-324].map(bitsOf)],
    ['NaNs of every payload', minute, [0x7ff8000000000001n, STALE, 0xfff0000000000001n]],
    ['all 64 bits significant', minute, [0n, (1n << 63n) | 1n]],
    ['all 64 bits twice', minute, [0n, (1n << 63n) | 1n, 0n, (1n << 63n) | 3n]],
    ['before 1970', [-T0 - 5n, 1n, 1n], [0n]],
    ['times beyond 2^53', [1n << 60n, ...minute], [bitsOf(1), bitsOf(2)]],
    ['distances beyond 2^36', [0n, ...minute.map(() => (1n << 40n) + 1n)], [bitsOf(1), bitsOf(2)]],
    ['times across 0', [-T0 - 300_000n, ...minute], [bitsOf(1)]],
  ];
  for (const [name, deltas, values] of rows) {
    assert.doesNotThrow(() => roundTrip(samplesOf(deltas, values)), name);
  }
});

test('decodeXorChunk reads the ends of every class of delta of delta', () => {
  const ends = [13n, 16n, 19n].flatMap((bits) => [1n << bits, (1n << bits) + 1n]);
  const deltasOfDelta = [...ends, ...ends.map((end) => 1n - end), 1n << 62n, -(1n << 62n)];
  for (const dod of deltasOfDelta) {
    roundTrip(samplesOf([0n, 60_000n, 60_000n + dod, 60_000n, 60_000n], [bitsOf(7)]));
  }
});

test('decodeXorChunk equals the bit-by-bit reference for any samples', () => {
  fc.assert(fc.property(anySamples, roundTrip), { numRuns: 300 });
});

test('decodeXorChunk refuses a chunk cut off at any length', () => {
  fc.assert(
    fc.property(anySamples, fc.constantFrom(0, 255), (samples, padding) => {
      const chunk = encodeXorChunk(samples);
      for (let length = 0; length < chunk.length; length++) {
        assert.equal(decode(chunk.subarray(0, length), samples.length, padding), DAMAGED);
      }
    }),
  );
});

test('decodeXorChunk asks for more room before it writes', () => {
  const chunk = encodeXorChunk(samplesOf([0n, 1n, 1n], [0n]));
  assert.equal(decode(chunk, 2), NO_ROOM);
  assert.equal(decode(chunk, 0), NO_ROOM);
});

test('decodeXorChunk refuses numbers and windows that do not fit in 64 bits', () => {
  const long = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80];
  const value = [0, 0, 0, 0, 0, 0, 0, 0];
  const rows: [string, number[]][] = [
    ['a timestamp of 65 bits', [0, 1, ...long, 2, ...value]],
    ['a timestamp of 11 bytes', [0, 1, ...long, 0x80, 0, ...value]],
    ['a delta of 65 bits', [0, 2, 0, ...value, ...long, 2, 0]],
    ['a window of 31 and 63 bits', [0, 2, 0, ...value, 1, 0xff, 0xff, ...value]],
  ];
  for (const [name, bytes] of rows) assert.equal(decode(Uint8Array.from(bytes), 10), DAMAGED, name);
});

test('decodeXorChunk reads random bytes like the reference, or refuses them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(40), (body, count) => {
      const chunk = Uint8Array.from([0, count, ...body]);
      const samples = decode(chunk, 30);
      if (samples >= 0) assertDecodes(chunk, decodeXorChunkByBits(chunk));
      else assert.ok(samples === (count > 30 ? NO_ROOM : DAMAGED), `${samples} of ${count}`);
    }),
    { numRuns: 3000 },
  );
});

test('decodeXorChunk at the very end of the memory never traps', () => {
  const edge = new Arena(dirtyMemory(2 << 20));
  const kernels = instantiateKernels(compileKernels(), edge.memory);
  const at = edge.allocate(8192, 1);
  const endAt = edge.buffer.byteLength - 8;
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 2, maxLength: 60 }), (chunk) => {
      const start = endAt - chunk.length;
      edge.u8(start, chunk.length).set([0, 40, ...chunk.subarray(2)]);
      const samples = kernels.decodeXorChunk(start, chunk.length, at, at + 4096, 40);
      assert.ok(samples === 40 || samples === DAMAGED, `${samples}`);
    }),
    { numRuns: 3000 },
  );
});

test('decodeXorChunk reads a million samples in chunks of 120', () => {
  const kinds = [0, 1, 2, 3].map((kind) =>
    samplesOf(
      Array.from({ length: 120 }, (_, i) => 15_000n + BigInt(kind * ((i * 7919) % 9))),
      Array.from({ length: 120 }, (_, i) => bitsOf(kind * i * 1234.5 + (i % (kind + 1)))),
    ),
  );
  const chunks = kinds.map((samples) => encodeXorChunk(samples));
  let samples = 0;
  for (let i = 0; samples < 1_000_000; i++) {
    const chunk = chunks[i & 3] ?? new Uint8Array(0);
    if (i < 400) assertDecodes(chunk, kinds[i & 3] ?? []);
    samples += decode(chunk, 120);
  }
  assert.ok(samples >= 1_000_000, `${samples}`);
});
