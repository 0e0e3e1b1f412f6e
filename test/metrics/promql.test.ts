import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { selectorText } from '../../src/metrics/readers/promql.ts';
import type { Matcher, Selection } from '../../src/metrics/index.ts';
import { anyUnicode } from '../support/arbitraries/unicode.ts';

/** PromQL's own grammar of a selector, character by character. */
function parseSelector(text: string): Selection {
  let at = 0;
  const take = (form: RegExp): string => {
    const found = new RegExp(form.source, 'y');
    found.lastIndex = at;
    const match = found.exec(text)?.[0];
    assert.ok(match !== undefined, `${form.source} at ${at} of ${text}`);
    at += match.length;
    return match;
  };
  const metric = take(/[a-zA-Z_:][a-zA-Z0-9_:]*/);
  take(/\{/);
  const matchers: Matcher[] = [];
  while (text[at] !== '}') {
    if (matchers.length > 0) take(/,/);
    const label = take(/[a-zA-Z_][a-zA-Z0-9_]*/);
    const operator = take(/=~|!~|!=|=/) as Matcher['operator'];
    take(/"/);
    let value = '';
    while (text[at] !== '"') {
      assert.notEqual(text[at], '\n', 'a line feed ends a string');
      const unit = take(/\\[\\"n]|[^\\"\n]/);
      value += unit.startsWith('\\') ? ({ n: '\n' }[unit.slice(1)] ?? unit.slice(1)) : unit;
    }
    take(/"/);
    matchers.push({ label, operator, value });
  }
  take(/\}/);
  assert.equal(at, text.length);
  return { metric, matchers };
}

const value = fc.oneof(
  anyUnicode(),
  fc.string({ unit: fc.constantFrom('\\', '"', '\n', '}', '{', ',', '=', '~', '#', '`', 'a') }),
);
const matcher = fc.record(
  {
    label: fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/),
    operator: fc.constantFrom('=', '!=', '=~', '!~'),
    value,
  },
  { noNullPrototype: true },
) as fc.Arbitrary<Matcher>;

test('S-7: a selector is parsed back to the selection, for any values', () => {
  fc.assert(
    fc.property(fc.array(matcher, { maxLength: 4 }), (matchers) => {
      const selection = { metric: 'kube_pod_info', matchers };
      assert.deepEqual(parseSelector(selectorText(selection)), selection);
    }),
    { numRuns: 2000 },
  );
});

test('several metrics are selected by an expression of their names', () => {
  const text = selectorText({ metrics: ['kube_pod_info', 'node:cpu'] });
  assert.equal(text, '{__name__=~"kube_pod_info|node:cpu"}');
  assert.throws(() => selectorText({ metrics: ['up', '.*'] }), /^Error: BUG: /);
});

for (const name of ['', '1a', 'a-b', 'up{', 'up ', 'a"b'])
  test(`'${name}' is neither a metric nor a label`, () => {
    const good: Matcher = { label: 'a', operator: '=', value: '' };
    assert.throws(() => selectorText({ metric: name, matchers: [] }), /^Error: BUG: /);
    assert.throws(
      () => selectorText({ metric: 'up', matchers: [{ ...good, label: name }] }),
      /^Error: BUG: /,
    );
  });
