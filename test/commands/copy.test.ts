/** `prorata copy` as a caller sees it: a folder into another, and into ClickHouse and back. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { COMMAND } from '../support/command.ts';
import { ALLOCATION_COLUMNS } from '../../src/allocation/index.ts';
import { openArrowFiles } from '../../src/storage/index.ts';
import { parquetRows } from '../support/references/parquet-reading.ts';
import { startCloud } from '../support/servers/scripted-cloud.ts';
import {
  CLICKHOUSE_MISSING,
  PASSWORD,
  startClickHouse,
  USER,
} from '../support/stores/clickhouse.ts';
import { s3Answer, s3Script, s3Variables } from '../support/stores/s3-script.ts';
import { dayKey, encoded, newArena } from '../support/stores/stored-sets.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-copy-'));
after(() => rmSync(home, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param onStart gets the process before it has done anything */
async function copy(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  onStart: (child: ChildProcess) => void = () => undefined,
): Promise<Ended> {
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, [COMMAND, 'copy', ...args], { env });
  onStart(child);
  const all = Promise.all([text(child.stdout), text(child.stderr)]);
  await once(child, 'close');
  const [stdout, stderr] = await all;
  return { code: child.exitCode, stdout, stderr };
}

/** The bytes of each set, by its kind and times. */
function setsIn(folder: string): Map<string, string> {
  return new Map(
    readdirSync(join(folder, 'sets'))
      .toSorted()
      .map((name) => [
        name.replace(/-\d+-\d+\.arrow$/, ''),
        readFileSync(join(folder, 'sets', name)).toString('base64'),
      ]),
  );
}

const from = join(home, 'from');
const sets = await openArrowFiles({ folder: from, arena: newArena(), note: () => undefined });
const pods = ['api', 'db', 'api'];
await sets.write([
  await encoded(dayKey(0), { cpuCost: [1, 2, 0.1], pod: pods }),
  await encoded(dayKey(0, 'assets'), { cost: [1, 2.5, 9], node: pods }),
  await encoded(dayKey(1), { cpuCost: [3, 4, 5], pod: pods }),
]);
await sets.close();

test('a folder is copied byte for byte, once, and a set that differs is replaced', async () => {
  const to = join(home, 'to');
  const first = await copy(['--from', from, '--to', to, '--quiet']);
  assert.deepEqual([first.code, first.stderr], [0, '']);
  assert.match(first.stdout, /^copied 3 sets, 9 rows, \d+ bytes\n$/);
  assert.deepEqual(setsIn(to), setsIn(from));
  const target = await openArrowFiles({ folder: to, arena: newArena(), note: () => undefined });
  await target.write([await encoded(dayKey(1), { cpuCost: [7, 8, 9], pod: pods })]);
  await target.remove([dayKey(0, 'assets')]);
  await target.close();
  const { code, stdout } = await copy(['--from', from, '--to', to, '--json', '--quiet']);
  const { sets: count, same, damages } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual([code, count, same, damages], [0, 2, 1, []]);
});

test('a damaged set is told and left out, and the copy ends with 1', async () => {
  const damaged = join(home, 'damaged');
  cpSync(from, damaged, { recursive: true });
  const [name = ''] = readdirSync(join(damaged, 'sets')).filter((each) =>
    each.startsWith('assets'),
  );
  truncateSync(join(damaged, 'sets', name), 300);
  const { code, stdout, stderr } = await copy([
    '--from',
    damaged,
    '--to',
    join(home, 'rest'),
    '--quiet',
  ]);
  assert.equal(code, 1);
  assert.match(stderr, /damaged: assets of 2024-05-01T00:00:00\.000Z to .*: its directory/);
  assert.match(stdout, /^copied 2 sets, 6 rows/);
});

test('wrong usage ends with 2 and says what is meant', async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--from', from], /copy needs --from and --to/],
    [['--from', join(home, 'none'), '--to', join(home, 'x')], /there is no folder/],
    [['--from', from, '--to', 'mysql://x'], /--to is no place that is known/],
    [['--from', from, '--to', 's3://costs/month.csv'], /--to is no place that is known/],
    [['--from', from, '--to', 'clickhouse://me:secret@host/db'], /--to has a password in it/],
    [['--from', from, '--to', 'x', '--as', 'orc'], /--as: 'orc' is not parquet/],
    [
      ['--from', from, '--to', 'x', '--as', 'parquet', '--kinds', 'pods'],
      /'pods' is not allocations or assets/,
    ],
    [
      ['--from', from, '--to', 'clickhouse://localhost/db', '--as', 'parquet'],
      /a database has no files/,
    ],
    [['--from', 'clickhouse://host/db', '--to', from], /--from would send a password unencrypted/],
  ];
  const password = { STORE_PASSWORD: 'secret' };
  const ended = await Promise.all(cases.map(([args]) => copy(args, password)));
  for (const [i, { code, stderr }] of ended.entries()) {
    assert.equal(code, 2, stderr);
    assert.match(stderr, cases[i]?.[1] ?? /^$/);
    assert.doesNotMatch(stderr, /secret/);
  }
});

