/** The table behind shortest decimals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstBits, powersOfTenSource } from '../../scripts/powers-of-ten.ts';

test('each power of ten is cut to its first 128 bits', () => {
  for (let exponent = -293; exponent <= 325; exponent++) {
    const bits = firstBits(exponent);
    assert.equal(bits.toString(2).length, 128, `10^${exponent}`);
    // bits x 2^scale <= 10^exponent < (bits + 1) x 2^scale, in whole numbers.
    const scale = Math.floor(exponent * Math.log2(10)) - 127;
    const [left, right] = [scaled(exponent, 10n), scaled(scale, 2n)];
    const value = left.above * right.below;
    assert.ok(bits * right.above * left.below <= value, `10^${exponent} is not less`);
    assert.ok((bits + 1n) * right.above * left.below > value, `10^${exponent} is not more`);
  }
});

/** base^exponent as a fraction. */
function scaled(exponent: number, base: bigint): { above: bigint; below: bigint } {
  const power = base ** BigInt(Math.abs(exponent));
  return exponent < 0 ? { above: 1n, below: power } : { above: power, below: 1n };
}

test('the source has two halves a power', () => {
  assert.equal(powersOfTenSource().match(/0x[0-9a-f]+/g)?.length, 2 * 619);
});
