/** `prorata build` as a caller sees it: exit code, both streams, and the folder. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { COMMAND } from '../support/command.ts';
import { openArrowFiles } from '../../src/storage/index.ts';
import { newArena } from '../support/stores/stored-sets.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-build-cli-'));
after(() => rmSync(home, { recursive: true, force: true }));

function run(args: readonly string[]): readonly [number | null, string, string] {
  const env = { ...process.env, DATA_DIR: '' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'build', ...args], {
    env,
  });
  return [status, stdout.toString(), stderr.toString()];
}

/** Kinds, states and lengths in hours of stored sets. */
async function stored(folder: string): Promise<readonly string[]> {
  const sets = await openArrowFiles({ folder, arena: newArena(), note: () => undefined });
  const described = sets
    .list('allocations')
    .map(({ key, meta }) => `${meta.state} ${(key.endMs - key.startMs) / 3_600_000}h`);
  await sets.close();
  return described;
}

test('builds the days of a window, and does nothing when they are there', async () => {
  const folder = join(home, 'data');
  const days = [
    '--demo=true',
    '--data-dir',
    folder,
    '--now',
    '2024-05-03T02:30:00Z',
    '--window',
    'yesterday',
  ];
  assert.deepEqual(run(days), [0, '1 of 1 days are stored\n', '']);
  const found = await stored(folder);
  assert.equal(found.filter((one) => one === 'sealed 24h').length, 1);
  assert.equal(found.filter((one) => one === 'sealed 1h').length, 24);
  assert.deepEqual(run(days), [0, '1 of 1 days are stored\n', '']);
});

test('days that cannot be built end with 1, with the reason, and nothing is stored', async () => {
  const folder = join(home, 'none');
  const url = 'http://127.0.0.1:9';
  const [code, stdout, stderr] = run(['--data-dir', folder, '--metrics-url', url, '--window', '1h', '--now', '2024-05-03T12:00:00Z']); // prettier-ignore
  assert.deepEqual([code, stdout], [1, '0 of 1 days are stored\n']);
  assert.match(stderr, /^warning: the first sample of .*127\.0\.0\.1:9.*refused/m);
  assert.deepEqual(await stored(folder), []);
});

describe('wrong usage ends with 2', () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /^prorata: build needs a folder\nfor example --data-dir/],
    [['--data-dir', 'x', '--window', 'soon'], /^prorata: --window: 'soon' is not a window/],
    [['--data-dir', 'x', '--windw', '1d'], /did you mean '--window'\?/],
  ];
  for (const [args, expected] of cases) {
    test(args.join(' ') || 'without flags', () => {
      const [code, stdout, stderr] = run(args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, expected);
    });
  }
});
