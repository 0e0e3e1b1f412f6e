import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDecimal, parseValue } from '../../src/metrics/readers/decimal.ts';

/** Parses the text in the middle of other bytes, as in an answer. */
function parsed(text: string): number {
  const bytes = Buffer.from(`9${text}9`);
  return parseDecimal(bytes, 1, bytes.length - 1);
}

const digits = fc.stringMatching(/^\d{1,25}$/);
const exponent = fc.oneof(
  fc.constant(''),
  fc.integer({ min: -400, max: 400 }).map((n) => `e${n}`),
  fc.integer({ min: 0, max: 30 }).map((n) => `E+${n}`),
);

test('each number of JSON is read like by JSON.parse, to the bit', () => {
  const json = fc
    .tuple(fc.constantFrom('', '-'), fc.stringMatching(/^(0|[1-9]\d{0,24})$/), digits, exponent)
    .chain(([sign, whole, fraction, power]) =>
      fc.constantFrom(`${sign}${whole}${power}`, `${sign}${whole}.${fraction}${power}`),
    );
  fc.assert(
    fc.property(json, (text) => {
      assert.ok(Object.is(parsed(text), JSON.parse(text)), text);
    }),
    { numRuns: 5000 },
  );
});

test('each double in its shortest form is read back', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = Object.is(value, -0) ? '-0' : String(value);
      assert.ok(Object.is(parsed(text), value), text);
    }),
    { numRuns: 5000 },
  );
});

const EDGES = [
  '9007199254740991',
  '9007199254740993',
  '9007199254740980',
  '900719925474099.5',
  '0.3',
  '1e22',
  '1e23',
  '1e-22',
  '123456789012345e-23',
  '0.000000000000000000000001',
  '5e-324',
  '2.4703282292062327e-324',
  '1.7976931348623157e308',
  '1e99999',
  '-0.0',
];

for (const text of EDGES)
  test(`${text} is read to the bit`, () => {
    assert.ok(Object.is(parsed(text), Number(text)), text);
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
  '--1',
  '1-1',
])
  test(`'${text}' is not a number`, () => {
    assert.ok(Number.isNaN(parsed(text)), text);
  });

const VALUES: readonly (readonly [string, number | undefined])[] = [
  ['1.5', 1.5],
  ['NaN', Number.NaN],
  ['+Inf', Infinity],
  ['-Inf', -Infinity],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
  ['nope', undefined],
  ['', undefined],
];

for (const [text, value] of VALUES)
  test(`the value '${text}' is ${value}`, () => {
    const bytes = Buffer.from(text);
    assert.ok(Object.is(parseValue(bytes, 0, bytes.length), value), String(value));
  });
