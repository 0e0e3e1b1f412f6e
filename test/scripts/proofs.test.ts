/** The table of proofs: what it names is there, and no long form of a test is missing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { COMMANDS } from '../../scripts/commands.ts';
import { read, type Command } from '../../scripts/command-line.ts';
import { nodeTable } from '../../scripts/proofs/nodes.ts';
import { filesOf, PROOFS, variablesOf } from '../../scripts/proofs/table.ts';
import { evenly } from '../support/sampled.ts';
import { importsOf, sourceFiles } from '../support/source-text.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const files = sourceFiles(ROOT);
const textOf = new Map(files.map(({ path, text }) => [path, text]));
const SAMPLED = 'test/support/sampled.ts';
/** Read by what every test has in common. */
const COMMON = ['PROVE', 'PROPERTY_RUNS', 'PROPERTY_SEED'];

test('each proof has a name of its own, rooms of src, and files that read its variables', () => {
  const names = PROOFS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const rooms = new Set(files.map(({ path }) => /^src\/([\w-]+)\//.exec(path)?.[1]));
  for (const proof of PROOFS) {
    for (const room of proof.rooms) assert.ok(room === 'all' || rooms.has(room), room);
    if (!('files' in proof)) continue;
    const texts = filesOf(proof, files).map((path) => textOf.get(path) ?? assert.fail(path));
    for (const name of Object.keys(variablesOf(proof)).filter((each) => !COMMON.includes(each)))
      assert.ok(
        texts.some((text) => text.includes(`'${name}'`)),
        `${proof.name}: ${name}`,
      );
  }
});

test('each proof that is a script has options that the script takes', () => {
  const commands: Readonly<Record<string, Command>> = COMMANDS;
  for (const proof of PROOFS)
    if ('script' in proof) {
      const command = commands[proof.script] ?? assert.fail(proof.script);
      assert.ok(read(command, proof.args.split(' ')), proof.name);
    }
});

test('each test file of which the gate runs a sample is whole in a proof', () => {
  const proved = new Set(
    PROOFS.flatMap((proof) => ('files' in proof ? filesOf(proof, files) : [])),
  );
  const samples = files.filter(
    (file) =>
      file.path.endsWith('.test.ts') &&
      file.path !== 'test/scripts/proofs.test.ts' &&
      importsOf(file).some(({ to }) => to === SAMPLED),
  );
  const missing = samples.filter(({ path }) => !proved.has(path)).map(({ path }) => path);
  assert.deepEqual(missing, []);
});

test('a sample is evenly spaced, and samples of all turns are all cases', () => {
  const cases = Array.from({ length: 23 }, (_, i) => i);
  assert.deepEqual(evenly(cases, 5, 0), [0, 4, 9, 13, 18]);
  assert.deepEqual(evenly(cases, 23, 1), cases);
  const turns = Array.from({ length: 5 }, (_, turn) => evenly(cases, 5, turn));
  assert.deepEqual(
    [...new Set(turns.flat())].toSorted((a, b) => a - b),
    cases,
  );
  assert.ok(turns.every((turn) => turn.length === 5));
});

test('versions of Node stand side by side, with the speed of each beside the first', () => {
  const table = nodeTable(
    ['20', '24'],
    [['unit', [{ passed: true, text: 'ok' }, { passed: false, text: 'FAILED' }]]],
    [new Map([['sums: ours', 4], ['gone', 1]]), new Map([['sums: ours', 2]])],
  ); // prettier-ignore
  assert.equal(
    table,
    [
      '|  | Node 20 | Node 24 |',
      '| --- | --- | --- |',
      '| unit | ok | FAILED |',
      '| sums: ours | 4 ms | 2 ms, 2.00× |',
      '| gone | 1 ms |  |\n',
    ].join('\n'),
  );
});
