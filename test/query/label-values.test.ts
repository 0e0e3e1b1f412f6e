import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { labelValues, storeName } from '../../src/query/index.ts';

const CASES: readonly (readonly [cell: string, name: string, values: readonly string[]])[] = [
  ['', 'app', []],
  ['{}', 'app', []],
  ['{"app":"web"}', 'app', ['web']],
  ['{"app":""}', 'app', ['']],
  ['{"app":"app","web":"x"}', 'app', ['app']],
  ['{"a":"app","b":"\\"app\\":\\"no\\""}', 'app', []],
  ['{"a-b":"1","a_b":"2","a.b":"3","aab":"4","a b":"5"}', 'a_b', ['1', '2', '3', '5']],
  ['{"a\\"b":"1"}', 'a_b', ['1']],
  ['{ "a": "1" , "b":"2" }', 'b', ['2']],
  ['{"a":"1", "b":"2"}', 'b', ['2']],
  ['{"a":"{","b":"}","c":","}', 'c', [',']],
  ['{"💰":"1","é":"2"}', '__', ['1']],
  ['{"💰":"1","é":"2"}', '_', ['2']],
  ['{"__proto__":"1","constructor":"2"}', '__proto__', ['1']],
  ['{"app":"é💰"}', 'app', ['é💰']],
  ['{"":"1"}', '', ['1']],
  ['{"cost_center":"42"}', 'costCenter', ['42']],
  ['{"costCenter":"42"}', 'cost_center', ['42']],
  ['{"cost-Center":"42"}', 'costCenter', ['42']],
  ['{"Custom-Tag":"7"}', 'custom_tag', ['7']],
  ['{"costcenter":"42"}', 'costCenter', []],
  ['{"cost_center":"1","costCenter":"2"}', 'costCenter', ['2']],
  ['{"cost_center":"1","costCenter":"2"}', 'cost_center', ['1']],
  ['{"cost_center_conflict1":"1","cost_center_conflict2":"2"}', 'costCenter', ['1', '2']],
  ['{"cost_center_conflict":"1","cost_center_x":"2"}', 'costCenter', []],
  ['{ "app_kubernetes_io_partOf":"1" }', 'app_kubernetes_io_part_of', ['1']],
  ['{"app_kubernetes_io_part_of":"1"}', 'app_kubernetes_io_partOf', ['1']],
];

for (const [cell, name, values] of CASES) {
  test(`the values of '${name}' in ${cell} are [${values.join(' ')}]`, () => {
    assert.deepEqual(labelValues(cell, name), values);
  });
}

const snake = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();

test('for any labels, with blanks or without, the values are those of all spellings of the name', () => {
  const letters = fc.constantFrom(
    'a',
    'B',
    '0',
    '_',
    '-',
    '.',
    '"',
    '\\',
    ':',
    ',',
    '}',
    'é',
    '💰',
  );
  const text = fc.oneof(fc.string({ unit: letters, maxLength: 3 }), fc.constant('__proto__'));
  const pairs = fc.uniqueArray(fc.tuple(text, text), { selector: ([key]) => key });
  fc.assert(
    fc.property(pairs, text, fc.nat(4), fc.boolean(), (labels, other, pick, isSpaced) => {
      const name = storeName(labels[pick]?.[0] ?? other);
      const exact = labels.filter(([key]) => storeName(key) === name);
      const alike = labels.filter(([key]) => snake(storeName(key)) === snake(name));
      const expected = (exact.length > 0 ? exact : alike).map(([, value]) => value);
      const object = Object.fromEntries(labels);
      const inOrder = Object.keys(object).every((key, i) => key === labels[i]?.[0]);
      const cell = JSON.stringify(object, undefined, isSpaced ? ' ' : undefined);
      const found = labelValues(cell, name);
      assert.deepEqual(inOrder ? found : [...found].sort(), inOrder ? expected : expected.sort());
    }),
    { numRuns: 3000 },
  );
});
