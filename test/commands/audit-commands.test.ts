/** Who changed what by a command, or by a bill that the server fetched, in the log of changes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { COMMAND } from '../support/command.ts';
import { until } from '../http/front-ends.ts';
import { startServerProcess } from '../support/servers/server-process.ts';
import { focusCsv } from '../support/stores/focus-rows.ts';
import { FIRST_MS, savedAnswer, savedSet } from '../support/stores/saved-days.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-audit-commands-'));
after(() => rmSync(home, { recursive: true, force: true }));

type Entry = Readonly<Record<string, unknown>>;

/** Without what differs from run to run. */
function entriesIn(path: string): Entry[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const { time: _, change: __, ...entry } = JSON.parse(line) as Entry;
      return entry;
    });
}

async function run(...args: readonly string[]): Promise<[code: number | null, stderr: string]> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, stderr];
}

function written(name: string, text: string): string {
  const path = join(home, name);
  writeFileSync(path, text);
  return path;
}

const BY = { who: userInfo().username, from: 'cli' };
const saved = written('saved.json', savedAnswer(savedSet(FIRST_MS, { 'c/n/s/p/k': 1 })));
const bill = written('bill.csv', focusCsv({}, {}));
const prices = written(
  'prices.csv',
  'provider,region,name,vCPUs,RAMGB,hourlyPrice\nAWS,us-east-1,m5.large,2,8,0.09\n',
);

describe('the log of changes', { concurrency: 2 }, () => {
  test('tells which history a command imported, by whom, and what was refused', async () => {
    const folder = join(home, 'history');
    const args = ['import', 'allocations', saved, '--data-dir', folder];
    assert.deepEqual(await run(...args), [0, '']);
    const [code, stderr] = await run(...args);
    assert.equal(code, 1);
    assert.match(stderr, /is stored already/);
    const asked = { action: 'allocations.import', ...BY, of: 'allocations' };
    const later = { files: [saved], replace: false };
    const [first, done, second, failed, ...others] = entriesIn(join(folder, 'audit.ndjson'));
    assert.deepEqual(first, { ...asked, before: { sets: 0 }, after: later });
    assert.deepEqual(done, { outcome: 'done', days: 1, hours: 0, rows: 1 });
    assert.deepEqual(second, { ...asked, before: { sets: 1 }, after: later });
    assert.deepEqual([failed?.['outcome'], failed?.['status'], others], ['failed', 400, []]);
    assert.match(String(failed?.['reason']), /is stored already/);
  });

  test('tells which bill a command imported, in the file that --audit-log names', async () => {
    const folder = join(home, 'bills');
    const path = join(home, 'elsewhere', 'changes.ndjson');
    const args = ['import', 'focus', bill, '--as=cloud', '--source=aws', '--data-dir', folder];
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(await run(...args, '--audit-log', path), [0, '']);
    }
    const [first, done, second, again, ...others] = entriesIn(path);
    const asked = { action: 'bill.import', ...BY, of: 'cloud/aws' };
    const later = { label: bill, files: 1 };
    assert.deepEqual(first, { ...asked, before: null, after: later });
    const { before, ...rest } = second ?? {};
    assert.deepEqual(rest, { ...asked, after: later });
    assert.equal((before as { periods: { rows: number }[] }).periods[0]?.rows, 2);
    assert.deepEqual([done, again, others], [{ outcome: 'done' }, { outcome: 'done' }, []]);
    assert.ok(!existsSync(join(folder, 'audit.ndjson')));
  });

  const COMMANDS: readonly (readonly [name: string, args: readonly string[]])[] = [
    ['import', ['import', 'allocations', saved]],
    ['import focus', ['import', 'focus', bill, '--as=cloud']],
    ['prices update', ['prices', 'update', prices]],
  ];
  for (const [name, args] of COMMANDS)
    test(`what ${name} cannot record is refused, says how to help, and changes nothing`, async () => {
      const folder = join(home, `refused ${name}`);
      const path = join(folder, 'audit.ndjson');
      mkdirSync(path, { recursive: true });
      const [code, stderr] = await run(...args, '--data-dir', folder);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /cannot be recorded, so nothing was changed: .*audit\.ndjson/);
      assert.match(stderr, /--audit-log/);
      const left = readdirSync(folder).filter((one) => /manifest|prices|\.lock/.test(one));
      assert.deepEqual(left, []);
    });

  test('tells which bills the server fetched, and takes lines of commands meanwhile', async () => {
    const [folder, bills] = [join(home, 'served'), join(home, 'fetched')];
    const path = join(folder, 'audit.ndjson');
    mkdirSync(join(bills, 'cloud', 'aws'), { recursive: true });
    const file = join(bills, 'cloud', 'aws', 'september.csv');
    writeFileSync(file, focusCsv({}, {}));
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    const server = await startServerProcess([
      '--workers=1',
      '--refresh=0',
      '--audit-log-size=1Ki',
      '--audit-log-files=1000',
      `--data-dir=${folder}`,
      `--bill-folder=${bills}`,
    ]);
    const files = (): string[] => [
      path,
      ...Array.from({ length: 99 }, (_, i) => `${path}.${i + 1}`),
    ];
    const entries = (): Entry[] => files().flatMap(entriesIn);
    try {
      await until(() => entries().some(({ outcome }) => outcome === 'done'), 'the bill is kept');
      const [asked, done, ...others] = entries();
      const { after: later, ...rest } = asked ?? {};
      const action = 'bill.import';
      assert.deepEqual(rest, { action, from: 'prorata', of: 'cloud/aws', before: null });
      assert.match(String((later as Entry)['label']), /^cloud\/aws/);
      assert.deepEqual([done, others], [{ outcome: 'done' }, []]);
      const updates = Array.from({ length: 4 }, () =>
        run('prices', 'update', prices, '--data-dir', folder),
      );
      const levels = Array.from({ length: 40 }, async (_, i) => {
        const reply = await fetch(`${server.url}/admin/log-level`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ level: i % 2 === 0 ? 'warn' : 'info' }),
        });
        return reply.status;
      });
      assert.deepEqual(new Set(await Promise.all(levels)), new Set([200]));
      for (const ended of await Promise.all(updates)) assert.deepEqual(ended, [0, '']);
    } finally {
      assert.equal(await server.stop(), 0);
    }
    const counted = (wanted: string): number =>
      entries().filter(({ action }) => action === wanted).length;
    assert.deepEqual([counted('prices.update'), counted('log.level')], [4, 40]);
    assert.equal(entries().length, 2 * (1 + 4 + 40));
    assert.ok(existsSync(`${path}.1`), 'files were renamed');
  });
});
