/** `prorata import`: imported files, and mistakes that change nothing. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { COMMAND } from '../support/command.ts';
import { Misuse } from '../../src/terminal/flags.ts';
import { importHistory } from '../../src/commands/import.ts';
import { Fault } from '../../src/query/index.ts';
import { openArrowFiles, type SetInfo } from '../../src/storage/index.ts';
import { DAY_MS, FIRST_MS, savedAnswer, savedRow, savedSet } from '../support/stores/saved-days.ts';
import { newArena } from '../support/stores/stored-sets.ts';

const HOUR_MS = 3_600_000;
const home = mkdtempSync(join(tmpdir(), 'prorata-import-'));
after(() => rmSync(home, { recursive: true, force: true }));
let files = 0;

function written(content: string | Uint8Array, name: string = `${files++}.json`): string {
  const path = join(home, name);
  writeFileSync(path, content);
  return path;
}

/** The command's exit code and both streams. */
function run(
  args: readonly string[],
  input: string | Uint8Array = '',
): [number | null, string, string] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'import', ...args], {
    input,
  });
  return [status, stdout.toString(), stderr.toString()];
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort();
}

async function stored(folder: string): Promise<readonly SetInfo[]> {
  const sets = await openArrowFiles({ folder, arena: newArena(), note: () => undefined });
  const infos = sets.list('allocations');
  await sets.close();
  return infos;
}

const startOf = ({ key }: SetInfo): string => new Date(key.startMs).toISOString().slice(0, 16);

const ROW = 'c/n/s/p/k';
const NOT_STORED = '2026-01-14T00:00:00.000Z to 2026-01-15T00:00:00.000Z is not stored: the answer lacks it'; // prettier-ignore
const day = (place: number, usd: number = 1): object =>
  savedSet(FIRST_MS + place * DAY_MS, { [ROW]: usd, 'c/n/__idle__': 2 });

