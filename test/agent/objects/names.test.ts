/** Names and amounts of objects as kube-state-metrics writes them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { labelsFrom } from '../../../src/agent/objects/label-names.ts';
import { quantitiesOf } from '../../../src/agent/objects/quantities.ts';

describe('names of labels', () => {
  // prettier-ignore
  const NAMES: readonly (readonly [Record<string, string>, Record<string, string>])[] = [
    [{ 'an-label': 'a', 'an.label': 'b', 'an/label': 'c' }, { label_an_label_conflict1: 'a', label_an_label_conflict2: 'b', label_an_label_conflict3: 'c' }],
    [{ camelCase: '1', snake_case: '2' }, { label_camel_case: '1', label_snake_case: '2' }],
    [{ 'a_b': 'x', 'a-b': 'y', c: 'z' }, { label_a_b_conflict1: 'y', label_a_b_conflict2: 'x', label_c: 'z' }],
    [{ 'helm.sh/chart': '', constructor: 'x' }, { label_helm_sh_chart: '', label_constructor: 'x' }],
  ];
  for (const [given, expected] of NAMES) {
    test(`${Object.keys(given).join(', ')} are as kube-state-metrics names them`, () => {
      assert.deepEqual(labelsFrom('label', given), expected);
    });
  }

  test('no label is lost and each name is one that stores accept', () => {
    const texts = fc.dictionary(
      fc.stringMatching(/^[a-zA-Z0-9._/-]{1,6}$/),
      fc.constantFrom('', 'x', 'y'),
      { maxKeys: 12 },
    );
    fc.assert(
      fc.property(texts, (given) => {
        const labels = labelsFrom('annotation', given);
        assert.deepEqual(Object.values(labels).toSorted(), Object.values(given).toSorted());
        for (const name of Object.keys(labels)) assert.match(name, /^annotation_[a-z0-9_]*$/);
      }),
      { numRuns: 300 },
    );
  });
});

test('quantities are those of the API, rounded up', () => {
  const of = (amounts: Record<string, string | number>): (readonly [string, number, string])[] =>
    quantitiesOf(amounts).map(({ resource, value, unit }) => [resource, value, unit] as const);
  assert.deepEqual(of({ cpu: '1500u', memory: '1.5', 'hugepages-2Mi': '4Mi', pods: 110 }), [
    ['cpu', 0.002, 'core'],
    ['hugepages_2Mi', 4_194_304, 'byte'],
    ['memory', 2, 'byte'],
    ['pods', 110, 'integer'],
  ]);
  assert.deepEqual(
    of({ 'kubernetes.io/batch-cpu': 1, gpu: 1, 'requests.a.com/gpu': 1, cpu: 'many' }),
    [],
  );
});
