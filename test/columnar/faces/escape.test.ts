/** Texts escaped by the kernels, against JSON.stringify and RFC 4180 in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  compileKernels,
  createEngine,
  DictionaryBuilder,
  escapeTexts,
  type TextForm,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const OWNER = 1;
const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(8 << 20), OWNER);
const { arena } = engine;

/** The escaped texts by code: 0 is the empty one, then `texts`, of which only some are used. */
function escaped(
  texts: readonly string[],
  form: TextForm,
  isUsed: (code: number) => boolean = () => true,
): string[] {
  const builder = new DictionaryBuilder();
  const codes = texts.map((text) => builder.code(text));
  const used = Uint32Array.from([0, ...codes].filter(isUsed));
  const dictionary = builder.store(arena, TASK);
  const at = escapeTexts(engine, TASK, dictionary, [used], form);
  const offsets = arena.u32(at.offsets, dictionary.size + 1);
  const out = Array.from({ length: dictionary.size }, (_, code) => {
    const [from = NaN, to = NaN] = offsets.subarray(code, code + 2);
    return arena.text(at.bytes + from, to - from).toString();
  });
  arena.release(TASK);
  return out;
}

function csvReference(text: string): string {
  const led = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(led) ? `"${led.replaceAll('"', '""')}"` : led;
}

const REFERENCES: Readonly<Record<TextForm, (text: string) => string>> = {
  json: (text) => JSON.stringify(text),
  csv: csvReference,
};

const plain = fc.string({ unit: 'grapheme', maxLength: 40 });
const special = fc.string({
  unit: fc.constantFrom(...Array.from('\0\b\t\n\v\f\r\x1f\x7f"\\,=+-@\'/aé\u2028😀')),
  maxLength: 40,
});
const anyTexts = fc.array(fc.oneof(plain, special), { maxLength: 30 });

for (const [form, reference] of Object.entries(REFERENCES) as [TextForm, (t: string) => string][]) {
  test(`each character below 256 is escaped for ${form} as it should, at any place`, () => {
    const texts = Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).flatMap((c) => [
      c,
      `a${c}`,
      `${'b'.repeat(15)}${c}`,
      `${c}${'d'.repeat(31)}${c}`,
      c.repeat(33),
    ]);
    assert.deepEqual(escaped(texts, form), ['', ...new Set(texts)].map(reference));
  });

  test(`any texts are escaped for ${form}, each once`, () => {
    const property = fc.property(anyTexts, (texts) => {
      const expected = [...new Set(['', ...texts])].map((text) => reference(text));
      assert.deepEqual(escaped(texts, form), expected);
    });
    fc.assert(property, { numRuns: 300 });
  });

  test(`texts that no row has take no room for ${form}`, () => {
    const texts = Array.from({ length: 100 }, (_, i) => `"${i}`);
    const odd = escaped(texts, form, (code) => code % 2 === 1);
    const expected = ['', ...texts].map((text, code) => (code % 2 === 1 ? reference(text) : ''));
    assert.deepEqual(odd, expected);
  });
}
