/** Numbers of byte strings, also with useless hashes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KnownBytes } from '../../../src/columnar/table/known-bytes.ts';

/** Any function of the bytes is a valid hash. */
const HASHES: Readonly<Record<string, (bytes: Buffer) => number>> = {
  'are all the same': () => 0xffffffff,
  'are the length': (bytes) => bytes.length,
  'are the first byte, high': (bytes) => ((bytes[0] ?? 0) << 24) >>> 0,
  'are good': (bytes) => bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 1),
};

/** Strings one after the other, so that they begin anywhere. */
const anyStrings = fc.array(
  fc
    .tuple(fc.nat(3), fc.uint8Array({ maxLength: 20 }), fc.nat(3))
    .map(([byte, bytes, end]) => Buffer.from([byte, ...bytes.map((one) => one & 1), end])),
  { maxLength: 60 },
);

for (const [what, hash] of Object.entries(HASHES))
  test(`equal bytes have the same number, and different bytes different ones, where hashes ${what}`, () => {
    fc.assert(
      fc.property(anyStrings, fc.nat(9), (strings, offset) => {
        const bytes = Buffer.from(Buffer.concat([Buffer.alloc(offset), ...strings]));
        const known = new KnownBytes(bytes.subarray(offset));
        const expected = new Map<string, number>();
        let at = 0;
        for (const string of [...strings, ...strings]) {
          if (at === bytes.length - offset) at = 0;
          const key = string.toString('hex');
          if (!expected.has(key)) expected.set(key, expected.size);
          assert.equal(known.number(at, at + string.length, hash(string)), expected.get(key));
          at += string.length;
        }
        assert.equal(known.size, expected.size);
      }),
    );
  });

test('twenty thousand strings are told apart, the first and the second time', () => {
  const bytes = Buffer.alloc(16 * 20_000);
  for (let i = 0; i < 20_000; i++) bytes.writeUInt32LE(i, 16 * i + 9);
  const known = new KnownBytes(bytes);
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 20_000; i++)
      // A hash for each eight of them.
      assert.equal(known.number(16 * i, 16 * i + 16, Math.imul(i >> 3, 0x9e3779b1) >>> 0), i);
});
