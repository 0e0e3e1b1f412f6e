/** Flags of V8 by version of Node, against what the Node that runs lists. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hasV8Flag, V8_FLAGS } from '../../../src/columnar/memory/v8-flags.ts';
import { sourceFiles } from '../../support/source-text.ts';

const LISTED = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8' }).stdout;
const listed = (flag: string): boolean =>
  new RegExp(`^ *--${flag} `, 'm').test(LISTED.replaceAll('_', '-'));

for (const flag of V8_FLAGS) {
  test(`--${flag} is set only if V8 of the running Node lists it`, () => {
    assert.ok(listed('expose-gc'), 'the list is read');
    if (hasV8Flag(flag)) assert.ok(listed(flag));
  });
}

test('the interrupt budget is set on Node 20 and not from 22', () => {
  assert.deepEqual(
    [20, 22, 24, 26].map((major) => hasV8Flag('interrupt-budget', major)),
    [true, false, false, false],
  );
});

test('a version of Node that was not looked at sets no flag', () => {
  assert.deepEqual(
    V8_FLAGS.filter((flag) => hasV8Flag(flag, 28)),
    [],
  );
});

test('sources set flags through the table, but for --expose-gc, which every version has', () => {
  assert.ok(listed('expose-gc'));
  const calls = sourceFiles(fileURLToPath(new URL('../../..', import.meta.url)))
    .filter(({ path }) => /^(src|workers)\//.test(path) && !path.endsWith('/v8-flags.ts'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/setFlagsFromString\((.*)\)/g)].map(([, flag]) => `${path} ${flag}`),
    );
  assert.ok(calls.length > 0, 'calls are found');
  assert.deepEqual(
    calls.filter((call) => !call.endsWith(" '--expose-gc'")),
    [],
  );
});
