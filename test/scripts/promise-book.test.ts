import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PromiseBook } from '../../scripts/promise-book.ts';
import type { TestEvent } from '../../scripts/run-tests.ts';
import { idsIn, PROMISES } from '../support/promises.ts';
import { sourceFiles } from '../support/source-text.ts';

const pass = (name: string): TestEvent => ({ type: 'test:pass', data: { name } });
const fail = (name: string): TestEvent => ({ type: 'test:fail', data: { name } });
const skip = (name: string): TestEvent => ({ type: 'test:pass', data: { name, skip: 'no store' } });
const told = (message: string): TestEvent => ({ type: 'test:diagnostic', data: { message } });

const PLAIN = { id: 'P-L2', says: 'it goes on' };
const COUNTED = { ...PLAIN, figure: '3 times' };
const LATER = { ...PLAIN, later: 'nobody built it' };

/** What tests said of one promise, what breaks it, and what its line shows. */
const BOOKS: readonly (readonly [string, typeof PLAIN, TestEvent[], string[], RegExp])[] = [
  ['without a test', PLAIN, [pass('others'), pass('P-L2 without its colon')], ['P-L2: no test holds it'], /P-L2 +BROKEN/],
  ['with a test that failed', PLAIN, [pass('P-L2: a'), fail('P-L2: b')], ['P-L2: 1 of its tests failed'], /BROKEN/],
  ['with tests that passed', PLAIN, [pass('P-L2: a'), pass('P-C1, P-L2: b')], ['P-C1 is named by a test, and no promise'], /held by 2 tests/],
  ['with skipped tests alone', COUNTED, [skip('P-L2: a')], [], /skipped here/],
  ['with a figure that nobody tells', COUNTED, [pass('P-L2: a')], ["P-L2: no test tells what it measured beside '3 times'"], /BROKEN/],
  ['with a figure', COUNTED, [pass('P-L2: a'), told('measured P-L2: 4 times')], [], /\[3 times\]\n +measured: 4 times\n/],
  ['that is for later', LATER, [], [], /not yet: nobody built it/],
  ['that was for later and is held now', LATER, [pass('P-L2: a')], [], /held by 1 test /],
  ['that was for later and is broken now', LATER, [fail('P-L2: a')], ['P-L2: 1 of its tests failed'], /BROKEN/],
]; // prettier-ignore

for (const [what, promise, events, breaks, line] of BOOKS) {
  test(`a promise ${what} ${breaks.length > 0 ? 'fails the gate' : 'is well'}`, () => {
    const book = new PromiseBook([promise]);
    for (const event of events) book.hear(event);
    assert.deepEqual(book.breaks, breaks);
    assert.match(book.table, line);
  });
}

test('P-COV: every promise is named by a test or says why not yet, and no test names another', () => {
  const files = sourceFiles(fileURLToPath(new URL('../..', import.meta.url)));
  const named = files
    .filter(({ path }) => path.endsWith('.test.ts') && !path.endsWith('promise-book.test.ts'))
    .flatMap(({ text }) => [...text.matchAll(/\b(?:test|describe)\(\s*['"`]((?:[^'"`\\]|\\.)*)/g)])
    .flatMap(([, name = '']) => idsIn(name));
  const ids = PROMISES.map(({ id }) => id);
  assert.deepEqual([...new Set(ids)], ids, 'each id stands once');
  assert.deepEqual(
    [...new Set(named)].filter((id) => !ids.includes(id)),
    [],
    'tests name promises of the table',
  );
  const isHeld = new Set([...named, 'P-COV']);
  const bare = PROMISES.filter(({ id, later }) => later === undefined && !isHeld.has(id));
  assert.deepEqual(
    bare.map(({ id }) => id),
    [],
    'each promise has a test',
  );
});
