import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repeatedName } from '../../src/query/text/repeated-name.ts';

/** Text, the repeated name. */
const TEXTS: readonly (readonly [string, string | undefined])[] = [
  ['{}', undefined],
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', undefined],
  ['{"a":1,"a":1}', 'a'],
  ['{"a" \n\t: 1, "b": "a\\":", "\\u0061": 2}', 'a'],
  ['{"a":["a","a",{"b":{},"b":[]}]}', 'b'],
  ['{"a\\\\":1,"a":"\\\\","a\\"":3}', undefined],
  ['{"":1,"":2}', ''],
  ['{"{":"}","[":"]","\\"":":"}', undefined],
  ['["a","a"]', undefined],
];

test('the first name that an object has twice is found, in any notation', () => {
  for (const [text, name] of TEXTS) assert.equal(repeatedName(text), name, text);
});

test('the output of a serializer has no repeated name', () => {
  const layouts = fc.constantFrom(undefined, 2, '\t');
  fc.assert(
    fc.property(fc.jsonValue(), layouts, (value, layout) => {
      assert.equal(repeatedName(JSON.stringify(value, undefined, layout)), undefined);
    }),
    { numRuns: 2000 },
  );
});

test('S-8: the time grows linearly with the text', () => {
  const long = JSON.stringify({ a: '\\"'.repeat(1_000_000), b: '['.repeat(1_000_000) });
  assert.equal(repeatedName(long), undefined);
});
