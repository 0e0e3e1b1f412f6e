import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DictionaryBuilder, TextIndex, TupleIndex } from '../../src/columnar/index.ts';
import { newArena } from '../support/stored-sets.ts';

const texts = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'a', 'aa')));

test('texts of several dictionaries get the codes that one dictionary would give them', () => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 5 }), (lists) => {
      const arena = newArena();
      const [index, reference] = [new TextIndex(), new DictionaryBuilder()];
      for (const [i, list] of lists.entries()) {
        const builder = new DictionaryBuilder();
        for (const text of list) builder.code(text);
        // Some in the arena, told apart by bytes, some not.
        const dictionary = i % 2 === 0 ? builder.store(arena, 1) : builder;
        assert.deepEqual(index.merge(dictionary), reference.merge(builder));
      }
      const stored = index.store(arena, 1);
      assert.deepEqual([index.size, stored.size], [reference.size, reference.size]);
      for (let code = 0; code < reference.size; code++) {
        assert.equal(index.text(code), reference.text(code));
        assert.equal(stored.text(code), reference.text(code));
      }
    }),
  );
});

test('a hundred thousand texts keep their codes while the tables grow', () => {
  const index = new TextIndex();
  const builder = new DictionaryBuilder();
  for (let i = 0; i < 100_000; i++) builder.code(`text-${i}`);
  const codes = index.merge(builder);
  assert.deepEqual(index.merge(builder), codes);
  assert.equal(index.text(codes[99_999] ?? 0), 'text-99998');
});

test('tuples get numbers in the order of their coming, those left out none', () => {
  const row = fc.tuple(fc.nat(3), fc.nat(2 ** 31), fc.boolean());
  fc.assert(
    fc.property(fc.array(fc.array(row, { maxLength: 40 })), (tables) => {
      const index = new TupleIndex(2);
      const known = new Map<string, number>();
      for (const rows of tables) {
        const column = (place: 0 | 1): Uint32Array => Uint32Array.from(rows, (each) => each[place]);
        const kept = Uint8Array.from(rows, (each) => (each[2] ? 1 : 0));
        const expected = rows.map(([a, b, isKept]) => {
          if (!isKept) return -1;
          const number = known.get(`${a}/${b}`) ?? known.size;
          known.set(`${a}/${b}`, number);
          return number;
        });
        const columns = [column(0), column(1)];
        assert.deepEqual([...index.assign(columns, rows.length, kept)], expected);
      }
      const numbered = [...known.keys()].map((key) => Number(key.split('/')[0]));
      assert.deepEqual([...index.codes(0)], numbered);
    }),
  );
});

test('many tuples keep their numbers while the table grows', () => {
  const index = new TupleIndex(3);
  const columns = [1, 7, 50_000].map((by) => Uint32Array.from({ length: 50_000 }, (_, i) => i % by)); // prettier-ignore
  const numbers = index.assign(columns, 50_000, null);
  assert.deepEqual([...numbers], [...numbers.keys()]);
  assert.deepEqual(index.assign(columns, 50_000, null), numbers);
});
