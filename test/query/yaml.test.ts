/** YAML documents read in parts, against the parser on the whole text, and their limits. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseAllDocuments } from 'yaml';
import { readDocuments, YAML_START, type YamlPlace } from '../../src/query/index.ts';
import { parseYamlPart } from '../../src/query/text/yaml.ts';

function atOnce(text: string): unknown[] {
  const documents = [parseAllDocuments(text, { logLevel: 'silent' })].flat();
  const values = documents.map((one): unknown => {
    const [error] = one.errors;
    if (error) throw error;
    return one.toJS();
  });
  return values.filter((value) => value !== null);
}

type ReadPart = typeof parseYamlPart;

function inParts(text: string, read: ReadPart = parseYamlPart): unknown[] {
  const values: unknown[] = [];
  for (let place: YamlPlace | null = YAML_START; place !== null;) {
    const part = read(text, place, 'the body', 'kind: Pod');
    values.push(...part.values);
    place = part.next;
  }
  return values;
}

const TEXTS: readonly string[] = [
  '',
  '# nothing\n',
  '---\n---\n',
  'a: 1\n---\n# empty\n---\nb: [1, two, null]\n...\n',
  '{"a":{"b":[1,2.5,"x"]}}',
  '%YAML 1.2\n---\na: &x {b: 1}\nc: *x\n---\nd: |\n  text\n  ---\n',
  'null\n---\n~\n---\n0\n',
];

for (const text of TEXTS)
  test(`${JSON.stringify(text)} is the same in parts as at once`, () => {
    assert.deepEqual(inParts(text), atOnce(text));
  });

test('values written as documents are read back', () => {
  const json = fc.jsonValue().filter((value) => value !== null);
  fc.assert(
    fc.property(fc.array(json, { maxLength: 5 }), (values) => {
      const text = values.map((value) => `---\n${JSON.stringify(value)}\n`).join('');
      assert.deepEqual(inParts(text), JSON.parse(JSON.stringify(values)));
    }),
  );
});

test('JSON is read like YAML', () => {
  const values = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
  fc.assert(
    fc.property(values, (value) => {
      const text = JSON.stringify(value);
      assert.deepEqual(inParts(text, readDocuments), inParts(text));
    }),
  );
});

const outcome = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^the body is no YAML: /, '') : error;
  }
};

const MISTAKES: readonly string[] = [
  'kind: [',
  'a: 1\n---\nb: "\n---\nc: 1\n',
  'a: 1\na: 2\n',
  `${'a'.repeat(70)}: ${'b'.repeat(70)}\n  c: 1\n`,
  '\n\t- a\nb',
  `${'a: 1\n'.repeat(20)}é: "\\q"\n`,
];

for (const text of MISTAKES)
  test(`the mistake in ${JSON.stringify(text)} is reported with its line`, () => {
    const result = outcome(() => inParts(text));
    assert.match(String(result), /at line \d+, column \d+/);
    assert.equal(
      result,
      outcome(() => atOnce(text)),
    );
  });

/** Cuts the place, as the parser miscounts lines after it drops a token. */
const withoutPlace = (result: unknown): unknown =>
  typeof result === 'string' ? result.replace(/ at line [^]*$/, '') : result;

test('any text in parts has the same values and mistakes as at once', () => {
  const words = ['a: ', '- ', 'b', '\n', '\n', '  ', '---\n', '...\n', '"', "'", '[', ']', '{', '}', ',', '# c\n', '|\n', '? ', ': ', '&x ', '*x', '!t ', '%TAG\n', 'é😀', '\t', '\r\n', 'x'.repeat(90)]; // prettier-ignore
  const texts = fc.array(fc.constantFrom(...words), { maxLength: 25 });
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join('');
      const [result, expected] = [outcome(() => inParts(text)), outcome(() => atOnce(text))];
      assert.deepEqual(withoutPlace(result), withoutPlace(expected), JSON.stringify(text));
    }),
    { numRuns: 3000 },
  );
});

