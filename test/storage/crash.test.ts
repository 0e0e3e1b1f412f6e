/** After a power cut or a failed disk at any point: the old sets or the new ones, never a mix. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { seededRandom } from '../../bench/random.ts';
import { Unavailable } from '../../src/query/index.ts';
import { fsck, openArrowFiles, type Disk, type Sets } from '../../src/storage/index.ts';
import {
  adoptNewest,
  afterPowerCut,
  digestOf,
  failingDisk,
  layContents,
  QUICK_DISK,
  recordingDisk,
} from '../support/stores/crash-disk.ts';
import { dayKey, encoded, newArena } from '../support/stores/stored-sets.ts';
import { measured } from '../support/measured.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-crash-'));
after(() => rmSync(home, { recursive: true, force: true }));
const arena = newArena(4 << 20);

interface Opening {
  readonly disk?: Disk;
  readonly graceMs?: number;
  readonly notes?: string[];
}

function open(folder: string, { notes = [], ...options }: Opening = {}): Promise<Sets> {
  const note = (said: string): unknown => notes.push(said);
  return openArrowFiles({ folder, arena, note, disk: QUICK_DISK, ...options });
}

/** A day's set is told by the cost in it. */
const set = (day: number, cost: number): ReturnType<typeof encoded> =>
  encoded(dayKey(day), { cpuCost: [cost, 0.5], pod: [`pod-${cost}`, 'other'] });

/** Changes, and what is stored after each: costs by day. */
const STEPS: readonly (readonly [(sets: Sets) => Promise<void>, string])[] = [
  [async (sets) => sets.write([await set(0, 1)]), '0:1'],
  [async (sets) => sets.write([await set(1, 2), await set(2, 3)]), '0:1 1:2 2:3'],
  [async (sets) => sets.write([await set(1, 4), await set(3, 5)]), '0:1 1:4 2:3 3:5'],
  [(sets) => sets.remove([dayKey(0), dayKey(2)]), '1:4 3:5'],
  [async (sets) => sets.write([await set(1, 6)]), '1:6 3:5'],
];

async function stateOf(sets: Sets): Promise<string> {
  const days: string[] = [];
  for (const { key } of sets.list('allocations')) {
    const day = (key.startMs - dayKey(0).startMs) / (key.endMs - key.startMs);
    const read = await sets.read(key, 1);
    days.push(`${day}:${read?.table.numbers('cpuCost')?.values[0]}`);
    arena.release(1);
  }
  return days.join(' ');
}

/** All steps on a disk that keeps a log. @returns where in the log each state lasts */
async function recorded(
  graceMs: number,
): Promise<{ log: ReturnType<typeof recordingDisk>['log']; ends: number[] }> {
  const folder = mkdtempSync(join(home, 'recorded-'));
  const disk = recordingDisk(folder);
  const sets = await open(folder, { disk, graceMs });
  const ends = [disk.log.length];
  for (const [change] of STEPS) {
    await change(sets);
    ends.push(disk.log.length);
  }
  await sets.close();
  return { log: disk.log, ends };
}

for (const graceMs of [0, 600_000]) {
  test(`P-C1: a power cut at any operation leaves old or new sets (files stay ${graceMs} ms)`, async (t) => {
    const { log, ends } = await recorded(graceMs);
    const random = seededRandom(7);
    const states = ['', ...STEPS.map(([, state]) => state)];
    const half = (): boolean => random() < 0.5;
    const chances = [(): boolean => false, (): boolean => true, half, half, half];
    const later = await set(9, 9);
    const seen = new Set<string>();
    for (let at = 0; at <= log.length; at++) {
      for (const [variant, chance] of chances.entries()) {
        const folder = join(home, `cut-${graceMs}-${at}-${variant}`);
        const done = ends.filter((end) => end <= at).length;
        const allowed = states.slice(Math.max(0, done - 1), done + 1);
        const left = afterPowerCut(log, at, chance);
        const digest = `${digestOf(left)} ${allowed.join(' or ')}`;
        // Most operations leave the same whatever happens by chance.
        if (seen.has(digest)) continue;
        seen.add(digest);
        layContents(folder, left);
        adoptNewest(folder);
        const where = `operation ${at} ${log[at]?.does} ${log[at]?.path}, variant ${variant}`;
        const notes: string[] = [];
        const sets = await open(folder, { notes });
        const state = await stateOf(sets);
        assert.ok(allowed.includes(state), `${where}: ${state}, not ${allowed.join(' or ')}`);
        assert.deepEqual(notes, [], where);
        await sets.write([later]);
        assert.equal(await stateOf(sets), `${state} 9:9`.trim(), where);
        assert.deepEqual((await fsck(folder)).damages, [], where);
        await sets.close();
        rmSync(folder, { recursive: true });
      }
    }
    assert.ok(seen.size > log.length, `${seen.size} different folders`);
    measured(t, 'P-C1', `${log.length} operations cut, ${seen.size} different folders`);
  });
}