describe('prorata import stores', () => {
  test('several files, plain, compressed and from standard input, in one change', async () => {
    const folder = join(home, 'several');
    const plain = written(savedAnswer(day(0), null, {}, day(1)));
    const packed = written(gzipSync(savedAnswer(day(2))));
    const [code, stdout, stderr] = run(
      ['allocations', plain, '--data-dir', folder, packed, '-', '--now', '2026-02-01T00:00:00Z'],
      `\uFEFF${savedAnswer(day(3))}`,
    );
    assert.deepEqual([code, stdout, stderr], [0, 'imported 4 days, 8 rows\n', '']);
    const infos = await stored(folder);
    assert.deepEqual(infos.map(startOf), ['2026-01-14T00:00', '2026-01-15T00:00', '2026-01-16T00:00', '2026-01-17T00:00']); // prettier-ignore
    assert.deepEqual(infos[0]?.meta, {
      state: 'sealed',
      timezone: 'UTC',
      createdMs: Date.UTC(2026, 1, 1),
      source: 'import 0.json',
      warnings: [],
    });
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('manifest')),
      ['manifest-1.json'],
    );
  });

  test('hours and days, and longer days when clocks change', async () => {
    const folder = join(home, 'zone');
    const start = Date.UTC(2025, 9, 25, 22); // 2025-10-26 in Berlin, of 25 hours
    const file = written(
      savedAnswer(
        savedSet(start, { [ROW]: 1 }, 25 * HOUR_MS),
        savedSet(start, { [ROW]: 1 }, HOUR_MS),
        savedSet(start + 24 * HOUR_MS, { [ROW]: 1 }, HOUR_MS),
      ),
    );
    const now = ['--now', '2025-10-27T12:00:00Z'];
    const args = ['allocations', file, '--data-dir', folder, '--timezone=Europe/Berlin', ...now];
    assert.deepEqual(run(args), [0, 'imported 1 day, 2 hours, 3 rows\n', '']);
    assert.equal((await stored(folder)).length, 3);
  });

  test('the existing days of an answer that lacks whole days', async () => {
    const folder = join(home, 'lacking');
    const answer = { code: 200, data: [{}, day(1)], warnings: [NOT_STORED], partial: true };
    const file = written(JSON.stringify(answer));
    assert.deepEqual(run(['allocations', file, '--data-dir', folder]), [0, 'imported 1 day, 2 rows\n', '']); // prettier-ignore
    assert.deepEqual((await stored(folder)).map(startOf), ['2026-01-15T00:00']);
  });

  test('a day that is not over, as partial', async () => {
    const folder = join(home, 'today');
    const file = written(savedAnswer(day(0)));
    await importHistory([
      'allocations',
      file,
      '--data-dir',
      folder,
      '--quiet',
      '--now',
      '2026-01-14T12:00:00Z',
    ]);
    assert.equal((await stored(folder))[0]?.meta.state, 'partial');
  });

  test('the CSV of OpenCost, for a named cluster', async () => {
    const folder = join(home, 'csv');
    const names = 'Date,Namespace,Pod,Container,CPUCost,RAMCost,TotalCost';
    const file = written(`${names}\n2026-01-14,n,p,c,1,2,3\n2026-01-15,n,p,c,1,2,3\n`);
    await importHistory(['opencost-csv', file, '--data-dir', folder, '--quiet']);
    assert.deepEqual((await stored(folder)).map(startOf), ['2026-01-14T00:00', '2026-01-15T00:00']);
    await assert.rejects(
      importHistory(['opencost-csv', file, '--data-dir', folder, '--timezone', 'Asia/Tokyo']),
      /is neither a day of Asia\/Tokyo nor an hour/,
    );
  });

  test('a day in place of a stored one when that is requested', async () => {
    const folder = join(home, 'replace');
    const args = ['--data-dir', folder, '--quiet'];
    await importHistory(['allocations', written(savedAnswer(day(0))), ...args]);
    const other = written(savedAnswer(savedSet(FIRST_MS, { [ROW]: 5 })));
    await assert.rejects(importHistory(['allocations', other, ...args]), /is stored already/);
    await importHistory(['allocations', other, ...args, '--replace']);
    assert.deepEqual(
      (await stored(folder)).map(({ rows }) => rows),
      [1],
    );
  });

  test('old days, with a warning that a server with a shorter retention would remove them', async () => {
    const hour = savedSet(FIRST_MS, { [ROW]: 1 }, HOUR_MS);
    const file = written(savedAnswer(day(0), hour, savedSet(FIRST_MS - 2 * DAY_MS, { [ROW]: 1 })));
    const retention = ['--retention', '30d', '--now', '2026-02-13T12:00:00Z'];
    const [code, , stderr] = run([
      'allocations',
      file,
      '--data-dir',
      join(home, 'old'),
      ...retention,
    ]);
    assert.equal(code, 0);
    assert.match(stderr, /^warning: 2 of 3 sets are older than what is kept: a server that fills/);
  });

  test('warnings of odd numbers with the set, and prints them', async () => {
    const folder = join(home, 'odd');
    const window = { start: '2026-01-14T00:00:00Z', end: '2026-01-15T00:00:00Z' };
    const labels = { 'a-b': '1', a_b: '2', app: 'web' };
    const odd = { totalCost: 3.5, properties: { cluster: 'c', labels } };
    const set = { web: savedRow(window, 1, odd) };
    const file = written(savedAnswer(set), 'odd.json');
    const [code, , stderr] = run([
      'allocations',
      file,
      '--data-dir',
      folder,
      '--now',
      '2026-02-01T00:00:00Z',
    ]);
    assert.equal(code, 0);
    const warnings = (await stored(folder))[0]?.meta.warnings ?? [];
    assert.equal(stderr, warnings.map((warning) => `warning: ${warning}\n`).join(''));
    assert.match(warnings[0] ?? '', /^odd\.json: totals differ by 2\.50 USD from the sums/);
    assert.match(warnings[1] ?? '', /^odd\.json: 1 of 1 rows name no container: they were aggre/);
    assert.match(warnings[2] ?? '', /^odd\.json: labels a-b and a_b differ only in characters/);
  });
});

const bad = (row: object): string => {
  const window = { start: '2026-01-15T00:00:00Z', end: '2026-01-16T00:00:00Z' };
  return savedAnswer(day(0), { [ROW]: savedRow(window, 1), 'c/n/s/q/k': savedRow(window, 1, row) });
};
const packed = gzipSync(savedAnswer(day(0), day(1)));