test('a long text is read in parts, and mistakes of a later part are reported with their place', () => {
  const document = (i: number): string => `---\n# ${i}\na: ${i}\nb: [${'1, '.repeat(20)}2]\n`;
  const text = Array.from({ length: 2600 }, (_, i) => document(i)).join('');
  const first = parseYamlPart(text, YAML_START, 'the body', '');
  assert.ok(first.next !== null && first.values.length < 2600);
  assert.deepEqual(inParts(text), atOnce(text));
  const wrong = `${text}---\na: 1\na: 2\n`;
  assert.equal(
    outcome(() => inParts(wrong)),
    outcome(() => atOnce(wrong)),
  );
});

const BELOW = 64;

describe('S-9: a text within a limit is read, and beyond it refused:', () => {
  const CASES: readonly (readonly [string, string, RegExp])[] = [
    ['brackets', '['.repeat(5000), /nests deeper than 64/],
    ['braces', '{a: '.repeat(5000), /nests deeper than 64/],
    ['lists in lists', '- '.repeat(5000), /nests deeper than 64/],
    ['keys in keys', '? '.repeat(5000), /nests deeper than 64/],
    ['indentation', Array.from({ length: 300 }, (_, i) => `${' '.repeat(i)}a:\n`).join(''), /nests deeper than 64/],
    ['values', `a: [${'1,'.repeat(600_000)}]`, /more than 500000 words and signs in a document/],
    ['documents', `--- |\n${'  x\n'.repeat(450_000)}`.repeat(10), /more than 4000000 words and signs/],
    ['lines of a text', `a: |\n${'  x\n'.repeat(600_000)}`, /more than 500000 words and signs/],
    ['keys', Array.from({ length: 5000 }, (_, i) => `k${i}: 1\n`).join(''), /more than 4096 keys in a map/],
    ['keys in braces', `{${Array.from({ length: 5000 }, (_, i) => `k${i}: 1`).join(', ')}}`, /more than 4096 keys/],
    ['aliases', `a: &a 1\nb: [${'*a, '.repeat(200)}*a]`, /more than 100 aliases/],
    ['anchors', `a: [${Array.from({ length: 2000 }, (_, i) => `&a${i} 1`).join(', ')}]`, /more than 1000 anchors/],
    ['comments', `a:\n${'# c\n'.repeat(10_000)}  1`, /more than 5000 blanks and comments/],
    ['tags', `a: ${'!t '.repeat(10_000)}1`, /more than 5000 blanks and comments/],
    ['indented lines', `a: "b\n${' '.repeat(30_000)}${'x'.repeat(30_000)}"`, /characters in the last lines/],
    ['laughs', `a: &a [x,x]\n${Array.from({ length: 30 }, (_, i) => `${String.fromCharCode(98 + i)}: &${String.fromCharCode(98 + i)} [*${String.fromCharCode(97 + i)}, *${String.fromCharCode(97 + i)}]\n`).join('')}`, /Excessive alias count|Unresolved|no YAML/],
  ]; // prettier-ignore
  for (const [name, text, message] of CASES) {
    test(name, () => {
      assert.throws(() => inParts(text, readDocuments), { name: 'Fault', message });
    });
  }

  test(`${BELOW} levels, 4096 keys, 99 aliases`, () => {
    const deep = `${'['.repeat(BELOW)}${']'.repeat(BELOW)}`;
    assert.deepEqual(inParts(deep), [JSON.parse(deep)]);
    const keys = Array.from({ length: 4096 }, (_, i) => [`k${i}`, i] as const);
    assert.deepEqual(inParts(keys.map(([key, i]) => `${key}: ${i}\n`).join('')), [
      Object.fromEntries(keys),
    ]);
    const aliases = `a: &a 1\nb: [${Array.from({ length: 99 }, () => '*a').join(', ')}]`;
    assert.deepEqual(inParts(aliases), [{ a: 1, b: Array.from({ length: 99 }, () => 1) }]);
  });

  test('depth inside of texts does not count in JSON', () => {
    assert.deepEqual(inParts(JSON.stringify(['['.repeat(1000)]), readDocuments), [
      ['['.repeat(1000)],
    ]);
  });
});
