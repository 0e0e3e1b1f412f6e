/** `prorata export` as a caller sees it, and the import of its output. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { COMMAND } from '../support/command.ts';
import { Misuse } from '../../src/terminal/flags.ts';
import { exportSets } from '../../src/commands/export.ts';
import { importHistory } from '../../src/commands/import.ts';
import { openArrowFiles } from '../../src/storage/index.ts';
import { arrowBatches } from '../support/references/arrow-rows.ts';
import { parquetRows } from '../support/references/parquet-reading.ts';
import { readCsv } from '../support/references/read-csv.ts';
import { DAY_MS, FIRST_MS, savedAnswer, savedSet } from '../support/stores/saved-days.ts';
import { newArena } from '../support/stores/stored-sets.ts';

const NOW = ['--now', '2026-01-17T12:00:00Z', '--workers', '1'];
const home = mkdtempSync(join(tmpdir(), 'prorata-export-'));
const folder = join(home, 'data');
after(() => rmSync(home, { recursive: true, force: true }));

/** Three days, the second of them not stored. */
before(async () => {
  const rows = { 'c/n/web/p/k': 0.1, 'c/n/api/q/k': 1 / 3, 'c/m/api/r/k': 7 };
  const sets = [0, 2].map((day) =>
    savedSet(FIRST_MS + day * DAY_MS, { ...rows, 'c/n/__idle__': 2 + day, 'c/m/__idle__': 5 }),
  );
  const file = join(home, 'days.json');
  writeFileSync(file, savedAnswer(...sets));
  await importHistory(['allocations', file, '--data-dir', folder, '--quiet', ...NOW]);
});

const WINDOW = ['--window', '2026-01-14T00:00:00Z,2026-01-17T00:00:00Z'];

async function exported(...args: readonly string[]): Promise<Buffer> {
  const file = join(home, 'out');
  rmSync(file, { force: true });
  await exportSets(['--data-dir', folder, '--quiet', '-o', file, ...NOW, ...args]);
  return readFileSync(file);
}

test('to standard output, with warnings on standard error, while a server has the folder', async () => {
  const sets = await openArrowFiles({ folder, arena: newArena(), note: () => undefined });
  const before = readdirSync(folder, { recursive: true }).map(String).sort();
  const args = ['export', '--data-dir', folder, ...WINDOW, ...NOW, '--aggregate', 'namespace'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [
    COMMAND,
    ...args,
    '--format',
    'csv',
  ]);
  assert.deepEqual(readdirSync(folder, { recursive: true }).map(String).sort(), before);
  await sets.close();
  assert.equal(status, 0);
  const cells = readCsv(stdout.toString()).map((row) => [row[0], row.at(-1)]);
  assert.deepEqual(cells, [
    ['Name', 'Total'],
    ['__idle__', '16'],
    ['api', String(2 * (1 / 3 + 7))],
    ['web', '0.2'],
  ]);
  assert.match(
    stderr.toString(),
    /^warning: the answer is partial\nwarning: 2026-01-15T00:00:00\.000Z to .* is not stored: the answer/,
  );
});

interface Row {
  readonly name: string;
  readonly totalCost: number;
  readonly labels?: string;
}

test('all formats have the same rows, the newest set first', async () => {
  const json = JSON.parse((await exported(...WINDOW)).toString()) as {
    readonly data: readonly Readonly<Record<string, Row>>[];
  };
  const rows = json.data.flatMap((set) => Object.values(set));
  assert.deepEqual(
    json.data.map((set) => Object.keys(set).length),
    [4, 0, 4],
  );
  const lines = (await exported(...WINDOW, '--format', 'ndjson')).toString().trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    rows,
  );
  const csv = ['--format', 'csv', '--columns', 'full', '--accumulate', 'false'];
  const [header = [], ...cells] = readCsv((await exported(...WINDOW, ...csv)).toString());
  const total = header.indexOf('totalCost');
  assert.deepEqual(
    cells.map((row) => [row[0], Number(row[total])]),
    rows.map(({ name, totalCost }) => [name, totalCost]),
  );
  const batches = arrowBatches(await exported(...WINDOW, '--format', 'arrow'));
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [4, 0, 4],
  );
  assert.deepEqual(
    batches.flat().map((row) => [row['name'], row['totalCost']]),
    rows.map(({ name, totalCost }) => [name, totalCost]),
  );
});

