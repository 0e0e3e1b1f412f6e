/** `prorata import focus`: what it stores, prints and refuses. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { COMMAND } from '../support/command.ts';
import { Misuse } from '../../src/terminal/flags.ts';
import { importFocus } from '../../src/commands/import-focus.ts';
import { focusCsv } from '../support/stores/focus-rows.ts';
import { writeGenerated } from '../support/focus-sample.ts';
import { zstdFrame } from '../support/stores/zstd-frame.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-import-focus-'));
after(() => rmSync(home, { recursive: true, force: true }));

function written(name: string, content: string | Uint8Array): string {
  const path = join(home, name);
  writeFileSync(path, content);
  return path;
}

/** The command's exit code and both streams. */
function run(args: readonly string[], input: string = ''): [number | null, string, string] {
  const given = [COMMAND, 'import', 'focus', '--data-dir', join(home, 'data'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, given, { input });
  return [status, stdout.toString(), stderr.toString()];
}

test('a bill of all columns is stored, and a second import replaces it', () => {
  const sample = writeGenerated(home);
  const line = 'imported 1000 rows of focus as cloud, billed from 2024-09-01, 2024-10-01';
  const lacking = /^warning: ContractedCost is empty in \d+ rows: BilledCost counts for it, /m;
  for (const before of ['', ', in place of 1000 rows']) {
    const [code, stdout, stderr] = run([sample, '--as', 'cloud']);
    assert.deepEqual([code, stdout], [0, `${line}${before}\n`]);
    assert.match(stderr, lacking);
  }
});

test('files compressed by gzip and zstd and standard input together are one delivery', () => {
  const packed = written('a.csv.gz', gzipSync(focusCsv({}, {})));
  const other = written('b.csv.zst', zstdFrame(Buffer.from(focusCsv({}))));
  const args = [packed, '-', other, '--as', 'external', '--source=mix'];
  const [code, stdout, stderr] = run(args, focusCsv({}));
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(stdout, 'imported 4 rows of mix as external, billed from 2024-09-01\n');
});

test('a file with a bad row is refused, unless bad rows are skipped: then each is reported', () => {
  const bad = written('bad.csv', focusCsv({}, { BilledCost: 'x' }));
  const complaint = `${bad}, row 3, column BilledCost: 'x' is not a number`;
  const before = readdirSync(join(home, 'data', 'sets'));
  const [code, stdout, stderr] = run([bad, '--as', 'cloud']);
  assert.deepEqual([code, stdout], [1, '']);
  assert.ok(stderr.startsWith(`prorata: ${complaint}`), stderr);
  assert.match(stderr, /--skip-bad-rows/);
  assert.deepEqual(readdirSync(join(home, 'data', 'sets')), before);
  assert.deepEqual(run([bad, '--as', 'cloud', '--source=bad', '--skip-bad-rows']), [
    0,
    'imported 1 row of bad as cloud, billed from 2024-09-01; left out 1 bad row\n',
    `warning: ${complaint}\n`,
  ]);
});

test('a missing file, and a folder in its place, end with 1', () => {
  assert.match(run([join(home, 'nope.csv'), '--as=cloud'])[2], /^prorata: cannot read .*ENOENT/);
  assert.match(run([home, '--as=cloud'])[2], /^prorata: cannot read .*: it is a folder\n/);
});

const MISUSED: readonly (readonly [args: readonly string[], message: RegExp, hint: RegExp])[] = [
  [['--as', 'cloud'], /^import focus needs files$/, /import focus bill\.csv$/],
  [['x', '--as', 'cloud'], /^import needs a folder$/, /--data-dir/],
  [['x', '--data-dir', home], /^--as is needed$/, /^--as cloud or external$/],
  [['x', '--as', 'clod', '--data-dir', home], /^--as: 'clod' is no purpose$/, /'cloud'/],
  [
    ['x', '--as=cloud', '--source=A B', '--data-dir', home],
    /^--source: 'A B' is no name of a source$/,
    /such as aws-main$/,
  ],
  [
    ['x', '--as=cloud', '--currency=euro', '--data-dir', home],
    /^--currency: 'euro' is no currency$/,
    /USD/,
  ],
];

for (const [args, message, hint] of MISUSED)
  test(`import focus ${args.join(' ').replace(home, 'FOLDER')} is wrong usage`, () =>
    assert.rejects(importFocus(args), (error) => {
      assert.ok(error instanceof Misuse, String(error));
      assert.match(error.message, message);
      assert.match(error.hint ?? '', hint);
      return true;
    }));
