import { test } from 'node:test';
import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { checksumOf, compileKernels, createEngine } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const engine = createEngine(compileKernels(), dirtyMemory(4 << 20), 1);
const sumOf = checksumOf(engine);
const room = 1 << 20;
const at = engine.arena.allocate(room, 1);

function placed(length: number, offset: number, seed: number): Uint8Array {
  const bytes = engine.arena.u8(at + offset, length);
  for (let i = 0; i < length; i++) bytes[i] = Math.imul(i + seed, 0x9e3779b1) >>> (13 + (i % 7));
  return bytes;
}

test('the checksum is that of zlib for any bytes of any length at any alignment', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(15), fc.nat(), (length, offset, seed) => {
      const bytes = placed(length, offset, seed);
      assert.equal(sumOf(bytes), crc32(bytes));
    }),
  );
});

test('the checksum is that of zlib around each length at which the method changes', () => {
  const block = 16 * 1280;
  for (const length of [9600, 32_768, block + 4800, 2 * block, 2 * block + 4800, 400_000]) {
    for (let by = -17; by <= 17; by++) {
      const bytes = placed(length + by, 3, by + 17);
      assert.equal(sumOf(bytes), crc32(bytes), `${length + by} bytes`);
    }
  }
});

test('the checksum of zeros, of ones and of bytes outside of the arena is that of zlib', () => {
  const bytes = engine.arena.u8(at, 50_000);
  assert.equal(sumOf(bytes.fill(0)), crc32(Buffer.alloc(50_000)), 'zeros');
  assert.equal(sumOf(bytes.fill(255)), crc32(Buffer.alloc(50_000, 255)), 'ones');
  assert.equal(sumOf(Buffer.alloc(50_000, 7)), crc32(Buffer.alloc(50_000, 7)), 'not in the arena');
});

test('each changed bit of a long column changes its checksum', () => {
  const bytes = placed(40_003, 0, 1);
  const whole = sumOf(bytes);
  for (let bit = 0; bit < 8 * bytes.length; bit += 997) {
    const [byte, mask] = [bit >> 3, 1 << (bit & 7)];
    bytes[byte] = (bytes[byte] ?? 0) ^ mask;
    assert.notEqual(sumOf(bytes), whole, `bit ${bit}`);
    bytes[byte] = (bytes[byte] ?? 0) ^ mask;
  }
});
