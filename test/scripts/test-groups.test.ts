/** Which test files share a process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testGroups } from '../../scripts/test-groups.ts';

const file = (path: string, text = ''): { path: string; text: string } => ({ path, text });

const oneSecond = (): { seconds: number; cores: number } => ({ seconds: 1, cores: 1 });

test('each file is in one group, and files that open something share none with unit tests', () => {
  const wide = Array.from({ length: 14 }, (_, index) => file(`w${index}`));
  const unit = Array.from({ length: 30 }, (_, index) => file(`u${index}`));
  const groups = testGroups(wide, unit, oneSecond);
  assert.deepEqual(groups.flat().toSorted(), [...wide, ...unit].map(({ path }) => path).toSorted());
  assert.deepEqual(
    groups.map((group) => group.length),
    [7, 7, 10, 10, 10],
  );
  for (const group of groups) assert.equal(new Set(group.map((path) => path[0])).size, 1);
});

test('a file that cannot share a process has one of its own', () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ["before(() => {});\ntest('a', () => {});", false],
    ["test('a', async () => {\n  await b();\n});", false],
    ['const a = await b();', true],
    ['await b();', true],
    ['export const a = 1;', true],
    ['// In a process of its own: it counts threads.', true],
  ];
  for (const [text, isAlone] of rows) {
    const groups = testGroups([], [file('a', text), file('b')], oneSecond);
    assert.equal(groups.length, isAlone ? 2 : 1, text);
  }
});

test('a file that opens something and is long, or waits, has a process of its own', () => {
  const groups = testGroups([file('long'), file('waits'), file('a'), file('b')], [], (path) => ({
    seconds: path === 'long' ? 6 : 1,
    cores: path === 'waits' ? 0.3 : 1,
  }));
  assert.deepEqual(groups, [['long'], ['waits'], ['a', 'b']]);
});

test('groups take about as long as one another', () => {
  const seconds = new Map([['a', 14], ['b', 8], ['c', 6], ['d', 4], ['e', 2]]); // prettier-ignore
  const groups = testGroups(
    [],
    [...seconds.keys()].map((path) => file(path)),
    (path) => ({ seconds: seconds.get(path) ?? 0, cores: 1 }),
  );
  assert.deepEqual(groups, [['a'], ['b', 'e'], ['c', 'd']]);
});

test('no unit tests make no group', () => {
  assert.deepEqual(testGroups([file('w')], [], oneSecond), [['w']]);
});
