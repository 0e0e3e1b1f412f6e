import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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
