/** Texts of columns as codes of an index, by kernels, against strings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  codesByText,
  codesOfTexts,
  compileKernels,
  createEngine,
  DictionaryBuilder,
  joinCodes,
  numberJoined,
  numberPairs,
  numberTexts,
  orderOfTexts,
  TextIndex,
  type TextColumn,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(128 << 20), 1);
const { arena } = engine;
const space = { engine, owner: TASK };

const anyText = fc.oneof(
  fc.constantFrom('', 'a', 'ab', 'a-1', 'a/b', 'b', 'a longer text than a word'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const anyTexts = fc.array(anyText, { maxLength: 40 });
/** Texts of a dictionary in the arena, or of one that grows, with texts that no row has. */
const anyColumn = fc.tuple(anyTexts, fc.boolean(), anyTexts);
type Column = typeof anyColumn extends fc.Arbitrary<infer C> ? C : never;

function columnOf([rows, isStored, others]: Column): TextColumn {
  const builder = new DictionaryBuilder();
  for (const text of others) builder.code(text);
  const codes = Uint32Array.from(rows, (text) => builder.code(text));
  return { codes, texts: isStored ? builder.store(arena, TASK) : builder };
}

/** An index that has other texts already. */
function indexOf(texts: readonly string[]): TextIndex {
  const index = new TextIndex(engine, TASK);
  for (const text of texts) index.code(text);
  return index;
}

function textsOf(index: TextIndex, codes: Uint32Array): string[] {
  return Array.from(codes, (code) => index.text(code));
}

/** Runs a property, and gives back its memory. */
function holds<Values extends [unknown, ...unknown[]]>(
  arbitraries: { [K in keyof Values]: fc.Arbitrary<Values[K]> },
  check: (...values: Values) => void,
): void {
  const property = fc.property(...arbitraries, (...values: Values) => {
    try {
      check(...values);
    } finally {
      arena.release(TASK);
    }
  });
  fc.assert(property, { numRuns: 150 });
}

test('texts of a column are numbered as they come, and looked up once each', () => {
  holds<[Column, string[]]>([anyColumn, anyTexts], (column, known) => {
    const index = indexOf(known);
    const { rows, codes } = numberTexts(space, columnOf(column), index);
    const different = ['', ...new Set(column[0].filter((text) => text !== ''))];
    assert.deepEqual(textsOf(index, codes), different);
    assert.deepEqual(
      [...rows],
      column[0].map((text) => different.indexOf(text)),
    );
    const again = codesOfTexts(space, columnOf(column), index);
    assert.deepEqual(textsOf(index, again), column[0]);
    assert.ok(index.size <= new Set(['', ...known, ...column[0]]).size, 'no text that no row has');
  });
});

test('texts that some row has are looked up in the order of their codes', () => {
  holds<[Column, string[]]>([anyColumn, anyTexts], (given, known) => {
    const [index, reference] = [indexOf(known), new DictionaryBuilder()];
    for (const text of known) reference.code(text);
    const column = columnOf(given);
    const codes = codesByText(space, column, index);
    const isUsed = new Set(column.codes);
    for (let code = 0; code < column.texts.size; code++) {
      const expected = isUsed.has(code) ? reference.code(column.texts.text(code)) : 0;
      assert.equal(codes[code], expected);
    }
    assert.equal(index.size, reference.size);
    for (const text of [...known, ...given[0], 'a text of nobody']) {
      assert.equal(index.find(text), reference.find(text));
    }
  });
});

test('many texts have the codes that each has alone, whatever their bytes', () => {
  holds<[string[], string[]]>([anyTexts, anyTexts], (known, texts) => {
    const [index, reference] = [indexOf(known), indexOf(known)];
    const codes = index.codes(texts);
    assert.deepEqual(
      [...codes],
      texts.map((text) => reference.code(text)),
    );
    assert.deepEqual(textsOf(index, codes), texts);
  });
});

test('texts of two columns are joined where both are there', () => {
  holds<[[string, string][], boolean, boolean]>(
    [fc.array(fc.tuple(anyText, anyText), { maxLength: 40 }), fc.boolean(), fc.boolean()],
    (pairs, isFirstStored, isSecondStored) => {
      const lefts = pairs.map(([left]) => left);
      const rights = pairs.map(([, right]) => right);
      const index = indexOf([]);
      const columns = [
        columnOf([lefts, isFirstStored, []]),
        columnOf([rights, isSecondStored, []]),
      ] as const;
      const joined = { separator: ':', other: 'none' };
      const { rows, codes } = numberJoined(space, columns, joined, index);
      const expected = pairs.map(([left, right]) => {
        if (right === '') return 'none';
        return left === '' ? right : `${left}:${right}`;
      });
      assert.deepEqual(
        textsOf(
          index,
          rows.map((number) => codes[number] ?? 0),
        ),
        expected,
      );
    },
  );
});

test('texts of an index are joined by a slash', () => {
  const rows = fc.integer({ min: 1, max: 4 }).chain((parts) =>
    fc.array(fc.array(anyText, { minLength: parts, maxLength: parts }), { minLength: 1, maxLength: 30 }),
  ); // prettier-ignore
  holds<[string[][]]>([rows], (names) => {
    const index = indexOf([]);
    const parts = (names[0] ?? []).map((_, part) =>
      Uint32Array.from(names, (name) => index.code(name[part] ?? '')),
    );
    const joined = joinCodes(space, parts, index);
    assert.deepEqual(
      textsOf(index, joined),
      names.map((name) => name.join('/')),
    );
  });
});

test('texts are in the order of strings, those beyond ASCII too', () => {
  const ascii = fc.array(fc.string({ unit: 'binary-ascii', maxLength: 12 }), { maxLength: 40 });
  const odd = fc.constantFrom('\u{1f600}', '\uff5e', '\ue000', 'é');
  holds<[string[], string[]]>([ascii, fc.array(odd, { maxLength: 3 })], (plain, others) => {
    const texts = [...new Set([...plain, ...others])];
    const index = indexOf([]);
    const order = orderOfTexts(space, index.codes(texts), index);
    const sorted = [...texts].sort((a, b) => (a < b ? -1 : 1));
    assert.deepEqual(
      Array.from(order, (place) => texts[place]),
      sorted,
    );
  });
});

test('as many pairs as rows are numbered, though slots are few at first', () => {
  const length = 100_000;
  const left = Uint32Array.from({ length }, (_, row) => row % 1000);
  const right = Uint32Array.from({ length }, (_, row) => Math.floor(row / 500));
  const { rows, pairs } = numberPairs(space, left, right);
  assert.equal(pairs.length, 2 * length, 'no pair comes twice');
  assert.ok(rows.every((number, row) => number === row));
  assert.ok(
    left.every((code, row) => pairs[2 * row] === code && pairs[2 * row + 1] === right[row]),
  );
  arena.release(TASK);
});
