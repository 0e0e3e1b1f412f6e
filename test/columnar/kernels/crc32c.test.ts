import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileKernels, createEngine } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const engine = createEngine(compileKernels(), dirtyMemory(4 << 20), 1);
const room = 1 << 20;
const at = engine.arena.allocate(room, 1);

/** Bit by bit, as RFC 3720 appendix B.4 defines it. */
function crc32cByBits(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) {
    c ^= byte;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
  }
  return ~c >>> 0;
}

function crc32c(bytes: Uint8Array, offset = 0): number {
  engine.arena.u8(at + offset, bytes.length).set(bytes);
  return engine.kernels.crc32c(engine.crcTable, at + offset, bytes.length) >>> 0;
}

test('crc32c gives the check values of RFC 3720', () => {
  const rows: [string, Uint8Array, number][] = [
    ['nothing', new Uint8Array(0), 0],
    ['"123456789"', Buffer.from('123456789'), 0xe3069283],
    ['32 zeros', new Uint8Array(32), 0x8a9136aa],
    ['32 ones', new Uint8Array(32).fill(255), 0x62a8ab43],
    ['0 to 31', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  ];
  for (const [name, bytes, expected] of rows) assert.equal(crc32c(bytes), expected, name);
});

test('crc32c equals the bit-by-bit reference for any bytes at any alignment', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(15), (bytes, offset) => {
      assert.equal(crc32c(bytes, offset), crc32cByBits(bytes));
    }),
  );
});

test('crc32c equals the reference for any length, whatever came before', () => {
  const noise = Uint8Array.from(
    { length: 40_000 },
    (_, i) => (Math.imul(i, 2654435761) ^ i) >>> 13,
  );
  const length = fc.oneof(fc.integer({ min: 1000, max: 1100 }), fc.nat(20_000));
  fc.assert(
    fc.property(length, fc.nat(15), fc.nat(20_000), (bytes, offset, from) => {
      const part = noise.subarray(from, from + bytes);
      assert.equal(crc32c(part, offset), crc32cByBits(part));
    }),
  );
});

test('crc32c of a million bytes equals the reference', () => {
  const bytes = Uint8Array.from({ length: 1_000_000 }, (_, i) => (i * 2654435761) >>> 24);
  assert.equal(crc32c(bytes, 3), crc32cByBits(bytes));
});
