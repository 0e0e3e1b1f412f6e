import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KnownTexts } from '../../../src/columnar/table/known-texts.ts';

test('a text is decoded from its bytes, wherever and however often it appears', () => {
  const word = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom('a', 'b'));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), (words) => {
      const bytes = Buffer.from(words.join(''));
      const known = new KnownTexts(bytes);
      let at = 0;
      for (const text of words) {
        const end = at + Buffer.byteLength(text);
        assert.equal(known.text(at, end), bytes.toString('utf8', at, end));
        at = end;
      }
    }),
    { seed: 3 },
  );
});

test('ten thousand texts are told apart, the first and the second time', () => {
  const words = Array.from({ length: 10_000 }, (_, i) => `pod-${i % 5000}-${i % 7}`);
  const bytes = Buffer.from(words.join(''));
  const known = new KnownTexts(bytes);
  for (let round = 0; round < 2; round++) {
    let at = 0;
    for (const text of words) {
      assert.equal(known.text(at, at + text.length), text);
      at += text.length;
    }
  }
});
