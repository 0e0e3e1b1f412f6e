/** Columns of texts packed by kernels, against the same with strings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  compileKernels,
  createEngine,
  narrowTexts,
  narrowType,
  Scratch,
  TextIndex,
  TextPacker,
  utf8Of,
  type PackedTexts,
  type TextColumn,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);
const [INDEX_OWNER, OWNER] = [2, 3];

/** Packs columns of the index's codes, which are copied to the arena first. */
function packed(index: TextIndex, columns: readonly (readonly number[])[]): PackedTexts[] {
  const scratch = new Scratch(engine.arena, OWNER);
  const packer = new TextPacker(engine.kernels, scratch, index);
  return columns.map((codes) => {
    const own = scratch.u32(codes.length);
    own.set(codes);
    return packer.pack(own);
  });
}

/** The same by narrowTexts, with texts in the order in which they first appear. */
function expected(index: TextIndex, codes: readonly number[]): PackedTexts {
  const texts = ['', ...new Set(codes.filter((code) => code > 0).map((code) => index.text(code)))];
  const column: TextColumn = {
    codes: Uint32Array.from(codes, (code) => texts.indexOf(index.text(code))),
    texts: { size: texts.length, text: (code) => texts[code] ?? '' },
  };
  const narrow = narrowTexts(column);
  return { codes: narrow.codes, texts: utf8Of(narrow.texts) };
}

function assertSame(actual: PackedTexts, wanted: PackedTexts): void {
  assert.equal(narrowType(actual.codes), narrowType(wanted.codes));
  assert.deepEqual([...actual.codes], [...wanted.codes]);
  assert.deepEqual([...actual.texts.offsets], [...wanted.texts.offsets]);
  assert.deepEqual([...actual.texts.bytes], [...wanted.texts.bytes]);
}

function freed(use: () => void): void {
  use();
  engine.arena.release(OWNER);
  engine.arena.release(INDEX_OWNER);
}

test('each column has only its own texts, in the order in which they first appear', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'a', 'ü', '日本'));
  const columns = fc.array(fc.array(fc.nat(1000), { maxLength: 300 }), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(text), columns, (texts, places) =>
      freed(() => {
        const index = new TextIndex(engine, INDEX_OWNER);
        for (const each of texts) index.code(each);
        const codes = places.map((column) => column.map((place) => place % index.size));
        for (const [i, actual] of packed(index, codes).entries()) {
          assertSame(actual, expected(index, codes[i] ?? []));
        }
      }),
    ),
  );
});

for (const [count, type] of [
  [255, 'u8'],
  [256, 'u16'],
  [65_535, 'u16'],
  [65_536, 'u32'],
] as const) {
  test(`${count} texts and the empty one take codes of ${type}`, () =>
    freed(() => {
      const index = new TextIndex(engine, INDEX_OWNER);
      const codes = Array.from({ length: count }, (_, i) => index.code(`t${i}`));
      const [actual] = packed(index, [codes]);
      assert.equal(actual && narrowType(actual.codes), type);
      assert.deepEqual([...(actual?.codes ?? [])], codes);
      assert.equal(actual?.texts.offsets.length, count + 2);
    }));
}
