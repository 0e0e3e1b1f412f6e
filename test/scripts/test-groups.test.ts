/** Which test files share a process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testGroups } from '../../scripts/test-groups.ts';

const file = (path: string, text = ''): { path: string; text: string } => ({ path, text });

const oneSecond = (): number => 1;

test('each file is in one group, and files that open something are alone and first', () => {
  const unit = Array.from({ length: 15 }, (_, index) => file(`u${index}`));
  const groups = testGroups(['w0', 'w1'], unit, oneSecond);
  assert.deepEqual(groups.slice(0, 2), [['w0'], ['w1']]);
  assert.deepEqual(
    groups.flat().toSorted(),
    ['w0', 'w1', ...unit.map(({ path }) => path)].toSorted(),
  );
  const sizes = groups.slice(2).map((group) => group.length);
  assert.deepEqual(sizes, [5, 5, 5]);
});

test('a file with a hook of its process has a process of its own', () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ["beforeEach(() => {});\ntest('a', () => {});", true],
    ['afterEach(() => {});', true],
    ['before(() => {});', true],
    ['after(() => {});', true],
    ["describe('a', () => {\n  beforeEach(() => {});\n});", false],
  ];
  for (const [text, isAlone] of rows) {
    const groups = testGroups([], [file('a', text), file('b')], oneSecond);
    assert.equal(groups.length, isAlone ? 2 : 1, text);
  }
});

test('groups take about as long as one another', () => {
  const seconds = new Map([['a', 7], ['b', 4], ['c', 3], ['d', 2], ['e', 1]]); // prettier-ignore
  const groups = testGroups(
    [],
    [...seconds.keys()].map((path) => file(path)),
    (path) => seconds.get(path) ?? 0,
  );
  assert.deepEqual(groups, [['a'], ['b', 'e'], ['c', 'd']]);
});

test('no unit tests make no group', () => {
  assert.deepEqual(testGroups(['w'], [], oneSecond), [['w']]);
});
