import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatQuantity, readQuantity, type QuantityFormat } from '../../src/query/index.ts';

const MOST = (2n ** 63n - 1n) * 10n ** 9n;

/** Text, nanos. */
const VALUES: readonly (readonly [string, bigint])[] = [
  ['0', 0n],
  ['-0', 0n],
  ['100m', 100_000_000n],
  ['0.1', 100_000_000n],
  ['.1', 100_000_000n],
  ['1.', 1_000_000_000n],
  ['+1', 1_000_000_000n],
  ['-1.5', -1_500_000_000n],
  ['1n', 1n],
  ['1u', 1000n],
  ['2k', 2_000n * 10n ** 9n],
  ['1.5Gi', 1_610_612_736n * 10n ** 9n],
  ['0.1Gi', 107_374_182_400_000_000n],
  ['.5Gi', 536_870_912n * 10n ** 9n],
  ['1Ki', 1024n * 10n ** 9n],
  ['-3Mi', -3_145_728n * 10n ** 9n],
  ['1E', 10n ** 27n],
  ['1Ei', 2n ** 60n * 10n ** 9n],
  ['12e6', 12n * 10n ** 15n],
  ['12E6', 12n * 10n ** 15n],
  ['1e-3', 1_000_000n],
  ['1e+3', 10n ** 12n],
  ['1.234567891234', 1_234_567_892n],
  ['-0.1n', -1n],
  ['1e-400', 1n],
  ['9223372036854775807', MOST],
  ['9223372036854775808', MOST],
  ['10Ei', MOST],
  ['1e999999', MOST],
  ['0e999999', 0n],
  ['1e000000003', 10n ** 12n],
];

const NONE = [
  '',
  '.',
  '-',
  '+',
  'm',
  'Ki',
  '1K',
  '1ki',
  '1 m',
  ' 1',
  '1 ',
  '1mi',
  '1.2.3',
  '--1',
].concat(['1e1.5', '1e1Ki', '0x10', 'NaN', '1_000', '1,5', '١', '1Zi', '1mm', '1e+-1', '1e', '∞']);

/** Nanos, format, canonical text. */
const TEXTS: readonly (readonly [bigint, QuantityFormat, string])[] = [
  [0n, 'binary', '0'],
  [125_000_000n, 'decimal', '125m'],
  [1_500_000_000n, 'decimal', '1500m'],
  [2_000_000_000n, 'decimal', '2'],
  [1_610_612_736n * 10n ** 9n, 'binary', '1536Mi'],
  [64n * 2n ** 20n * 10n ** 9n, 'binary', '64Mi'],
  [1000n * 10n ** 9n, 'binary', '1k'],
  [1025n * 10n ** 9n, 'binary', '1025'],
  [2048_500_000_000n, 'binary', '2048500m'],
  [12n * 10n ** 15n, 'exponent', '12e6'],
  [1_000_000n, 'exponent', '1e-3'],
  [-2n * 2n ** 30n * 10n ** 9n, 'binary', '-2Gi'],
];

describe('a quantity', () => {
  test('P-K7: is read exactly, rounded away from zero below a nano and cut at 2^63 − 1', () => {
    for (const [text, nanos] of VALUES) assert.equal(readQuantity(text), nanos, text);
  });

  test('refused by the API is undefined', () => {
    for (const text of NONE) assert.equal(readQuantity(text), undefined, `'${text}'`);
  });

  test('has one canonical text for each format', () => {
    for (const [nanos, format, text] of TEXTS) assert.equal(formatQuantity(nanos, format), text);
  });

  test('is read back from its canonical text, which is the shortest without a fraction', () => {
    const formats = fc.constantFrom<QuantityFormat>('binary', 'decimal', 'exponent');
    fc.assert(
      fc.property(fc.bigInt({ min: -MOST, max: MOST }), formats, (nanos, format) => {
        const text = formatQuantity(nanos, format);
        assert.equal(readQuantity(text), nanos, text);
        assert.ok(!text.includes('.'), text);
        assert.equal(formatQuantity(readQuantity(text) ?? 0n, format), text);
      }),
      { numRuns: 20_000 },
    );
  });

  test('P-K7: is the exact fraction of its text, for any number of digits and any suffix', () => {
    const powers = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
    const suffix = fc.constantFrom(...Object.keys(powers), 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei');
    const digits = fc.stringMatching(/^\d{0,12}$/);
    fc.assert(
      fc.property(digits, digits, suffix, (whole, fraction, unit) => {
        const nanos = readQuantity(`${whole}.${fraction}${unit}`);
        if (whole + fraction === '') return assert.equal(nanos, undefined);
        const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].indexOf(unit) + 1;
        const power = powers[unit as keyof typeof powers] ?? 0;
        // As a fraction of nanos: numerator / denominator.
        const numerator =
          BigInt(whole + fraction) * 1024n ** BigInt(binary) * 10n ** BigInt(power + 18);
        const denominator = 10n ** BigInt(fraction.length + 9);
        const expected = (numerator + denominator - 1n) / denominator;
        assert.equal(nanos, expected > MOST ? MOST : expected);
      }),
      { numRuns: 5000 },
    );
  });
});

test('S-8: a number of a million digits is no quantity, and takes no time', () => {
  const fromMs = process.cpuUsage().user;
  assert.equal(readQuantity('9'.repeat(1_000_000)), undefined);
  assert.ok(process.cpuUsage().user - fromMs < 100_000);
  assert.equal(readQuantity('0'.repeat(990) + '1'), 1_000_000_000n);
});
