/** Bytes that are not those written are found, set aside and told, never read as numbers. */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { DamagedSet, fsck, openArrowFiles, type Sets } from '../../src/storage/index.ts';
import { dayKey, encoded, newArena, plain, type Columns } from '../support/stores/stored-sets.ts';
import { measured } from '../support/measured.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-damage-'));
after(() => rmSync(home, { recursive: true, force: true }));
const arena = newArena();

const COLUMNS: Columns = {
  pod: ['api-1', 'api-2', 'worker', 'api-1'],
  cpuCost: [1.5, 2, 0.25, 0],
};
const OTHER: Columns = { pod: ['x', 'y'], cpuCost: [7, 8] };

function open(folder: string, notes: string[] = []): Promise<Sets> {
  return openArrowFiles({ folder, arena, note: (sentence) => notes.push(sentence) });
}

async function columnsOf(sets: Sets, day: number, like: Columns): Promise<Columns | undefined> {
  const read = await sets.read(dayKey(day), 1);
  const columns = read && plain(read.table, like);
  arena.release(1);
  return columns;
}

/** Days 0 and 1, each written by a change of its own; day 0 twice. */
const original = join(home, 'original');
{
  const sets = await open(original);
  await sets.write([await encoded(dayKey(0), OTHER)]);
  await sets.write([await encoded(dayKey(1), COLUMNS)]);
  await sets.write([await encoded(dayKey(0), COLUMNS)]);
  await sets.close();
}

let copies = 0;
function copied(): string {
  const folder = join(home, `copy-${copies++}`);
  cpSync(original, folder, { recursive: true });
  return folder;
}

function setFile(folder: string, day: number): string {
  const start = day === 0 ? '20240501' : '20240502';
  const names = readdirSync(join(folder, 'sets')).filter((name) => name.includes(`-${start}T`));
  return join(folder, 'sets', names.toSorted().at(-1) ?? '');
}

function edit(path: string, change: (bytes: Buffer) => Buffer): void {
  writeFileSync(path, change(readFileSync(path)));
}

test('P-C4: every flipped bit of a set is found by fsck, and no read gives other values', async (t) => {
  const folder = copied();
  const sets = await open(folder);
  const path = setFile(folder, 1);
  const whole = readFileSync(path);
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length * 8 - 1), async (bit) => {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      writeFileSync(path, bytes);
      assert.equal((await fsck(folder)).damages.length, 1, `bit ${bit}`);
      writeFileSync(path, whole);
    }),
    { numRuns: 400 },
  );
  measured(t, 'P-C4', `400 of ${whole.length * 8} bits flipped, all found`);
  assert.deepEqual(await columnsOf(sets, 1, COLUMNS), COLUMNS);
  await sets.close();
});

test('P-C4: a flipped bit in a read column sets the day aside; in padding it changes no value', async () => {
  const folder = copied();
  const kept = join(home, 'kept');
  cpSync(folder, kept, { recursive: true });
  const whole = readFileSync(setFile(folder, 1));
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length * 8 - 1), async (bit) => {
      rmSync(folder, { recursive: true });
      cpSync(kept, folder, { recursive: true });
      edit(setFile(folder, 1), (bytes) => {
        bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        return bytes;
      });
      const sets = await open(folder);
      try {
        assert.deepEqual(await columnsOf(sets, 1, COLUMNS), COLUMNS);
      } catch (error) {
        assert.ok(error instanceof DamagedSet, String(error));
        assert.equal(readdirSync(join(folder, 'quarantine')).length, 1);
      }
      await sets.close();
    }),
    { numRuns: 60 },
  );
});

const DAMAGES: readonly (readonly [string, (path: string) => void, RegExp])[] = [
  ['a missing file', (path) => rmSync(path), /its file is missing/],
  ['an empty file', (path) => truncateSync(path, 0), /its file has 0 of \d+ bytes/],
  ['a short file', (path) => truncateSync(path, 700), /its file has 700 of \d+ bytes/],
  [
    'a longer file',
    (path) => edit(path, (bytes) => Buffer.concat([bytes, bytes])),
    /its file has \d+ of \d+ bytes/,
  ],
];
for (const [name, damage, reason] of DAMAGES) {
  test(`${name} is reported when the folder is opened, and remembered until written again`, async () => {
    const folder = copied();
    damage(setFile(folder, 1));
    const notes: string[] = [];
    const sets = await open(folder, notes);
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? '', reason);
    await assert.rejects(columnsOf(sets, 1, COLUMNS), DamagedSet);
    assert.throws(() => sets.locate(dayKey(1)), reason);
    await sets.close();
    const again = await open(folder);
    const [, listed] = again.list('allocations');
    assert.match(listed?.damage ?? '', reason);
    assert.deepEqual(await columnsOf(again, 0, COLUMNS), COLUMNS);
    await again.write([await encoded(dayKey(1), COLUMNS)]);
    assert.deepEqual(await columnsOf(again, 1, COLUMNS), COLUMNS);
    await again.close();
    const { damages, notes: said } = await fsck(folder);
    assert.deepEqual(damages, []);
    assert.match(said.at(-1) ?? '', /^replaced: sets\/.*-2-0\.arrow/);
  });
}

