import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FILLED_FOLDERS, filledOnce } from '../support/filled-once.ts';

/** Calls of a fill that writes its number, each with a folder and a key; what each folder has then. */
async function contents(
  calls: readonly (readonly [folder: string, key: string])[],
  isShared: boolean,
): Promise<string[]> {
  // prettier-ignore
  const home = mkdtempSync(join(tmpdir(), 'prorata-filled-'));
  const before = process.env[FILLED_FOLDERS];
  if (isShared) process.env[FILLED_FOLDERS] = join(home, 'kept');
  else delete process.env[FILLED_FOLDERS];
  try {
    let fills = 0;
    for (const [name, key] of calls) {
      const folder = join(home, name);
      await filledOnce(folder, [key], () => {
        mkdirSync(folder);
        writeFileSync(join(folder, 'number'), String(++fills));
        return Promise.resolve();
      });
    }
    return calls.map(([name]) => readFileSync(join(home, name, 'number'), 'utf8'));
  } finally {
    if (before === undefined) delete process.env[FILLED_FOLDERS];
    else process.env[FILLED_FOLDERS] = before;
    rmSync(home, { recursive: true });
  }
}

const CALLS = [
  ['a', 'demo'],
  ['b', 'demo'],
  ['c', 'bills'],
  ['d', 'demo'],
] as const;

test('in a run of the gate a folder is filled once for each key, and copied from then on', async () => {
  assert.deepEqual(await contents(CALLS, true), ['1', '1', '2', '1']);
});

test('a file that runs alone fills each of its folders', async () => {
  assert.deepEqual(await contents(CALLS, false), ['1', '2', '3', '4']);
});

test('a folder that could not be filled is not kept', async () => {
  const home = mkdtempSync(join(tmpdir(), 'prorata-filled-'));
  const before = process.env[FILLED_FOLDERS];
  process.env[FILLED_FOLDERS] = join(home, 'kept');
  try {
    const failing = filledOnce(join(home, 'a'), ['demo'], () => Promise.reject(new Error('full')));
    await assert.rejects(failing, /^Error: full$/);
    assert.ok(!existsSync(join(home, 'kept')) || readdirSync(join(home, 'kept')).length === 0);
  } finally {
    if (before === undefined) delete process.env[FILLED_FOLDERS];
    else process.env[FILLED_FOLDERS] = before;
    rmSync(home, { recursive: true });
  }
});

test('one of the calls at the same time fills, and the others wait for it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'prorata-filled-'));
  const before = process.env[FILLED_FOLDERS];
  process.env[FILLED_FOLDERS] = join(home, 'kept');
  try {
    // What a process left that was killed while it filled.
    const ended = spawnSync(process.execPath, ['--version']).pid;
    mkdirSync(join(home, 'kept'));
    writeFileSync(join(home, 'kept', lockOf('demo')), String(ended));
    let fills = 0;
    const fill = (folder: string) => async (): Promise<void> => {
      fills++;
      await sleep(100);
      mkdirSync(folder);
      writeFileSync(join(folder, 'number'), 'filled');
    };
    const folders = ['a', 'b', 'c'].map((name) => join(home, name));
    await Promise.all(folders.map((folder) => filledOnce(folder, ['demo'], fill(folder))));
    const read = folders.map((folder) => readFileSync(join(folder, 'number'), 'utf8'));
    assert.deepEqual([fills, read], [1, ['filled', 'filled', 'filled']]);
  } finally {
    if (before === undefined) delete process.env[FILLED_FOLDERS];
    else process.env[FILLED_FOLDERS] = before;
    rmSync(home, { recursive: true });
  }
});

function lockOf(key: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([key]))
    .digest('hex');
  return `${hash.slice(0, 16)}.lock`;
}
