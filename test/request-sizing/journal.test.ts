import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Journal } from '../../src/request-sizing/apply/journal.ts';
import { FolderLogs } from '../../src/request-sizing/apply/run-logs.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-journal-'));
after(() => rmSync(home, { recursive: true, force: true }));

test('runs are listed in order though the clock stands still, and the last fifty stay', async () => {
  const folder = join(home, 'many');
  const journal = new Journal(new FolderLogs(folder), () => 0);
  assert.deepEqual(await journal.runs(), []);
  for (let i = 0; i < 53; i++) await (await journal.begin('apply')).end(true);
  const ids = (await journal.runs()).map(({ id }) => Number.parseInt(id, 10));
  assert.deepEqual(
    ids,
    Array.from({ length: 50 }, (_, i) => i + 4),
  );
});

test('other files in the folder of journals are neither read nor removed', async () => {
  const folder = join(home, 'strangers');
  const journal = new Journal(new FolderLogs(folder), Date.now);
  await (await journal.begin('apply')).end(true);
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  writeFileSync(join(folder, '000002-damaged.ndjson'), 'not a record\n');
  const runs = await journal.runs();
  assert.equal(runs.length, 1);
  // Its number is not given again.
  const undo = await journal.begin('undo', runs[0]?.id);
  assert.match(undo.id, /^000003-/);
  await undo.end(true);
  assert.ok(readdirSync(folder).includes('notes.txt'), 'it is still there');
});