test('P-C5: a file cut anywhere is damaged', async (t) => {
  const folder = copied();
  const path = setFile(folder, 1);
  const whole = readFileSync(path);
  measured(t, 'P-C5', `${Math.ceil(whole.length / 97)} lengths of ${whole.length} bytes`);
  for (let length = 0; length < whole.length; length += 97) {
    writeFileSync(path, whole.subarray(0, length));
    assert.equal((await fsck(folder)).damages.length, 1, `${length} bytes`);
  }
});

test('a set with a damaged newest version has the version before', async () => {
  const folder = copied();
  const path = setFile(folder, 0);
  edit(path, (bytes) => bytes.fill(0));
  const notes: string[] = [];
  const sets = await open(folder, notes);
  assert.deepEqual(await columnsOf(sets, 0, OTHER), OTHER);
  assert.match(notes[0] ?? '', /has not the bytes written; the version before it is used/);
  assert.ok(existsSync(path.replace('/sets/', '/quarantine/')), 'the damaged file is kept');
  await sets.close();
  const again = await open(folder);
  assert.deepEqual(await columnsOf(again, 0, OTHER), OTHER);
  await again.close();
});

test('P-C5: files of two sets that changed places are damaged', async () => {
  const folder = copied();
  const sets = await open(folder);
  const [one, two] = [setFile(folder, 0), setFile(folder, 1)];
  renameSync(one, `${one}.bak`);
  renameSync(two, one);
  renameSync(`${one}.bak`, two);
  assert.ok((await sets.verify()).damages.length === 2, 'both are found');
  await assert.rejects(columnsOf(sets, 1, COLUMNS), DamagedSet);
  await sets.close();
});

test('the manifest before a damaged one counts, and nothing is destroyed', async () => {
  for (const change of [
    (bytes: Buffer): Buffer => bytes.subarray(0, 300),
    (bytes: Buffer): Buffer => Buffer.alloc(0, bytes),
    (bytes: Buffer): Buffer => Buffer.from(bytes.toString().replace('"rows":4', '"rows":5')),
  ]) {
    const folder = copied();
    edit(join(folder, 'manifest-3.json'), change);
    assert.equal((await fsck(folder)).damages.length, 1);
    const notes: string[] = [];
    const sets = await open(folder, notes);
    assert.match(notes[0] ?? '', /manifest-3\.json is set aside/);
    assert.deepEqual(await columnsOf(sets, 0, OTHER), OTHER);
    assert.deepEqual(await columnsOf(sets, 1, COLUMNS), COLUMNS);
    assert.equal(readdirSync(join(folder, 'quarantine')).length, 2, 'manifest and its set');
    await sets.write([await encoded(dayKey(2), COLUMNS)]);
    await sets.close();
    assert.ok(existsSync(join(folder, 'manifest-4.json')), 'no number is used twice');
  }
});

test('P-C5: a folder of a later version is refused and left as it is', async () => {
  const folder = copied();
  edit(join(folder, 'manifest-3.json'), (bytes) =>
    Buffer.from(bytes.toString().replace('prorata-manifest 1', 'prorata-manifest 2')),
  );
  await assert.rejects(open(folder), /was written by a later version: its format is 2/);
  await assert.rejects(fsck(folder), /later version/);
  assert.deepEqual(readdirSync(folder).toSorted(), [
    'manifest-1.json',
    'manifest-2.json',
    'manifest-3.json',
    'newest.json',
    'sets',
  ]);
});

test('P-C5: foreign files stay, unfinished ones are removed', async () => {
  const folder = copied();
  const orphan = setFile(folder, 1).replace('-2-0.arrow', '-9-0.arrow');
  for (const path of [orphan, `${orphan}.tmp`, join(folder, 'manifest-4.json.tmp')]) {
    writeFileSync(path, 'half');
  }
  for (const name of ['notes.txt', 'sets/readme.arrow']) writeFileSync(join(folder, name), 'mine');
  const { damages, notes } = await fsck(folder);
  assert.deepEqual(damages, []);
  assert.deepEqual(notes.slice(1), ['1 files of no generation', '1 files that were not finished']);
  const sets = await open(folder);
  assert.equal(existsSync(orphan), false);
  assert.equal(existsSync(`${orphan}.tmp`), false);
  assert.equal(existsSync(join(folder, 'manifest-4.json.tmp')), false);
  assert.ok(existsSync(join(folder, 'notes.txt')), 'a stranger stays');
  assert.ok(existsSync(join(folder, 'sets/readme.arrow')), 'a stranger among the sets stays');
  await sets.close();
});
