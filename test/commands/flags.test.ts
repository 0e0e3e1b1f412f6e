/** A command's own flags among the settings. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { flagsHelp, Misuse, takeFlags, usage, type Flag } from '../../src/terminal/flags.ts';
import { Fault, refuse } from '../../src/query/index.ts';

const FLAGS: readonly Flag[] = [
  { name: 'output', short: 'o', value: 'FILE', help: 'where to' },
  { name: 'quiet', help: 'says nothing' },
];

const TAKEN: readonly (readonly [
  argv: string[],
  values: Record<string, string>,
  rest: string[],
])[] = [
  [['--output', 'a', '--port', '1'], { output: 'a' }, ['--port', '1']],
  [['--output=a=b'], { output: 'a=b' }, []],
  [['-o', 'a', '-o=b'], { output: 'b' }, []],
  [['-o', '-'], { output: '-' }, []],
  [['--output='], { output: '' }, []],
  [['--quiet', 'x'], { quiet: '' }, ['x']],
  [['--outputs', '--quie'], {}, ['--outputs', '--quie']],
];
for (const [argv, values, rest] of TAKEN)
  test(`the command's own flags of '${argv.join(' ')}' are ${JSON.stringify(values)}`, () => {
    const taken = takeFlags(argv, FLAGS);
    assert.deepEqual(Object.fromEntries(taken.values), values);
    assert.deepEqual(taken.rest, rest);
  });

for (const [argv, message] of [
  [['--output'], /^--output needs a value/],
  [['-o', '--quiet'], /^-o needs a value/],
  [['--quiet=no'], /^--quiet takes no value/],
] as const)
  test(`'${argv.join(' ')}' is refused`, () => {
    assert.throws(() => takeFlags(argv, FLAGS), { name: 'Fault', message });
  });

test('a refused parameter is named by its flag', () => {
  const parse = (): never => {
    throw refuse('output', '?', 'a file', 'a.json');
  };
  assert.throws(
    () => usage(FLAGS, parse),
    (error: unknown) => {
      assert.ok(error instanceof Misuse, String(error));
      assert.equal(error.message, "--output: '?' is not a file");
      assert.equal(error.hint, 'for example --output=a.json');
      return true;
    },
  );
});

test('other errors than Faults are unchanged', () => {
  const parse = (): never => {
    throw new TypeError('a bug');
  };
  assert.throws(() => usage(FLAGS, parse), TypeError);
  assert.ok(!(new Fault('x') instanceof Misuse), 'a fault is taken for misuse');
});

test('help has two lines for each flag', () => {
  assert.equal(
    flagsHelp(FLAGS),
    '  --output, -o FILE\n      where to\n  --quiet\n      says nothing\n',
  );
});
