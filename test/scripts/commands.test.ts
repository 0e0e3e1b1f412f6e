/** Help and refusals of every script that people run. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { helpOf, read, UsageError, type Command } from '../../scripts/command-line.ts';
import { COMMANDS } from '../../scripts/commands.ts';
import { importsOf, sourceFiles } from '../support/source-text.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const commands: [string, Command][] = Object.entries(COMMANDS);

/** Arguments between blanks, or within single quotes. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

function refused(command: Command, args: readonly string[]): string {
  try {
    read(command, args);
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return error.message;
  }
  throw new assert.AssertionError({ message: `${args.join(' ')} is accepted` });
}

test('every script that no other imports reads its arguments by its entry in the table', () => {
  const files = sourceFiles(ROOT);
  const imported = new Set(files.flatMap(importsOf).map(({ to }) => to));
  const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = Object.values(scripts).map((line) => /\S+\.ts$/.exec(line)?.[0]);
  const found = files.flatMap(({ path, text }) => {
    const name = /^[^/*]*\bcommandLine\('([\w-]+)'\)/m.exec(text)?.[1];
    if (name !== undefined && path.startsWith('test/')) return [];
    const isScript = /^scripts\/[\w-]+\.ts$/.test(path) && !imported.has(path);
    if (isScript || named.includes(path))
      assert.ok(name !== undefined, `${path} does not read its arguments by commandLine`);
    return name === undefined ? [] : [name];
  });
  assert.deepEqual(found.toSorted(), Object.keys(COMMANDS).toSorted());
});

for (const [name, command] of commands) {
  const operands = Array<string>(command.operands?.least ?? 0).fill('x');

  test(`${name} --help lists its options and defaults`, () => {
    assert.equal(read(command, ['--help']), undefined);
    const help = helpOf(command);
    assert.ok(help.startsWith(`Usage: ${command.run}`));
    for (const [option, { value, default: otherwise = '' }] of Object.entries(command.options)) {
      assert.ok(help.includes(value === undefined ? `--${option}\n` : `--${option} ${value}\n`));
      assert.ok(help.includes(otherwise === '' ? '' : `; default ${otherwise}\n`), option);
    }
  });

  test(`${name} accepts its examples`, () => {
    for (const example of command.examples) assert.ok(read(command, words(example)), example);
  });

  test(`${name} refuses unknown options and arguments with the nearest name`, () => {
    assert.match(
      refused(command, ['--nosuch', ...operands]),
      /^unknown option "--nosuch": expected --/,
    );
    for (const option of Object.keys(command.options).filter(({ length }) => length > 3))
      assert.match(
        refused(command, [`--x${option}`, ...operands]),
        new RegExp(`^unknown option "--x${option}": did you mean --${option}\\?`),
      );
    if (command.operands?.most === Infinity)
      assert.match(refused(command, ['nosuch']), /^unknown \w+ "nosuch": .*expected /);
    else
      assert.match(
        refused(command, [...Array<string>(command.operands?.most ?? 0).fill('x'), 'nosuch']),
        /^unexpected argument "nosuch": expected /,
      );
  });
}

const VALUES: readonly (readonly [Command, string, RegExp])[] = [
  [COMMANDS.check, '--only=lnt', /^invalid --only "lnt": did you mean lint\? expected types, /],
  [COMMANDS.check, '--seed=x', /^invalid --seed "x": expected a whole number or random/],
  [COMMANDS.bench, 'warn', /^unknown NAME "warn": did you mean warm\? expected xor-decode, /],
  [COMMANDS.fuzz, '--requests=many', /^invalid --requests "many": expected a whole number of at least 1/],
  [COMMANDS.fuzz, '--port=70000', /^invalid --port "70000": expected a whole number from 1 to 65535/],
  [COMMANDS.fuzz, '--seed', /^missing value of --seed: expected N/],
  [COMMANDS.fuzz, '--front-end=nodes', /^invalid --front-end "nodes": did you mean node\? expected uws, node/],
  [COMMANDS.torture, '--workers=1,none', /^invalid --workers "1,none": expected whole numbers/],
  [COMMANDS.torture, '--short=yes', /^invalid --short=yes: --short takes no value/],
  [COMMANDS.simulate, "'--planted=a lying disc'", /^invalid --planted "a lying disc": did you mean a lying disk/],
  [COMMANDS.openb, '--interval=60', /^invalid --interval "60": expected a duration such as 60s/],
  [COMMANDS['lay-out'], '', /^missing argument: expected FOLDER/],
]; // prettier-ignore

for (const [command, argument, message] of VALUES)
  test(`${command.run} ${argument} is refused with what is accepted`, () => {
    assert.match(refused(command, words(argument)), message);
  });

test('help and wrong usage end a script before it does anything', () => {
  const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, ['--import', 'tsx', ...args], { cwd: ROOT, encoding: 'utf8' });
  const help = run('bench/run.ts', '--help');
  assert.deepEqual([help.status, help.stderr], [0, '']);
  assert.equal(help.stdout, helpOf(COMMANDS.bench));
  const wrong = run('scripts/write-dashboards.ts', '--nosuch');
  assert.deepEqual([wrong.status, wrong.stdout], [2, '']);
  assert.match(wrong.stderr, /^unknown option "--nosuch": expected --help\n/);
});