test('Ctrl-C ends a copy into a bucket with 130 and a whole window there; the next one goes on', async () => {
  const script = s3Script('costs');
  let running: ChildProcess | undefined;
  const cloud = await startCloud((request) => {
    const isSet = request.method === 'PUT' && request.url.pathname.includes('/sets/');
    // A second Ctrl-C would kill it.
    if (isSet) [running] = [undefined, running?.kill('SIGINT')];
    return s3Answer(script, request);
  });
  const variables = s3Variables(cloud.origin);
  try {
    const there = ['--from', from, '--to', 's3://costs/copied', '--quiet'];
    const first = await copy(there, variables, (child) => (running = child));
    assert.deepEqual(first, { code: 130, stdout: '', stderr: 'prorata: interrupted\n' });
    const objects = (): string[] =>
      [...script.files.keys()].filter((key) => key.startsWith('copied/sets/'));
    assert.equal(objects().length, 2, 'the sets of the first day');
    const second = await copy(there, variables);
    assert.deepEqual([second.code, second.stderr], [0, '']);
    assert.match(second.stdout, /^copied 1 sets, 3 rows, \d+ bytes; 2 were there already\n$/);
    const back = join(home, 'from a bucket');
    const third = await copy(['--from', 's3://costs/copied', '--to', back, '--quiet'], variables);
    assert.match(third.stdout, /^copied 3 sets, 9 rows/);
    assert.deepEqual(setsIn(back), setsIn(from));
    // One that something else removed is told, and the rest comes.
    script.files.delete(objects().find((key) => key.includes('assets')) ?? '');
    const rest = join(home, 'rest of a bucket');
    const last = await copy(['--from', 's3://costs/copied', '--to', rest, '--quiet'], variables);
    assert.equal(last.code, 1);
    assert.match(last.stderr, /damaged: assets of .*: its object is missing/);
    assert.match(last.stdout, /^copied 2 sets, 6 rows/);
  } finally {
    cloud.close();
  }
});

test('days are written as Parquet into a bucket and a folder, once, with all columns of their kind', async () => {
  const script = { ...s3Script('costs'), pageKeys: 100 };
  const cloud = await startCloud((request) => s3Answer(script, request));
  const variables = s3Variables(cloud.origin);
  try {
    const there = ['--from', from, '--to', 's3://costs/tables', '--as', 'parquet', '--quiet'];
    const first = await copy(there, variables);
    assert.deepEqual([first.code, first.stderr], [0, '']);
    assert.match(first.stdout, /^copied 3 sets, 9 rows, \d+ bytes\n$/);
    const again = await copy([...there, '--json'], variables);
    const { sets: count, same } = JSON.parse(again.stdout) as Record<string, unknown>;
    assert.deepEqual([again.code, count, same], [0, 0, 3]);
    const folder = join(home, 'tables');
    const some = ['--from', from, '--to', folder, '--as', 'parquet', '--kinds', 'allocations'];
    assert.match((await copy(some)).stdout, /^copied 2 sets, 6 rows/);
    const path = 'allocations/date=2024-05-01/20240501T000000Z-20240502T000000Z.parquet';
    const bytes = readFileSync(join(folder, path));
    assert.deepEqual(Buffer.from(script.files.get(`tables/${path}`)?.content ?? ''), bytes);
    const rows = await parquetRows(bytes);
    assert.deepEqual(
      rows.map(({ pod, cpuCost, ramCost }) => [pod, cpuCost, ramCost]),
      [1, 2, 0.1].map((cpuCost, i) => [pods[i], cpuCost, 0]),
    );
    const { texts, numbers } = ALLOCATION_COLUMNS;
    const names = ['windowStart', 'windowEnd', ...texts, ...numbers];
    assert.deepEqual(Object.keys(rows[0] ?? {}), names);
  } finally {
    cloud.close();
  }
});

describe('with ClickHouse', { skip: CLICKHOUSE_MISSING }, () => {
  test('sets go into ClickHouse and come back byte for byte', async () => {
    const server = await startClickHouse();
    try {
      const url = `${server.origin.replace('http', `clickhouse`).replace('//', `//${USER}@`)}/copied ${process.pid}`;
      const there = await copy(['--from', from, '--to', url, '--quiet'], {
        STORE_PASSWORD: PASSWORD,
      });
      assert.deepEqual([there.code, there.stderr], [0, '']);
      assert.match(there.stdout, /^copied 3 sets, 9 rows/);
      const back = join(home, 'back');
      const { code, stdout } = await copy(['--from', url, '--to', back, '--quiet'], {
        STORE_PASSWORD: PASSWORD,
      });
      assert.equal(code, 0);
      assert.match(stdout, /^copied 3 sets, 9 rows/);
      assert.deepEqual(setsIn(back), setsIn(from));
      const again = await copy(['--from', back, '--to', url, '--quiet'], {
        STORE_PASSWORD: PASSWORD,
      });
      assert.match(again.stdout, /^copied 0 sets, 0 rows, 0 bytes; 3 were there already\n$/);
    } finally {
      await server.stop();
    }
  });
});
