/** Pairs of labels by number, against parsing each text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AgreedPairs, pairsJson } from '../../../src/allocation/row/agreed-pairs.ts';
import { labelPairsOf } from '../../../src/allocation/row/label-pairs.ts';
import {
  compileKernels,
  createEngine,
  DictionaryBuilder,
  type Texts,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const [OWNER, TASK] = [1, 2];
const { arena } = createEngine(compileKernels(), dirtyMemory(64 << 20), OWNER);

const name = fc.constantFrom(
  'app',
  'app_x',
  'app.x',
  'a',
  'b',
  '',
  '1',
  '10',
  'é',
  '"',
  '\\',
  '__proto__',
  'a"',
);
const value = fc.oneof(name, fc.string({ maxLength: 4 }), fc.constant('long-value-of-a-label'));
const pairs = fc.array(fc.tuple(name, value), { maxLength: 5 });
/** As prorata writes them, with blanks, and with names twice. */
const label = fc.tuple(pairs, fc.constantFrom('{', '{ '), fc.constantFrom(',', ', ')).map(
  ([all, open, comma]) =>
    all.length === 0
      ? ''
      : `${open}${all.map((pair) => pair.map((text) => JSON.stringify(text)).join(':')).join(comma)}}`,
); // prettier-ignore
const manyTexts = fc.array(fc.oneof(label, fc.constantFrom('{}', '{"app":"x","b":"y"}')));

function parsed(text: string): [string, string][] {
  return text === '' ? [] : Object.entries(JSON.parse(text) as Record<string, string>);
}

/** The texts in a dictionary of the arena, or in one that grows. */
function inDictionary(all: readonly string[], isStored: boolean): [Texts, number[]] {
  const builder = new DictionaryBuilder();
  const codes = all.map((text) => builder.code(text));
  return [isStored ? builder.store(arena, TASK) : builder, codes];
}

for (const isStored of [true, false]) {
  const where = isStored ? 'read where they are' : 'of a dictionary that grows';
  test(`labels ${where} are those that parsing finds`, () => {
    fc.assert(
      fc.property(manyTexts, (all) => {
        const [texts, codes] = inDictionary(all, isStored);
        const labels = labelPairsOf(texts);
        const numbers = new Map<string, number>();
        all.forEach((text, i) => {
          const list = labels.listOf(codes[i] ?? 0);
          const found = Array.from({ length: labels.lengthOf(list) }, (_, place) =>
            labels.at(list, place),
          );
          assert.deepEqual(
            found.map((pair) => [labels.name(pair), labels.value(pair)]),
            parsed(text),
          );
          for (const pair of found) {
            assert.equal(numbers.get(labels.json(pair)) ?? pair, pair, 'one number a pair');
            numbers.set(labels.json(pair), pair);
          }
        });
        arena.release(TASK);
      }),
      { numRuns: 300 },
    );
  });

  test(`pairs of labels ${where} are shared that all texts of a group have`, () => {
    fc.assert(
      fc.property(fc.array(manyTexts, { maxLength: 4 }), (groups) => {
        const [texts, codes] = inDictionary(groups.flat(), isStored);
        const agreed = new AgreedPairs(texts, groups.length);
        let at = 0;
        groups.forEach((all, group) => all.forEach(() => agreed.add(group, codes[at++] ?? 0)));
        groups.forEach((all, group) => {
          const [first = '', ...others] = all;
          const shared = parsed(first).filter(([key, own]) =>
            others.every((text) => new Map(parsed(text)).get(key) === own),
          );
          assert.equal(
            agreed.textOf(group),
            all.length === 0 ? undefined : pairsJson(new Map(shared)),
          );
        });
        arena.release(TASK);
      }),
      { numRuns: 200 },
    );
  });
}

test('thousands of pairs keep their numbers as tables grow', () => {
  const all = Array.from(
    { length: 5000 },
    (_, i) => `{"app":"service-${i}","tier":"t${i % 2}","n${i % 300}":"x"}`,
  );
  const [texts, codes] = inDictionary(all, true);
  const labels = labelPairsOf(texts);
  for (const round of [1, 2]) {
    const found = codes.map((code) => {
      const list = labels.listOf(code);
      const json = [0, 1, 2].map((place) => labels.json(labels.at(list, place)));
      return `{${json.join(',')}}`;
    });
    assert.deepEqual(found, all, `round ${round}`);
  }
  arena.release(TASK);
});
