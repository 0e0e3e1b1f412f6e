/** Values as the reader of matrices reads them, against Number. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { jsonNumber, valueText } from '../../support/arbitraries/matrix-texts.ts';
import { readMatrix } from '../../support/references/matrix-reading.ts';
import { plainMatrix } from '../../support/references/matrix-reference.ts';

function readValue(text: string): number | undefined {
  return readMatrix(Buffer.from(`{"values":[[1,"${text}"]]}]`)).series[0]?.values[0];
}

describe('a value', () => {
  test('is read as Number reads it, to the bit', () => {
    fc.assert(
      fc.property(fc.oneof(jsonNumber, valueText), (text) => {
        const [expected] = plainMatrix(`{"values":[[1,"${text}"]]}]`);
        assert.ok(Object.is(readValue(text), expected?.values[0]), text);
      }),
      { numRuns: 6000 },
    );
  });

  test('half way between two doubles, or next to that, is read as Number reads it', () => {
    const bits = fc.bigInt({ min: 1n, max: 0x7feffffffffffffen });
    fc.assert(
      fc.property(bits, fc.integer({ min: 16, max: 25 }), (some, digits) => {
        const view = new DataView(new BigUint64Array([some, some + 1n]).buffer);
        const [low, high] = [view.getFloat64(0, true), view.getFloat64(8, true)];
        // Digits of their middle, which a double cannot hold: worked out in 1100 bits.
        const middle = decimalOfMiddle(low, high, digits);
        assert.ok(Object.is(readValue(middle), Number(middle)), middle);
      }),
      { numRuns: 3000 },
    );
  });

  // prettier-ignore
  const EDGES = [
    '0', '-0', '0.0', '-0.0', '0e999', '00000000000000000000000001', '9007199254740991', '9007199254740992',
    '9007199254740993', '9007199254740995', '18446744073709551615', '18446744073709551616', '99999999999999999999',
    '0.3', '1e22', '1e23', '1e-22', '1e-23', '123456789012345e-23', '0.000000000000000000000001', '5e-324', '2.4703282292062327e-324',
    '2.4703282292062328e-324', '2.2250738585072014e-308', '2.2250738585072011e-308', '1.7976931348623157e308',
    '1.7976931348623159e308', '1e308', '1e309', '1e99999', '1e-99999', '1e000000000000001', '8.5', '12345678.87654321',
    '100000000000000000000000000000000000000000000', '0.0000000000000000000000000000000000012345678901234567',
    '1.00000000000000011102230246251565404236316680908203125', '1.00000000000000011102230246251565404236316680908203124',
  ];
  for (const text of EDGES)
    test(`${text} is read to the bit`, () => {
      for (const sign of text.startsWith('-') ? [''] : ['', '-', '+'])
        assert.ok(Object.is(readValue(sign + text), Number(sign + text)), sign + text);
    });

  for (const text of [
    '',
    '-',
    '+',
    '.',
    'e5',
    '1e',
    '1e+',
    '1.2.3',
    '0x10',
    '1_0',
    ' 1',
    '1 ',
    '--1',
    '1-1',
    'nan',
    'inf',
    'NaNs',
    '1\\u0000',
    '٣',
  ])
    // prettier-ignore
    test(`'${text}' is no value`, () => {
      assert.throws(() => readValue(text));
    });
});

/** The digits of the middle of two doubles, and then of it a little up or down. */
function decimalOfMiddle(low: number, high: number, digits: number): string {
  const [a, b] = [exact(low), exact(high)];
  const power = Math.min(a.power, b.power) - 1;
  const sum = (a.mantissa << BigInt(a.power - power)) + (b.mantissa << BigInt(b.power - power));
  const middle = sum / 2n;
  // middle x 2^power as digits x 10^exponent, cut.
  const scaled = power < 0 ? middle * 5n ** BigInt(-power) : middle << BigInt(power);
  const text = scaled.toString();
  const exponent = text.length - digits + (power < 0 ? power : 0);
  return `${text.slice(0, digits)}e${exponent}`;
}

function exact(value: number): { mantissa: bigint; power: number } {
  const view = new DataView(new Float64Array([value]).buffer);
  const bits = view.getBigUint64(0, true);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = bits & 0xfffffffffffffn;
  return exponent === 0
    ? { mantissa, power: -1074 }
    : { mantissa: mantissa | 0x10000000000000n, power: exponent - 1075 };
}
