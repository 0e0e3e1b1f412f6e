/** `prorata fsck` as a caller sees it: exit code and both streams. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { COMMAND } from '../support/command.ts';
import { encodeLabels } from '../../src/metrics/index.ts';
import { writeBlock, XorAppender } from '../../src/tsdb/index.ts';
import { openArrowFiles, type Report } from '../../src/storage/index.ts';
import { dayKey, encoded, newArena } from '../support/stores/stored-sets.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-fsck-'));
after(() => rmSync(home, { recursive: true, force: true }));

function run(args: readonly string[]): readonly [number | null, string, string] {
  const env = { ...process.env, DATA_DIR: '' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'fsck', ...args], {
    env,
  });
  return [status, stdout.toString(), stderr.toString()];
}

const folder = join(home, 'data');
const sets = await openArrowFiles({ folder, arena: newArena(), note: () => undefined });
await sets.write([
  await encoded(dayKey(0), { cpuCost: [1, 2] }),
  await encoded(dayKey(1), { cpuCost: [3, 4] }),
]);

test('P-C10: an undamaged folder ends with 0, also while a server uses it', () => {
  const [code, stdout, stderr] = run(['--data-dir', folder]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(
    stdout,
    /^newest is manifest-1\.json\n2 sets checked, \d+ bytes whole, 0 damaged\n$/,
  );
});

test('P-C10: damage ends with 1 and is named, in words and as JSON', async () => {
  await sets.close();
  const [name = ''] = readdirSync(join(folder, 'sets')).toSorted();
  truncateSync(join(folder, 'sets', name), 100);
  const [code, stdout] = run(['--data-dir', folder]);
  assert.equal(code, 1);
  assert.match(stdout, /^damaged: sets\/allocations-.*-1-0\.arrow: allocations of 2024-05-01T00/);
  assert.match(stdout, /its file has 100 of \d+ bytes\n/);
  const [jsonCode, json] = run(['--data-dir', folder, '--json']);
  assert.equal(jsonCode, 1);
  const report = JSON.parse(json) as Report & { readonly folder: string };
  assert.equal(report.folder, folder);
  assert.deepEqual(
    report.damages.map(({ what }) => what),
    [`sets/${name}`],
  );
  assert.equal(report.sets, 2);
});

test('P-C10: received samples are checked, too, and a block that is cut is named', async () => {
  const data = join(home, 'received');
  const blocks = join(data, 'receiver', 'blocks');
  mkdirSync(blocks, { recursive: true });
  const appender = new XorAppender();
  for (let i = 0; i < 100; i++) appender.append(i * 60_000, i);
  const series = { labels: encodeLabels({ __name__: 'a', pod: 'b' }), chunks: [appender.finish()] };
  const written = await writeBlock(blocks, { startMs: 0, endMs: 7_200_000 }, [series]);
  const { ulid = '' } = written ?? {};
  const [code, stdout] = run(['--data-dir', data]);
  assert.equal(code, 0, stdout);
  assert.match(
    stdout,
    /^received samples checked: 100 of 1 series in 1 blocks, 0 commits of newer/m,
  );
  truncateSync(join(blocks, ulid, 'chunks', '000001'), 20);
  const [jsonCode, json] = run(['--data-dir', data, '--json']);
  assert.equal(jsonCode, 1);
  const { damages, received } = JSON.parse(json) as Report & { readonly received: object };
  assert.deepEqual(received, { blocks: 1, series: 0, samples: 0, logRows: 0 });
  assert.ok(damages.length > 0);
  for (const { what } of damages) assert.ok(what.startsWith(`receiver/blocks/${ulid}`), what);
});

test('a call without a folder is wrong usage, and a missing folder ends with 1', () => {
  assert.deepEqual(run([]), [
    2,
    '',
    'prorata: fsck needs a folder\nfor example --data-dir /var/lib/prorata\n',
  ]);
  const [code, , stderr] = run(['--data-dir', join(home, 'none')]);
  assert.equal(code, 1);
  assert.match(stderr, /^prorata: there is no folder .*none\nname it by --data-dir\n$/);
});

test('--help describes the command and the settings', () => {
  const [code, stdout] = run(['--help']);
  assert.equal(code, 0);
  assert.match(stdout, /^prorata fsck --data-dir FOLDER/);
  assert.match(stdout, /--data-dir VALUE, DATA_DIR, dataDir/);
});
