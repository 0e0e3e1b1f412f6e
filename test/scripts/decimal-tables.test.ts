/** The tables behind the decimals of most doubles. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimalTablesSource, exponentWords, layout } from '../../scripts/decimal-tables.ts';

test('a factor is what 2^(q - 10) is of a unit, exactly, and half a unit is rounded down', () => {
  for (let q = -69; q <= -4; q++) {
    const [middle = 0, high = 0, low = 0, half = 0] = exponentWords(q).map(BigInt);
    const factor = (BigInt(high) << 64n) | (BigInt(middle) << 32n) | BigInt(low);
    // The unit is the least power of ten above 2^q: 10^-places.
    const places = -(Math.floor(q * Math.log10(2)) + 1);
    const unit = 10n ** BigInt(places);
    assert.ok(unit <= 2n ** BigInt(-q) && 10n * unit > 2n ** BigInt(-q), `the unit of 2^${q}`);
    assert.equal(factor << BigInt(10 - q), unit << 96n, `2^${q}`);
    const shift = BigInt(1 - q);
    assert.equal(BigInt(half), (unit << 32n) >> shift, `half of 2^${q}`);
  }
});

/** Seventeen digits as the kernel lays them out: sixteen by the table, then the last. */
function laidOut(place: number, digits: string): { text: string; length: number } {
  const bytes = layout(place, digits.startsWith('0'));
  const word = (i: number): number => new DataView(Uint8Array.from(bytes).buffer).getInt32(i, true);
  const [start, added] = [word(32), word(36)];
  const out = '0.000000'.padEnd(40).split('');
  out.splice(start + added, 17, ...digits.split(''));
  const window = bytes
    .slice(0, 16)
    .map((from, i) =>
      from === 0xff ? String.fromCharCode(bytes[16 + i] ?? 0) : (digits[from] ?? ''),
    );
  out.splice(start, 16, ...window);
  const count = digits.length;
  return { text: out.join(''), length: start + (count > word(40) ? count + added : word(44)) };
}

test('seventeen digits stand around their point', () => {
  for (let place = -5; place <= 14; place++) {
    for (const digits of ['12345678901234567', '02345678901234567']) {
      const { text, length } = laidOut(place, digits);
      const point = '0'.repeat(Math.max(0, -place)) + digits;
      const at = Math.max(1, place + 1);
      const whole = point.slice(0, at).replace(/^0(?=.)/, '');
      assert.equal(text.slice(0, length), `${whole}.${point.slice(at)}`, `${digits}e${place}`);
    }
  }
});

test('the source has an entry an exponent and two layouts a place', () => {
  const [exponents = '', layouts = ''] = decimalTablesSource().split('LAYOUTS: usize');
  assert.equal(exponents.match(/\d+,/g)?.length, 66 * 8);
  assert.equal(layouts.match(/\d+,/g)?.length, 40 * 48);
});
