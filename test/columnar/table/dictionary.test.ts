import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Arena, Dictionary, DictionaryBuilder } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { anyUnicode } from '../../support/arbitraries/unicode.ts';

const OWNER = 1;
const memory = dirtyMemory(8 << 20);
const arena = new Arena(memory);

function builderOf(texts: readonly string[]): DictionaryBuilder {
  const builder = new DictionaryBuilder();
  for (const text of texts) builder.code(text);
  return builder;
}

/** Well-formed text of any script, and the names that a plain object would trip over. */
const text = fc.oneof(
  anyUnicode(),
  fc.constantFrom('__proto__', 'constructor', 'toString', '', '0', '\uFEFFbom', 'a\0b'),
);

test('codes count up from 1 in the order in which texts first appear, and 0 is the empty text', () => {
  const builder = new DictionaryBuilder();
  const texts = ['', 'kube-system', '__proto__', 'kube-system', 'constructor', '', '__proto__'];
  assert.deepEqual(
    texts.map((name) => builder.code(name)),
    [0, 1, 2, 1, 3, 0, 2],
  );
  assert.equal(builder.size, 4);
  assert.equal(builder.text(2), '__proto__');
  assert.equal(builder.find('hasOwnProperty'), undefined);
});

test('a stored dictionary gives texts and codes back, on another view of the memory too', () => {
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const builder = builderOf(texts);
      const { address } = builder.store(arena, OWNER);
      const dictionary = new Dictionary(new Arena(memory), address);
      assert.equal(dictionary.size, builder.size);
      for (const name of texts) {
        const code = builder.code(name);
        assert.equal(dictionary.text(code), name);
        assert.equal(dictionary.find(name), code);
      }
      assert.equal(dictionary.find('not there, for it is too long a text'), undefined);
      assert.equal(dictionary.offsets[dictionary.size], dictionary.bytes.length);
      arena.release(OWNER);
    }),
  );
});

test('merging gives each text of the other dictionary its code here', () => {
  fc.assert(
    fc.property(fc.array(text), fc.array(text), fc.boolean(), (here, there, isStored) => {
      const builder = builderOf(here);
      const other = builderOf(there);
      const codes = builder.merge(isStored ? other.store(arena, OWNER) : other);
      assert.equal(codes[0], 0);
      for (const name of there) assert.equal(builder.text(codes[other.code(name)] ?? -1), name);
      for (const name of here) assert.equal(builder.code(name), builderOf(here).code(name));
      assert.equal(builder.size, new Set(['', ...here, ...there]).size);
      arena.release(OWNER);
    }),
  );
});

test('half a surrogate pair becomes U+FFFD and harms no other text', () => {
  const dictionary = builderOf(['\ud83d', '\ude00', 'after']).store(arena, OWNER);
  const texts = [1, 2, 3].map((code) => dictionary.text(code));
  arena.release(OWNER);
  assert.deepEqual(texts, ['\uFFFD', '\uFFFD', 'after']);
});

test('a code that is not in the dictionary is a bug', () => {
  const builder = builderOf(['a']);
  const dictionary = builder.store(arena, OWNER);
  for (const code of [-1, 2, 0.5, NaN]) {
    assert.throws(() => builder.text(code), /BUG: code/);
  }
  assert.throws(() => dictionary.text(2), /BUG: code 2 in a dictionary of 2/);
  assert.throws(() => dictionary.text(-1), /BUG: code -1/);
});
