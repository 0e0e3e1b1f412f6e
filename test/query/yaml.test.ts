/** Documents of YAML one by one, against the parser that has all of them at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseAllDocuments } from 'yaml';
import { parseYamlDocuments } from '../../src/query/index.ts';

function atOnce(text: string): unknown[] {
  const documents = [parseAllDocuments(text, { logLevel: 'silent' })].flat();
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error) throw error;
  return documents.map((one) => one.toJS() as unknown).filter((value) => value !== null);
}

const parsed = (text: string): unknown[] => parseYamlDocuments(text, 'the body', 'kind: Pod');

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
  test(`${JSON.stringify(text)} is what it is at once`, () => {
    assert.deepEqual(parsed(text), atOnce(text));
  });

test('values written as documents are read back', () => {
  const json = fc.jsonValue().filter((value) => value !== null);
  fc.assert(
    fc.property(fc.array(json, { maxLength: 5 }), (values) => {
      const text = values.map((value) => `---\n${JSON.stringify(value)}\n`).join('');
      assert.deepEqual(parsed(text), JSON.parse(JSON.stringify(values)));
    }),
  );
});

const MISTAKES: readonly string[] = ['kind: [', 'a: 1\n---\nb: "\n---\nc: 1\n', 'a: 1\na: 2\n'];

for (const text of MISTAKES)
  test(`what is wrong with ${JSON.stringify(text)} is told with its line`, () => {
    assert.throws(() => atOnce(text), (error: Error) => {
      assert.throws(() => parsed(text), { name: 'Fault', message: `the body is no YAML: ${error.message}` });
      return /at line \d+, column \d+/.test(error.message);
    });
  }); // prettier-ignore
