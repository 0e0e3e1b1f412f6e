/** Damage of a receiver's folder: found by fsck, named at the start, and never served as samples. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { snappy } from '../../src/metrics/index.ts';
import { fsckReceiver, openReceiver } from '../../src/receiver/index.ts';
import { ReceiverStore, type StoreOptions } from '../../src/receiver/ingest/receiver-store.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { readBatches } from '../support/references/read-batches.ts';
import { writeBody } from '../support/stores/write-bodies.ts';

const home = quickFolder('fsck-receiver');
const HOUR_MS = 3_600_000;
const NOW_MS = 1_790_000_000_000;
const limits = { outOfOrderMs: 7.2e6, retentionMs: 1e12, maxSeries: 99, maxSamplesPerSecond: 1e9 };

/** A block, and two commits in a log, of a series each: `one` and `two`. */
async function filled(name: string): Promise<StoreOptions & { readonly log: string }> {
  const options = { folder: join(home, name), ...limits };
  const store = await ReceiverStore.open(options, NOW_MS);
  const write = (pod: string, timeMs: number): void => {
    const labels = [['__name__', 'up'] as const, ['pod', pod] as const];
    const body = snappy(writeBody([{ labels, samples: [{ timeMs, valueBits: 1n }] }]));
    const [outcome] = store.write([{ body, version: '1.0' }], timeMs);
    assert.equal(outcome?.kind, 'stored');
  };
  write('old', NOW_MS - 12 * HOUR_MS);
  await store.maintain(NOW_MS);
  write('one', NOW_MS);
  write('two', NOW_MS);
  store.close();
  const logs = join(options.folder, 'logs');
  return { ...options, log: join(logs, readdirSync(logs)[0] ?? '') };
}

async function pods(store: ReceiverStore): Promise<string[]> {
  const found = await readBatches(store.read({ metrics: ['up'] }, { startMs: 0, endMs: 2 ** 50 }));
  return [...found.values()].map(({ labels }) => labels['pod'] ?? '').toSorted();
}

test('a whole folder has no findings, also while a receiver has it', async () => {
  const { log: _log, ...options } = await filled('whole');
  const checked = await fsckReceiver(options.folder);
  assert.deepEqual(checked.findings, []);
  assert.deepEqual([checked.blocks, checked.samples, checked.logRows], [1, 1, 2]);
  const receiver = await openReceiver({ ...options, nowMs: () => NOW_MS });
  const { blocks, logRows, findings } = await fsckReceiver(options.folder);
  assert.deepEqual([blocks, logRows, findings], [1, undefined, []]);
  await receiver.close();
  assert.equal((await fsckReceiver(join(home, 'nowhere'))).logRows, 0);
});

test('a block that a server deleted after it was found is none', async () => {
  const { folder } = await filled('deleted');
  // Listed, and not there any more when it is opened.
  symlinkSync(join(home, 'gone'), join(folder, 'blocks', '01HZZZZZZZZZZZZZZZZZZZZZZZ'));
  const { blocks, findings } = await fsckReceiver(folder);
  assert.deepEqual([blocks, findings], [1, []]);
});

test('P-C4: a row that has not its bytes is found, and only its samples are lost', async () => {
  const options = await filled('row');
  const bytes = readFileSync(options.log);
  const at = bytes.lastIndexOf('one');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(options.log, bytes);
  const { findings } = await fsckReceiver(options.folder);
  assert.deepEqual(
    findings.map(({ path }) => path),
    [options.log],
  );
  assert.match(findings[0]?.message ?? '', /^1 of 2 rows have not the bytes written/);
  const store = await ReceiverStore.open(options, NOW_MS);
  assert.deepEqual(await pods(store), ['old', 'two']);
  assert.match(store.damages.join(), /^1 commits are lost/);
  store.close();
});

test('a start names a damaged block, and what to do with it', async () => {
  const { log: _log, ...options } = await filled('block');
  const blocks = join(options.folder, 'blocks');
  const index = join(blocks, readdirSync(blocks)[0] ?? '', 'index');
  truncateSync(index, 100);
  const notes: string[] = [];
  const note = (text: string): number => notes.push(text);
  const receiver = await openReceiver({ ...options, note, nowMs: () => NOW_MS });
  await receiver.close();
  assert.equal(notes.length, 1);
  assert.ok(notes[0]?.startsWith(`${index} is damaged at byte 100: `), notes[0]);
  assert.equal(receiver.figures().damagedBlocks, 1);
  assert.match(notes[0] ?? '', /move the folder of the block away/);
});

for (const [what, spoil] of [
  ['is no database', (path: string) => writeFileSync(path, 'x'.repeat(50_000))],
  ['is cut off', (path: string) => truncateSync(path, 16_384)],
] as const)
  test(`P-C5: a log that ${what} is found, and named by a receiver that cannot start`, async () => {
    const options = await filled(what);
    spoil(options.log);
    const { findings } = await fsckReceiver(options.folder);
    assert.deepEqual(
      findings.map(({ path }) => path),
      [options.log],
    );
    const opened = openReceiver({ ...options, nowMs: () => NOW_MS });
    await assert.rejects(opened, (error: Error) => error.message.includes(options.log));
  });
