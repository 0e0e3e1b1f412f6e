/** Texts of cells and what is made of them: each looked at once, and none mistaken for another. */
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { compileKernels, createEngine } from '../../../src/columnar/index.ts';
import { CellTexts } from '../../../src/billing/focus/cell-texts.ts';
import { CSV_SPELLING } from '../../../src/billing/focus/csv-columns.ts';
import { PARQUET_SPELLING } from '../../../src/billing/focus/parquet-columns.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);
const OWNER = 2;

afterEach(() => engine.arena.release(OWNER));

const NULLS = ['', 'NULL', 'null'];
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', 'NULL', 'null', 'a"b', 'a""b', '"', '""', 'ü'),
);

for (const [form, spelling] of Object.entries({ CSV: CSV_SPELLING, Parquet: PARQUET_SPELLING })) {
  test(`a text of ${form} is stored unescaped, and NULL as nothing`, () => {
    fc.assert(
      fc.property(fc.array(text), (cells) => {
        const texts = new CellTexts(engine, OWNER, spelling);
        texts.begin();
        for (const each of cells) {
          const written = form === 'CSV' ? each.replaceAll('"', '""') : each;
          const cell = texts.cells.code(written);
          assert.equal(texts.text(cell), each);
          assert.equal(texts.isNull(cell), NULLS.includes(each));
          assert.equal(texts.stored.text(texts.same.of(cell)), NULLS.includes(each) ? '' : each);
        }
        engine.arena.release(OWNER);
      }),
    );
  });
}

test('bytes that are no UTF-8 are stored as replacement characters', () => {
  const texts = new CellTexts(engine, OWNER, CSV_SPELLING);
  const at = engine.arena.allocate(8, OWNER);
  engine.arena.u8(at, 3).set([0x61, 0xff, 0x62]);
  const cell = texts.cells.codeAt(at, 3);
  assert.equal(texts.stored.text(texts.same.of(cell)), 'a\ufffdb');
});

describe('the value of a text', () => {
  test('is read once', () => {
    const texts = new CellTexts(engine, OWNER, CSV_SPELLING);
    const asked: string[] = [];
    const length = (): number =>
      texts
        .valuesOf('length', (each) => {
          asked.push(each);
          return each.length;
        })
        .of(texts.cells.code('abc'));
    assert.deepEqual([length(), length(), asked], [3, 3, ['abc']]);
  });

  test('is NaN where the cell is empty or cannot be read', () => {
    const texts = new CellTexts(engine, OWNER, CSV_SPELLING);
    const [number, stored] = [
      texts.valuesOf('number', (each) => (each === 'one' ? 1 : undefined)),
      texts.storedAs('upper', (each) => (each === 'one' ? 'ONE' : undefined)),
    ];
    const found = ['one', 'two', 'NULL', ''].map((each) => {
      const cell = texts.cells.code(each);
      return [number.of(cell), stored.of(cell)];
    });
    assert.deepEqual(found, [[1, texts.stored.code('ONE')], [NaN, NaN], [NaN, 0], [NaN, 0]]); // prettier-ignore
  });

  test('is forgotten with the texts once there are too many, and then read again', () => {
    const texts = new CellTexts(engine, OWNER, CSV_SPELLING);
    for (let block = 0; block < 4; block++) {
      texts.begin();
      for (let i = 0; i < 30_000; i++) {
        const cell = texts.cells.code(`${block} ${i}`);
        assert.equal(texts.stored.text(texts.same.of(cell)), `${block} ${i}`);
      }
    }
    assert.ok(texts.cells.size < 100_000, `${texts.cells.size} texts are known`);
  });
});
