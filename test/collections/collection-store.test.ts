/** After a power cut, a failed disk or damage there are the old collections or the new ones, or a warning. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { after, test } from 'node:test';
import { seededRandom } from '../../bench/random.ts';
import { readAllocationFilter } from '../../src/allocation/index.ts';
import { readCloudFilter } from '../../src/billing/cloud/index.ts';
import type { Checked } from '../../src/collections/collection.ts';
import { openCollectionStore, Registry } from '../../src/collections/index.ts';
import { Unavailable } from '../../src/query/index.ts';
import type { Disk } from '../../src/storage/index.ts';
import {
  afterPowerCut,
  failingDisk,
  layContents,
  QUICK_DISK,
  recordingDisk,
} from '../support/stores/crash-disk.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-collection-store-'));
after(() => rmSync(home, { recursive: true, force: true }));
let folders = 0;

function newFolder(): string {
  const folder = join(home, String(folders++));
  mkdirSync(folder);
  return folder;
}

async function open(folder: string, disk: Disk = QUICK_DISK, notes: string[] = []): Promise<Registry> {
  const readers = { kubernetes: readAllocationFilter, cloud: readCloudFilter };
  const note = (said: string): unknown => notes.push(said);
  return new Registry(await openCollectionStore({ folder, readers, nowMs: () => 7, note, disk }));
} // prettier-ignore

/** A checked draft. */
function named(name: string): Checked {
  return { draft: { name, category: '', groups: [] }, groups: [] };
}

function namesOf(registry: Registry): string {
  return registry
    .list()
    .map(({ collection }) => collection.name)
    .join(' ');
}

const CHANGES: readonly ((registry: Registry) => Promise<unknown>)[] = [
  (registry) => registry.create(named('a')),
  (registry) => registry.create(named('b')),
  (registry) => registry.replace(idOf(registry, 'a'), named('c')),
  (registry) => registry.remove(idOf(registry, 'b')),
];
const STATES = ['', 'a', 'a b', 'c b', 'c'];

function idOf(registry: Registry, name: string): string {
  const found = registry.list().find(({ collection }) => collection.name === name);
  return found?.collection.id ?? '';
}

test('P-C1: a power cut at any point leaves the collections before a change or after it', async () => {
  const folder = newFolder();
  const disk = recordingDisk(folder);
  const registry = await open(folder, disk);
  const ends: number[] = [disk.log.length];
  for (const change of CHANGES) {
    await change(registry);
    ends.push(disk.log.length);
  }
  const random = seededRandom(3);
  for (let at = 0; at <= disk.log.length; at++) {
    for (let again = 0; again < 4; again++) {
      const left = newFolder();
      const notes: string[] = [];
      layContents(
        left,
        afterPowerCut(disk.log, at, () => random() < 0.5),
      );
      const found = namesOf(await open(left, QUICK_DISK, notes));
      const done = ends.filter((end) => end <= at).length - 1;
      const expected = [STATES[done], STATES[done + 1]];
      assert.ok(expected.includes(found), `cut at ${at}: '${found}', not ${expected.join(' | ')}`);
      assert.deepEqual(notes, []);
    }
  }
});

test('P-C3: a change that the disk refuses is an error and not visible', async () => {
  for (let at = 0; ; at++) {
    const folder = newFolder();
    const first = await open(folder);
    await first.create(named('a'));
    const disk = failingDisk(at, 'ENOSPC');
    const registry = await open(folder, disk);
    const refused = await registry.create(named('b')).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused === undefined) break;
    assert.ok(refused instanceof Unavailable, `operation ${at} fails as Unavailable`);
    assert.equal(namesOf(registry), 'a');
    await registry.create(named('b'));
    assert.equal(namesOf(await open(folder)), 'a b');
  }
});

const headed = (body: string, name: string = 'collections', format: number = 1): string =>
  `prorata-${name} ${format} ${crc32(body).toString(16).padStart(8, '0')}\n${body}`;
const ID = '7b2f6a2e-6d0c-4f0e-9a51-2f3c5c0d9e11';
const one = (collection: object): string =>
  headed(JSON.stringify({ idle: 'hide', collections: [collection] }));

const DAMAGES: readonly (readonly [string, string, RegExp])[] = [
  ['empty', '', /does not begin as it was written/],
  ['of another kind', headed('{}', 'manifest'), /does not begin as it was written/],
  ['changed', headed('{}').replace('{}', '[]'), /has not the bytes written/],
  ['of another shape', headed('{}'), /lacks 'idle'/],
  ['with a collection without an id', one({ name: 'a' }), /has no id/],
  ['with a filter that cannot be read', one({ id: ID, name: 'a', groups: [{ selectors: { kubernetes: { filterString: 'x' } } }] }), /'x' at character 1/],
]; // prettier-ignore

for (const [what, text, reason] of DAMAGES) {
  test(`a file that is ${what} is set aside unchanged, with a note`, async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'collections.json'), text);
    const notes: string[] = [];
    const registry = await open(folder, QUICK_DISK, notes);
    assert.equal(namesOf(registry), '');
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? '', reason);
    assert.match(notes[0] ?? '', /quarantine\/collections-7\.json/);
    assert.deepEqual(readdirSync(folder), ['quarantine']);
    assert.equal(readFileSync(join(folder, 'quarantine', 'collections-7.json'), 'utf8'), text);
    await registry.create(named('b'));
    assert.equal(namesOf(await open(folder)), 'b');
  });
}

test('a file of a later version is left alone', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'collections.json'), headed('{}', 'collections', 2));
  await assert.rejects(open(folder), /was written by a later version/);
  assert.deepEqual(readdirSync(folder), ['collections.json']);
});
