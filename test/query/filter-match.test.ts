import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { textTest, type Operator } from '../../src/query/index.ts';

const REFERENCE: Readonly<Record<Operator, (text: string, value: string) => boolean>> = {
  equals: (text, value) => text === value,
  contains: (text, value) => text.includes(value),
  startsWith: (text, value) => text.startsWith(value),
  endsWith: (text, value) => text.endsWith(value),
};

const CASES: readonly (readonly [Operator, readonly string[], yes: string[], no: string[]])[] = [
  ['equals', ['a', ''], ['a', ''], ['A', 'aa', 'b']],
  ['contains', ['b'], ['b', 'abc'], ['', 'ac', 'B']],
  ['contains', [''], ['', 'a'], []],
  ['startsWith', ['kube', 'kubecost', 'web'], ['kube', 'kubecosta', 'web-1'], ['kub', 'a-web', '']],
  ['startsWith', [''], ['', 'a'], []],
  ['endsWith', ['-a', 'ba'], ['x-a', 'ba'], ['a', '-ab', '']],
];

for (const [operator, values, yes, no] of CASES) {
  test(`${operator} [${values.join(' ')}] matches [${yes.join(' ')}], not [${no.join(' ')}]`, () => {
    const holds = textTest(operator, values);
    for (const text of yes) assert.ok(holds(text), text);
    for (const text of no) assert.ok(!holds(text), text);
  });
}

for (const [operator, meets] of Object.entries(REFERENCE)) {
  test(`${operator} many values matches if it matches one of them`, () => {
    const unit = fc.constantFrom('a', 'b', 'c', 'é', '💰', '\uD83D');
    const text = fc.string({ unit, maxLength: 8 });
    const values = fc.array(fc.string({ unit, maxLength: 4 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(values, fc.array(text), (list, texts) => {
        const holds = textTest(operator as Operator, list);
        for (const each of [...texts, ...list]) {
          assert.equal(
            holds(each),
            list.some((value) => meets(each, value)),
            each,
          );
        }
      }),
      { numRuns: 500 },
    );
  });
}
