/** A folder belongs to one process at a time, and to nobody once that is dead. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { Unavailable } from '../../src/query/index.ts';
import { openArrowFiles, type Sets } from '../../src/storage/index.ts';
import { plainScript } from '../support/servers/plain-script.ts';
import { dayKey, encoded, newArena } from '../support/stores/stored-sets.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-lock-'));
const WRITER = await plainScript(
  fileURLToPath(new URL('../support/stores/store-writer.ts', import.meta.url)),
  home,
);
after(() => rmSync(home, { recursive: true, force: true }));
const arena = newArena(2 << 20);
const none = join(home, 'none');
writeFileSync(none, serialize([]));
let folders = 0;

function newFolder(): string {
  const folder = join(home, `folder-${folders++}`);
  mkdirSync(folder);
  return folder;
}

function open(folder: string): Promise<Sets> {
  return openArrowFiles({ folder, arena, note: () => undefined });
}

/** A process that has the folder. */
async function holder(folder: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [WRITER, folder, none, 'stay'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

/** The lock of this process in `folder`, with some of it changed. */
async function plantLock(folder: string, change: object, ageMs = 0): Promise<void> {
  const sets = await open(folder);
  const lock = join(folder, 'lock');
  const own = JSON.parse(readFileSync(lock, 'utf8')) as object;
  await sets.close();
  writeFileSync(lock, JSON.stringify({ ...own, ...change }));
  const touched = new Date(Date.now() - ageMs);
  utimesSync(lock, touched, touched);
}

test('P-C8, P-O6: a second process is refused with the name of the first; the lock of a killed one is taken over', async () => {
  const folder = newFolder();
  const child = await holder(folder);
  await assert.rejects(open(folder), (error: unknown) => {
    assert.ok(error instanceof Unavailable, String(error));
    assert.match(error.message, new RegExp(`the folder is in use by process ${child.pid} on `));
    assert.match(error.hint ?? '', /choose another folder with --data-dir/);
    return true;
  });
  child.kill('SIGKILL');
  await once(child, 'close');
  assert.ok(existsSync(join(folder, 'lock')), 'a killed process leaves its lock');
  const sets = await open(folder);
  await sets.write([await encoded(dayKey(0), { cpuCost: [1, 2] })]);
  await sets.close();
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('lock')),
    [],
  );
});

test('the lock of a killed process that its parent never waits for is taken over', async () => {
  const folder = newFolder();
  // The shell starts the holder, then becomes a program that waits for no child.
  const command = 'node "$1" "$2" "$3" stay & echo $!; exec sleep 60';
  const parent = spawn('sh', ['-c', command, 'sh', WRITER, folder, none], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const pid = Number((await lineOf(parent)).trim());
    while (!existsSync(join(folder, 'lock'))) await sleep(20);
    await assert.rejects(open(folder), new RegExp(`in use by process ${pid} on`));
    process.kill(pid, 'SIGKILL');
    const stat = (): string => readFileSync(`/proc/${pid}/stat`, 'utf8');
    while (!/\) Z /.test(stat())) await sleep(20);
    await (await open(folder)).close();
    assert.match(stat(), /\) Z /, 'its parent has still not asked');
  } finally {
    parent.kill('SIGKILL');
    await once(parent, 'close');
  }
});

async function lineOf({ stdout }: ChildProcess): Promise<string> {
  assert.ok(stdout);
  const [line] = (await once(stdout, 'data')) as [Buffer];
  return line.toString();
}

test('a folder opened twice by one process is refused', async () => {
  const folder = newFolder();
  const sets = await open(folder);
  await assert.rejects(open(folder), new RegExp(`in use by process ${process.pid} on`));
  await sets.close();
  await (await open(folder)).close();
});

const OTHERS: readonly (readonly [string, object, number, boolean])[] = [
  ['of a process that ended, whose pid another has now', { started: '1' }, 0, true],
  ['from before the machine was restarted', { boot: 'another' }, 0, true],
  ['in a copy of a folder', { inode: 1 }, 0, true],
  ['of another container, touched just now', { namespace: 'pid:[1]' }, 0, false],
  ['of another container, not touched for 30 s', { namespace: 'pid:[1]' }, 30_000, true],
  ['of another host, touched just now', { host: 'elsewhere', pid: 7 }, 0, false],
  ['of another host, not touched for 30 s', { host: 'elsewhere', pid: 7 }, 30_000, true],
];
for (const [name, change, ageMs, isStale] of OTHERS) {
  test(`a lock ${name} is ${isStale ? 'taken over' : 'respected'}`, async () => {
    const folder = newFolder();
    await plantLock(folder, change, ageMs);
    if (isStale) await (await open(folder)).close();
    else await assert.rejects(open(folder), /the folder is in use by process \d+ on /);
  });
}

test('an empty lock is respected until it is old', async () => {
  const folder = newFolder();
  const lock = join(folder, 'lock');
  writeFileSync(lock, '');
  await assert.rejects(open(folder), /in use by another process/);
  utimesSync(lock, 0, 0);
  await (await open(folder)).close();
});

test('P-C8: one of many that find a dead lock at once gets the folder', async () => {
  for (let round = 0; round < 10; round++) {
    const folder = newFolder();
    await plantLock(folder, { started: '1' });
    const attempts = await Promise.allSettled(Array.from({ length: 10 }, () => open(folder)));
    const opened = attempts.filter((each) => each.status === 'fulfilled');
    assert.equal(opened.length, 1, `round ${round}`);
    await opened[0]?.value.close();
  }
});

test('P-C8: a process that was taken for dead and lost the folder writes nothing more', async () => {
  const folder = newFolder();
  const sets = await open(folder);
  const lock = join(folder, 'lock');
  const own = JSON.parse(readFileSync(lock, 'utf8')) as object;
  writeFileSync(lock, JSON.stringify({ ...own, pid: 1 }));
  const set = await encoded(dayKey(0), { cpuCost: [1, 2] });
  await assert.rejects(sets.write([set]), /another process took over/);
  assert.deepEqual(readdirSync(join(folder, 'sets')), []);
  await sets.close();
  assert.ok(existsSync(lock), "closing leaves the other's lock");
});

test('names of processes that were killed while they tried are removed', async () => {
  const folder = newFolder();
  const [old, young] = ['lock.1.tmp', 'lock.2.tmp'].map((name) => join(folder, name));
  for (const path of [old, young]) writeFileSync(path ?? '', '');
  utimesSync(old ?? '', 0, 0);
  await (await open(folder)).close();
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('lock')),
    ['lock.2.tmp'],
  );
});