/** Broken files, imported after good ones. */
const BROKEN: readonly (readonly [what: string, content: string | Uint8Array, message: RegExp])[] = [
  ['a file that is cut off', bad({}).slice(0, -20), /bad: row 'c\/n\/s\/q\/k': it ends inside of/],
  ['gzip that is cut off', packed.subarray(0, -20), /bad is damaged, as gzip: unexpected end of file/],
  ['gzip whose bytes changed', packed.with(40, (packed[40] ?? 0) ^ 255), /bad is damaged, as gzip|bad: /],
  ['a text for a number', bad({ ramCost: 'x' }), /bad: row 'c\/n\/s\/q\/k': 'ramCost' is 'x', not a number/],
  ['a list for an object', bad({ properties: [] }), /bad: row 'c\/n\/s\/q\/k': 'properties' is an array/],
  ['two days in one set', savedAnswer({ a: savedSet(FIRST_MS, { a: 1 })['a'], b: savedSet(FIRST_MS + DAY_MS, { b: 1 })['b'] }), /bad: the set 2026-01-14T00:00:00Z to 2026-01-16T00:00:00Z is neither a day of UTC nor an hour/],
  ['a day of another zone', savedAnswer(savedSet(FIRST_MS - HOUR_MS, { [ROW]: 1 })), /bad: the set 2026-01-13T23:00:00Z to 2026-01-14T23:00:00Z is neither a day of UTC/],
  ['one day twice', savedAnswer(day(4), day(4, 2)), /bad: the set 2026-01-18T00:00:00Z to .* is twice in it/],
  ['a day of another of the files', savedAnswer(day(20)), /bad: the set 2026-02-03T00:00:00Z to .* is in .*good\.json as well/],
  ['an answer that is partial', JSON.stringify({ code: 200, data: [day(5)], partial: true }), /bad: it says that a part of its window is not in it/],
  ['an answer that is partial for more than a day that is not there', JSON.stringify({ code: 200, data: [day(5)], warnings: [NOT_STORED, 'gaps'], partial: true }), /bad: it says that a part of its window is not in it/],
  ['an answer without sets', savedAnswer(null, {}), /bad: there is no row in it/],
  ['an answer that refuses', '{"code":400,"message":"no such window"}', /bad: it has no list 'data' of sets, but says: no such window/],
  ['a bomb', gzipSync(Buffer.alloc(40 << 20, ' ')), /bad grows to more than 300 times its size/],
]; // prettier-ignore

describe('S-21: nothing changes, and file, row and field are named, for', () => {
  const folder = join(home, 'unchanged');
  const good = written(savedAnswer(day(20)), 'good.json');
  test('(a folder with a day)', () =>
    importHistory(['allocations', written(savedAnswer(day(9))), '--data-dir', folder, '--quiet']));

  for (const [what, content, message] of BROKEN)
    test(what, async () => {
      const before = namesIn(folder);
      const file = written(content, 'bad');
      const error = await importHistory(['allocations', good, file, '--data-dir', folder]).then(
        () => assert.fail('it was imported'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof Fault, String(error));
      assert.match(error.message, message);
      assert.deepEqual(namesIn(folder), before);
    });
});

const MISUSED: readonly (readonly [args: readonly string[], message: RegExp, hint: RegExp])[] = [
  [[], /^import needs a kind$/, /^known: allocations, opencost-csv, focus$/],
  [['allocation', 'x'], /^'allocation' cannot be imported$/, /^did you mean 'allocations'\?$/],
  [['allocations'], /^import needs files$/, /import allocations month\.json$/],
  [['allocations', 'x'], /^import needs a folder$/, /--data-dir/],
  [['allocations', '-', '-', '--data-dir', home], /^'-' can be read once$/, /^$/],
  [['allocations', 'x', '--replaced', '1'], /^unknown flag: '--replaced'$/, /mean '--replace'\?$/],
];

for (const [args, message, hint] of MISUSED)
  test(`import ${args.join(' ').replace(home, 'FOLDER')} is wrong usage`, () =>
    assert.rejects(importHistory(args), (error) => {
      assert.ok(error instanceof Misuse, String(error));
      assert.match(error.message, message);
      assert.match(error.hint ?? '', hint);
      return true;
    }));

test('a missing file, and a folder in its place, end with 1 before anything is created', async () => {
  const folder = join(home, 'none');
  const [code, , stderr] = run(['allocations', 'nope.json', '--data-dir', folder]);
  assert.equal(code, 1);
  assert.match(stderr, /^prorata: cannot read nope\.json: ENOENT: no such file/);
  const isFolder = /^cannot read .*: it is a folder$/;
  await assert.rejects(importHistory(['allocations', home, '--data-dir', folder]), {
    message: isFolder,
  });
  assert.ok(!readdirSync(home).includes('none'), 'no folder was made');
});

test('--help describes kinds, an example and the settings', () => {
  const [code, stdout] = run(['--help']);
  assert.equal(code, 0);
  assert.match(stdout, /^prorata import allocations FILE… --data-dir FOLDER \[flags\]\n/);
  assert.match(stdout, /\n {2}prorata import allocations month\.json --data-dir/);
});
