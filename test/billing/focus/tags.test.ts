import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { flatTags } from '../../../src/billing/focus/tags.ts';

const SPELLINGS: readonly (readonly [given: string, flat: string])[] = [
  ['{"b": "2", "a": "1"}', '{"a":"1","b":"2"}'],
  ['"a": "1", "b": "2"', '{"a":"1","b":"2"}'],
  ['[{"key":"a","value":"1"}]', '{"a":"1"}'],
  ['{"a": 1, "b": true, "c": null}', '{"a":"1","b":"true","c":""}'],
  ['{"__proto__": "x"}', '{"__proto__":"x"}'],
  ['{}', ''],
  ['[]', ''],
];
for (const [given, flat] of SPELLINGS)
  test(`${given} is ${flat === '' ? 'nothing' : flat}`, () => assert.equal(flatTags(given), flat));

test('flat tags stay as they are', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), (tags) => {
      const flat = flatTags(JSON.stringify(tags));
      assert.equal(flat === '' ? '' : flatTags(flat ?? ''), flat);
    }),
  );
});
