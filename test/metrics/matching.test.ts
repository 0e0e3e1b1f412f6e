import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileMatchers } from '../../src/metrics/matching.ts';
import type { Matcher } from '../../src/metrics/index.ts';

const LABELS = { pod: 'a1', team: 'x\ny' };

const ROWS: readonly (readonly [string, Matcher['operator'], value: string, matches: boolean])[] = [
  ['pod', '=', 'a1', true],
  ['pod', '=', 'a', false],
  ['pod', '!=', 'a', true],
  ['pod', '!=', 'a1', false],
  ['pod', '=~', 'a', false],
  ['pod', '=~', 'b|a.', true],
  ['pod', '=~', 'a|1', false],
  ['pod', '!~', 'a', true],
  ['pod', '!~', 'a.*', false],
  ['team', '=~', 'x.y', true],
  ['absent', '=', '', true],
  ['absent', '!=', '', false],
  ['absent', '=~', '.*', true],
  ['absent', '=~', '.+', false],
  ['absent', '!~', '.+', true],
  ['constructor', '=', '', true],
  ['__proto__', '=', '', true],
];

for (const [label, operator, value, matches] of ROWS)
  test(`${label}${operator}"${value}" ${matches ? 'matches' : 'does not match'}`, () => {
    assert.equal(compileMatchers([{ label, operator, value }])(LABELS), matches);
  });

test('all matchers must match, and none is no condition', () => {
  const right: Matcher = { label: 'pod', operator: '=', value: 'a1' };
  const wrong: Matcher = { label: 'pod', operator: '=', value: 'b' };
  assert.equal(compileMatchers([right, wrong])(LABELS), false);
  assert.equal(compileMatchers([])(LABELS), true);
});

test('an expression that does not compile is refused by name', () => {
  const broken: Matcher = { label: 'pod', operator: '=~', value: '(' };
  assert.throws(() => compileMatchers([broken]), {
    name: 'Fault',
    message: /matcher of pod.*'\('/,
  });
});
