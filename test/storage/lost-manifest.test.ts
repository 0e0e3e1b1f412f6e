/** A manifest that is gone is told, with what is lost by it; a crash loses none. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import {
  fsck,
  openArrowFiles,
  openReadOnly,
  type SetInfo,
  type Sets,
} from '../../src/storage/index.ts';
import { dayKey, encoded, newArena } from '../support/stores/stored-sets.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-lost-'));
after(() => rmSync(home, { recursive: true, force: true }));
const arena = newArena();
let folder = '';
let count = 0;

function open(notes: string[] = [], at: string = folder): Promise<Sets> {
  return openArrowFiles({ folder: at, arena, note: (sentence) => notes.push(sentence) });
}

/** Day 0 by generations 1 and 3, day 1 by 2, day 2 by 3. */
beforeEach(async () => {
  folder = join(home, `${count++}`);
  const sets = await open();
  await sets.write([await encoded(dayKey(0), { cpuCost: [1] })]);
  await sets.write([await encoded(dayKey(1), { cpuCost: [2] })]);
  await sets.write([
    await encoded(dayKey(0), { cpuCost: [3] }),
    await encoded(dayKey(2), { cpuCost: [4] }),
  ]);
  await sets.close();
});

const lose = (...generations: readonly number[]): void => {
  for (const each of generations) rmSync(join(folder, `manifest-${each}.json`));
};

/** The damage of each day. */
function states(sets: Pick<Sets, 'list'>): (string | undefined)[] {
  const stateOf = ({ damage, insteadOf }: SetInfo): string | undefined =>
    damage === undefined ? insteadOf && `older: ${insteadOf}` : `lost: ${damage}`;
  return sets.list('allocations').map(stateOf);
}

async function costOf(sets: Sets, day: number): Promise<number | undefined> {
  const read = await sets.read(dayKey(day), 1);
  const cost = read?.table.numbers('cpuCost')?.values[0];
  arena.release(1);
  return cost;
}

const WHY = 'manifest-3.json is missing, which named it';

describe('the newest manifest, when it is deleted,', () => {
  test('is reported by fsck, which changes nothing', async () => {
    assert.deepEqual((await fsck(folder)).damages, []);
    lose(3);
    const before = readdirSync(folder, { recursive: true });
    assert.deepEqual((await fsck(folder)).damages, [
      { what: 'manifest-3.json', reason: 'it is missing, and was the newest: what it changed is lost' },
    ]); // prettier-ignore
    assert.deepEqual(readdirSync(folder, { recursive: true }), before);
  });

  test('is reported at the start, with the sets it named, which stay marked until written again', async () => {
    lose(3);
    const notes: string[] = [];
    const sets = await open(notes);
    assert.deepEqual(notes, [
      'manifest-3.json is missing: manifest-2.json counts, and what was changed since is lost',
      'the stored allocations of 2024-05-01T00:00:00.000Z to 2024-05-02T00:00:00.000Z are of an older version: manifest-3.json is missing',
      'the stored allocations of 2024-05-03T00:00:00.000Z to 2024-05-04T00:00:00.000Z are lost: manifest-3.json is missing',
    ]); // prettier-ignore
    assert.deepEqual(states(sets), [`older: ${WHY}`, undefined, `lost: ${WHY}`]);
    assert.equal(await costOf(sets, 0), 1);
    assert.throws(() => sets.locate(dayKey(2)), /manifest-3\.json is missing/);
    assert.equal(
      readdirSync(join(folder, 'quarantine')).length,
      2,
      'no file of a set is destroyed',
    );
    await sets.close();
    const later: string[] = [];
    const again = await open(later);
    assert.deepEqual(later, [], 'it is told once');
    assert.deepEqual(states(again), [`older: ${WHY}`, undefined, `lost: ${WHY}`]);
    await again.write([
      await encoded(dayKey(0), { cpuCost: [5] }),
      await encoded(dayKey(2), { cpuCost: [6] }),
    ]);
    assert.deepEqual(states(again), [undefined, undefined, undefined]);
    assert.deepEqual([await costOf(again, 0), await costOf(again, 2)], [5, 6]);
    await again.close();
    assert.deepEqual((await fsck(folder)).damages, []);
  });

  test('is reported by a reader, and nothing is changed', async () => {
    lose(3);
    const before = readdirSync(folder, { recursive: true });
    const notes: string[] = [];
    const sets = await openReadOnly(folder, (sentence) => notes.push(sentence));
    assert.match(notes[0] ?? '', /^manifest-3\.json is missing: manifest-2\.json counts/);
    assert.deepEqual(states(sets), [`older: ${WHY}`, undefined, `lost: ${WHY}`]);
    assert.deepEqual(readdirSync(folder, { recursive: true }), before);
  });

  test('leaves a number that no later one has', async () => {
    lose(3);
    const sets = await open();
    await sets.write([await encoded(dayKey(1), { cpuCost: [7] })]);
    await sets.close();
    assert.ok(!existsSync(join(folder, 'manifest-3.json')));
    assert.ok(existsSync(join(folder, 'manifest-5.json')));
  });
});

test('all manifests, when they are deleted, are reported, and no file of a set is destroyed', async () => {
  for (const hasRecord of [true, false]) {
    const copy = `${folder}-${hasRecord}`;
    cpSync(folder, copy, { recursive: true });
    rmSync(join(copy, 'newest.json'));
    if (hasRecord) {
      // As it is when this folder, and no copy of it, loses them.
      await (await open([], copy)).close();
      assert.ok(existsSync(join(copy, 'newest.json')));
    }
    for (const name of readdirSync(copy)) {
      if (name.startsWith('manifest')) rmSync(join(copy, name));
    }
    const files = readdirSync(join(copy, 'sets'));
    const notes: string[] = [];
    const sets = await open(notes, copy);
    assert.match(notes[0] ?? '', /manifest(-\d+\.json)? is missing: no other counts/);
    const why = hasRecord ? 'manifest-3.json' : 'the manifest';
    assert.deepEqual(states(sets), Array(3).fill(`lost: ${why} is missing, which named it`));
    await sets.close();
    assert.deepEqual(readdirSync(join(copy, 'quarantine')).toSorted(), files.toSorted());
  }
});

test('P-C7: a copy that was made while sets were written has lost nothing', async () => {
  const copy = `${folder}-copy`;
  cpSync(folder, copy, { recursive: true });
  rmSync(join(copy, 'manifest-3.json'));
  const notes: string[] = [];
  await (await open(notes, copy)).close();
  assert.deepEqual(notes, []);
});

test('a damaged or missing record is no loss while there are manifests', async () => {
  for (const damage of [
    () => writeFileSync(join(folder, 'newest.json'), 'half'),
    () => rmSync(join(folder, 'newest.json')),
  ]) {
    damage();
    const notes: string[] = [];
    const sets = await open(notes);
    assert.deepEqual([notes, states(sets)], [[], [undefined, undefined, undefined]]);
    await sets.close();
    assert.deepEqual((await fsck(folder)).damages, []);
    assert.ok(existsSync(join(folder, 'newest.json')), 'it is written again');
  }
});
