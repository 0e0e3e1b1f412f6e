import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { JsonScan, type JsonPlace } from '../../src/metrics/readers/json-scan.ts';
import { CODE_POINT } from '../support/arbitraries/unicode.ts';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** The events of a scan as flat text: opens, fields with values, closes. */
function recorded(): { place: JsonPlace; seen: string[] } {
  const seen: string[] = [];
  const place: JsonPlace = {
    get anyField() {
      return place;
    },
    get item() {
      return place;
    },
    enter: () => void seen.push('open'),
    leave: () => void seen.push('close'),
    value: (token) => void seen.push(`${token.field}=${token.isNull ? 'null' : token.text()}`),
  };
  return { place, seen };
}

/** The same from the result of JSON.parse. */
function expected(value: Json, field = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${field}=${String(value)}`];
  const inner = Array.isArray(value)
    ? value.map((item) => expected(item))
    : Object.entries(value).map(([name, each]) => expected(each, name));
  return ['open', ...inner.flat(), 'close'];
}

function scan(place: JsonPlace, text: Uint8Array, cuts: readonly number[] = []): JsonScan {
  const scanned = new JsonScan(place);
  const edges = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length];
  edges.sort((a, b) => a - b);
  edges.slice(1).forEach((to, i) => scanned.push(text.subarray(edges[i], to)));
  scanned.finish();
  return scanned;
}

const json = fc.jsonValue({ maxDepth: 5, stringUnit: CODE_POINT }) as fc.Arbitrary<Json>;

describe('the scan', () => {
  test('finds the same as JSON.parse, for any chunks of the text', () => {
    const containers = json.filter((value) => typeof value === 'object' && value !== null);
    fc.assert(
      fc.property(
        containers,
        fc.constantFrom(undefined, 1),
        fc.array(fc.nat()),
        (value, indent, cuts) => {
          const text = JSON.stringify(value, undefined, indent);
          const { place, seen } = recorded();
          scan(place, Buffer.from(text), cuts);
          // By the text, since it has no -0 and no lone surrogates.
          assert.deepEqual(seen, expected(JSON.parse(text) as Json));
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('reads lines of documents, and counts them', () => {
    const { place, seen } = recorded();
    assert.equal(scan(place, Buffer.from('{"a":1}\n{"a":2}\n\n[]'), [9]).documents, 3);
    assert.deepEqual(seen, ['open', 'a=1', 'close', 'open', 'a=2', 'close', 'open', 'close']);
  });

  test('an incomplete document is refused as cut off', () => {
    const text = Buffer.from('{"a":[1,"x\\"y",{"b":null}],"c":-1.5e3}');
    for (let end = 1; end < text.length; end++)
      assert.throws(() => scan(recorded().place, text.subarray(0, end)), { kind: 'cut off' });
  });

  test('a string of one megabyte in pieces of one kilobyte is read', () => {
    const long = 'é"'.repeat(350_000);
    const text = Buffer.from(JSON.stringify([long]));
    const { place, seen } = recorded();
    const cuts = Array.from({ length: text.length >> 10 }, (_, i) => i << 10);
    scan(place, text, cuts);
    assert.equal(seen[1], `=${long}`);
  });
});

const DAMAGED: readonly (readonly [what: string, text: string])[] = [
  ['a bracket of the other kind', '[1}'],
  ['a bracket too many', '[1]]'],
  ['a comma at the end of an array', '[1,]'],
  ['a comma at the end of an object', '{"a":1,}'],
  ['two commas', '[1,,2]'],
  ['a comma at first', '[,1]'],
  ['a comma between documents', '{},{}'],
  ['a field without a value', '{"a"}'],
  ['a field without a colon', '{"a" 1}'],
  ['a value without a field', '{1}'],
  ['a field that is no string', '{a:1}'],
  ['two values without a comma', '[1 2]'],
  ['an unknown escape', '["\\q"]'],
  ['a line end inside of an escaped string', '["\\n\n"]'],
  ['65 brackets', '['.repeat(65)],
  ['a string without end', `["${'x'.repeat(5 * 1024 * 1024)}`],
];

for (const [what, text] of DAMAGED)
  test(`${what} is refused as damage`, () => {
    assert.throws(() => scan(recorded().place, Buffer.from(text)), { kind: 'damaged' });
  });

const NUMBER: JsonPlace = { value: () => undefined };
const SHAPE: JsonPlace = {
  fields: new Map([
    ['list', { item: NUMBER }],
    ['one', NUMBER],
  ]),
};

const SHAPES: readonly (readonly [text: string, fits: boolean])[] = [
  ['{"list":[1],"one":2}', true],
  ['{"list":null,"one":null}', true],
  ['{"other":{"list":{"deep":[[]]}},"list":[]}', true],
  ['{"list":{}}', false],
  ['{"list":1}', false],
  ['{"one":[]}', false],
  ['[]', false],
  ['5 ', false],
];

for (const [text, fits] of SHAPES)
  test(`${text} ${fits ? 'fits' : 'does not fit'} the shape`, () => {
    const act = (): unknown => scan(SHAPE, Buffer.from(text));
    if (fits) assert.doesNotThrow(act);
    else assert.throws(act, { name: 'BrokenJson', kind: 'damaged' });
  });