test('Parquet has all fields of the CSV, and null where JSON has null', async () => {
  const rows = await parquetRows(await exported(...WINDOW, '--format', 'parquet'));
  const csv = ['--format', 'csv', '--columns', 'full', '--accumulate', 'false'];
  const [header = [], ...lines] = readCsv((await exported(...WINDOW, ...csv)).toString());
  assert.equal(rows.length, lines.length);
  assert.deepEqual(Object.keys(rows[0] ?? {}).slice(0, header.length), header);
  rows.forEach((row, i) =>
    header.forEach((name, place) => assert.equal(textOf(row[name]), lines[i]?.[place], name)),
  );
});

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  return value === null ? '' : String(value as string | number);
}

test('exported and imported sets give the same answers, byte by byte', async () => {
  const whole = ['--splitIdle', 'true', '--idleByNode', 'true'];
  const file = join(home, 'moved.json');
  writeFileSync(file, await exported(...WINDOW, ...whole));
  const other = join(home, 'other');
  await importHistory(['allocations', file, '--data-dir', other, '--quiet', ...NOW]);
  for (const question of [
    whole,
    ['--aggregate', 'namespace', '--shareIdle', 'true', '--idleByNode', 'true'],
  ]) {
    const [here, there] = [
      await exported(...WINDOW, ...question),
      await exported(...WINDOW, ...question, '--data-dir', other),
    ];
    assert.equal(there.toString(), here.toString(), question.join(' '));
  }
});

test('a damaged set is reported, also by the exit code, and the others are exported', async () => {
  const damaged = join(home, 'damaged');
  await importHistory(['allocations', join(home, 'days.json'), '--data-dir', damaged, '--quiet']);
  const [first = ''] = readdirSync(join(damaged, 'sets')).toSorted();
  truncateSync(join(damaged, 'sets', first), 500);
  const args = ['export', '--data-dir', damaged, ...WINDOW, ...NOW, '--quiet'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args]);
  assert.equal(status, 1, 'the damage shows in the exit code');
  const { data, partial } = JSON.parse(stdout.toString()) as { data: object[]; partial: boolean };
  assert.deepEqual([data.map((set) => Object.keys(set).length), partial], [[4, 0, 0], true]);
  assert.match(stderr.toString(), /warning: the stored allocations of 2026-01-14T.* are damaged/);
});

describe('export refuses', () => {
  const REFUSED: readonly (readonly [args: readonly string[], error: RegExp])[] = [
    [['--window', '7d', '--format', 'orc', '--data-dir', folder], /^--format: 'orc' is not json or csv or ndjson or arrow$/],
    [['--window', 'sometime', '--data-dir', folder], /^--window: 'sometime' is not a window/],
    [['--data-dir', folder], /^--window is missing|^parameter 'window' is missing|--window/],
    [['--window', '7d'], /^export needs a folder$/],
    [['--window', '7d', '--data-dir', folder, '--agregate', 'pod'], /^unknown flag: '--agregate'$/],
  ]; // prettier-ignore
  for (const [args, message] of REFUSED)
    test(`as wrong usage: ${args.join(' ').replace(folder, 'FOLDER')}`, () =>
      assert.rejects(exportSets(args), (error) => {
        assert.ok(error instanceof Misuse, String(error));
        assert.match(error.message, message);
        return true;
      }));

  test('a window without stored sets, and a folder that does not exist', async () => {
    const file = join(home, 'none.json');
    const rest = ['--window', '2020-01-01T00:00:00Z,2020-01-03T00:00:00Z', '-o', file];
    await assert.rejects(exportSets(['--data-dir', folder, ...rest]), {
      message: `nothing of the window is stored in ${folder}`,
    });
    await assert.rejects(exportSets(['--data-dir', join(home, 'nowhere'), ...rest]), {
      message: /^there is no folder /,
    });
    assert.ok(!readdirSync(home).includes('none.json'), 'no file was made');
  });
});
