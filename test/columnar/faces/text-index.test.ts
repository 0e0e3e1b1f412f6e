/** Texts and tuples of several tables, numbered in kernels, against maps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  compileKernels,
  createEngine,
  DictionaryBuilder,
  TextIndex,
  TupleIndex,
  type TupleColumn,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const engine = createEngine(compileKernels(), dirtyMemory(128 << 20), 1);
const { arena } = engine;
const [INDEX_OWNER, OWNER] = [2, 3];

async function isolated(use: () => void): Promise<void> {
  const before = arena.usedBytes;
  try {
    await Promise.resolve(use());
  } finally {
    arena.release(OWNER);
    arena.release(INDEX_OWNER);
  }
  assert.equal(arena.usedBytes, before);
}

const texts = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'a', 'aa')));

test('texts of several dictionaries get the codes that one dictionary would give them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { maxLength: 5 }), (lists) =>
      isolated(() => {
        const [index, reference] = [new TextIndex(engine, INDEX_OWNER), new DictionaryBuilder()];
        for (const [i, list] of lists.entries()) {
          const builder = new DictionaryBuilder();
          for (const text of list) builder.code(text);
          const dictionary = i % 2 === 0 ? builder.store(arena, OWNER) : builder;
          assert.deepEqual([...index.merge(dictionary, OWNER)], [...reference.merge(builder)]);
        }
        const stored = index.store(arena, OWNER);
        assert.deepEqual([index.size, stored.size], [reference.size, reference.size]);
        for (let code = 0; code < reference.size; code++) {
          assert.equal(stored.text(code), reference.text(code));
        }
        index.free();
        assert.equal(arena.bytesOf(INDEX_OWNER), 0);
      }),
    ),
  );
});

test('a hundred thousand texts keep their codes while the tables grow', async () => {
  await isolated(() => {
    const index = new TextIndex(engine, INDEX_OWNER);
    const builder = new DictionaryBuilder();
    for (let i = 0; i < 100_000; i++) builder.code(`text-${i}`);
    const codes = index.merge(builder.store(arena, OWNER), OWNER);
    assert.deepEqual(index.merge(builder, OWNER), Uint32Array.from(codes));
    assert.equal(index.store(arena, OWNER).text(codes[99_999] ?? 0), 'text-99998');
  });
});

test('tuples get numbers in the order in which they first appear, excluded ones none', async () => {
  const row = fc.tuple(fc.nat(3), fc.nat(9), fc.boolean());
  const by = Uint32Array.from({ length: 10 }, (_, i) => i * 429_496_729);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(row, { maxLength: 40 })), (tables) =>
      isolated(() => {
        const index = new TupleIndex(engine, INDEX_OWNER, 2);
        const known = new Map<string, number>();
        for (const rows of tables) {
          const column = (place: 0 | 1): Uint32Array =>
            Uint32Array.from(rows, (each) => each[place]);
          const without = Uint32Array.from(rows, (each) => (each[2] ? 0 : 7));
          const expected = rows.map(([a, b, isCounted]) => {
            if (!isCounted) return -1;
            const number = known.get(`${a}/${b}`) ?? known.size;
            known.set(`${a}/${b}`, number);
            return number;
          });
          const columns = [
            { codes: column(0), by: null },
            { codes: column(1), by },
          ];
          const numbers = index.assign(columns, rows.length, without, OWNER);
          assert.deepEqual([...numbers], expected);
        }
        const tuples = [...known.keys()].map((key) => key.split('/').map(Number));
        assert.deepEqual(
          [...index.codes(0)],
          tuples.map(([a]) => a),
        );
        assert.deepEqual(
          [...index.codes(1)],
          tuples.map(([, b = 0]) => by[b]),
        );
        index.free();
        assert.equal(arena.bytesOf(INDEX_OWNER), 0);
      }),
    ),
  );
});

test('many tuples keep their numbers while the table grows, in any order of repeats', async () => {
  await isolated(() => {
    const index = new TupleIndex(engine, INDEX_OWNER, 3);
    const rows = 50_000;
    const columns = (row: (i: number) => number): TupleColumn[] =>
      [1, 7, rows].map((mod) => ({
        codes: Uint32Array.from({ length: rows }, (_, i) => row(i) % mod),
        by: null,
      }));
    const numbers = index.assign(
      columns((i) => i),
      rows,
      null,
      OWNER,
    );
    assert.deepEqual([...numbers], [...numbers.keys()]);
    const shuffled = (i: number): number => (i * 7919) % rows;
    const again = index.assign(columns(shuffled), rows, null, OWNER);
    assert.deepEqual([...again], [...again.keys()].map(shuffled));
  });
});