for (const code of ['EIO', 'ENOSPC']) {
  test(`P-C2, P-C3: ${code} at any operation changes nothing, and the next attempt succeeds`, async (t) => {
    const first = mkdtempSync(join(home, 'first-'));
    const before = await open(first);
    await before.write([await set(0, 1), await set(1, 2)]);
    await before.close();
    let count = Infinity;
    for (let at = 0; at < count; at++) {
      const folder = join(home, `failing-${code}-${at}`);
      cpSync(first, folder, { recursive: true });
      const disk = failingDisk(at, code);
      const notes: string[] = [];
      const sets = await open(folder, { disk, graceMs: 0, notes }).catch((error: unknown) => {
        assert.ok(error instanceof Unavailable, `operation ${at}: ${String(error)}`);
        return open(folder, { disk, graceMs: 0, notes });
      });
      for (const cost of [3, 4, 5]) {
        const old = await stateOf(sets);
        const next = await set(0, cost);
        const failed = await sets.write([next]).then(
          () => undefined,
          (error: Error) => error,
        );
        if (failed === undefined) continue;
        assert.ok(failed instanceof Unavailable, `operation ${at}: ${failed.message}`);
        if (code === 'ENOSPC') assert.match(failed.hint ?? '', /the disk is full/);
        assert.equal(await stateOf(sets), old, `operation ${at}: what was there is there`);
        const copy = `${folder}-copy`;
        cpSync(folder, copy, { recursive: true });
        const opened = await open(copy);
        assert.equal(await stateOf(opened), old, `operation ${at}: and lasts`);
        await opened.close();
        await sets.write([next]);
      }
      assert.equal(await stateOf(sets), '0:5 1:2', `operation ${at}`);
      count = disk.count();
      await sets.close();
      const again = await open(folder, { graceMs: 0 });
      assert.equal(await stateOf(again), '0:5 1:2', `operation ${at}, opened again`);
      await again.write([await set(0, 6)]);
      assert.deepEqual((await fsck(folder)).damages, [], `operation ${at}`);
      assert.ok(readdirSync(join(folder, 'sets')).length <= 3, `operation ${at}: no file is left`);
      await again.close();
    }
    for (const id of ['P-C2', 'P-C3']) measured(t, id, `${code} at each of ${count} operations`);
  });
}

test('P-C1: a power cut while a damaged folder is opened leaves the same damage for the next opening', async () => {
  const folder = mkdtempSync(join(home, 'twice-'));
  const sets = await open(folder);
  for (const [change] of STEPS) await change(sets);
  await sets.close();
  writeFileSync(join(folder, 'manifest-9.json'), 'half');
  const files = readdirSync(join(folder, 'sets'));
  const [lost = ''] = files.filter((name) => /-20240504T.*-3-1\.arrow/.test(name));
  truncateSync(join(folder, 'sets', lost), 99);
  writeFileSync(join(folder, 'sets', lost.replace('-3-1', '-9-0')), 'orphan');
  const before = join(home, 'twice-before');
  cpSync(folder, before, { recursive: true });
  const disk = recordingDisk(folder);
  await (await open(folder, { disk })).close();
  const random = seededRandom(5);
  for (let at = 0; at <= disk.log.length; at++) {
    const cut = join(home, `twice-${at}`);
    layContents(
      cut,
      afterPowerCut(disk.log, at, () => random() < 0.5, before),
    );
    adoptNewest(cut);
    const again = await open(cut);
    const [one, two] = again.list('allocations');
    assert.equal(one?.damage, undefined, `operation ${at}`);
    assert.match(two?.damage ?? '', /its file (has 99 of|is missing)/, `operation ${at}`);
    assert.equal((await again.read(dayKey(1), 1))?.table.numbers('cpuCost')?.values[0], 6);
    arena.release(1);
    await again.close();
  }
});

test('P-C7: a copy of the folder, file by file while sets are written, is a store of its own', async () => {
  const folder = mkdtempSync(join(home, 'copied-'));
  const sets = await open(folder, { graceMs: 600_000 });
  for (const cost of [1, 2, 3]) await sets.write([await set(0, cost)]);
  const copy = join(home, 'backup');
  mkdirSync(join(copy, 'sets'), { recursive: true });
  let cost = 3;
  // As cp and tar do: the names of a folder are read once, then each of its files is copied.
  for (const part of ['', 'sets']) {
    for (const name of readdirSync(join(folder, part)).toSorted()) {
      if (name === 'sets') continue;
      await sets.write([await set(cost % 4, ++cost)]);
      copyFileSync(join(folder, part, name), join(copy, part, name));
    }
  }
  const notes: string[] = [];
  const restored = await open(copy, { notes }); // the lock in it is that of another folder
  assert.deepEqual(notes, []);
  assert.equal(await stateOf(restored), '0:3', 'as it was when the copy began');
  assert.deepEqual((await fsck(copy)).damages, []);
  await restored.close();
  await sets.close();
});

test('replaced files are removed after their time, and the newest two manifests stay', async () => {
  const folder = mkdtempSync(join(home, 'swept-'));
  let nowMs = 0;
  const sets = await openArrowFiles({
    folder,
    arena,
    note: () => undefined,
    nowMs: () => nowMs,
    graceMs: 1000,
  });
  for (let i = 0; i < 5; i++) await sets.write([await set(0, i)]);
  const count = (): number => readdirSync(join(folder, 'sets')).length;
  assert.equal(count(), 5);
  nowMs = 2000;
  await sets.write([await set(0, 9)]);
  assert.equal(count(), 2);
  const manifests = readdirSync(folder).filter((name) => name.startsWith('manifest'));
  assert.deepEqual(manifests.toSorted(), ['manifest-5.json', 'manifest-6.json']);
  assert.match(readFileSync(join(folder, 'manifest-6.json'), 'utf8'), /^prorata-manifest 1 /);
  await sets.close();
});
