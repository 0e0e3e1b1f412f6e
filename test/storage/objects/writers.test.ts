/** Several processes over one bucket, lost answers, and a bucket that goes away at any request. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { Unavailable } from '../../../src/query/index.ts';
import { fsckObjects } from '../../../src/storage/objects/fsck.ts';
import type { ObjectSets } from '../../../src/storage/objects/object-sets.ts';
import type { Sets } from '../../../src/storage/index.ts';
import { measured } from '../../support/measured.ts';
import type { CloudAnswer, CloudRequest } from '../../support/servers/scripted-cloud.ts';
import { startObjectWorld } from '../../support/stores/object-stores.ts';
import { failed } from '../../support/stores/s3-script.ts';
import { dayKey, encoded, newArena } from '../../support/stores/stored-sets.ts';

/** What becomes of a request: 'lost' is done and not answered. */
type Fate = 'done' | 'refused' | 'lost' | 'cut';
const state: { fate: (request: CloudRequest) => Fate } = { fate: () => 'done' };

const world = await startObjectWorld((request, store): CloudAnswer => {
  const fate = state.fate(request);
  if (fate === 'refused') return failed(503, 'SlowDown');
  if (fate === 'cut') return { isCut: true };
  const answer = store();
  return fate === 'lost' ? { isCut: true } : answer;
});
after(() => world.stop());
const arena = newArena(8 << 20);
const { signal } = new AbortController();

/** Nothing is kept for long, and nobody looks. */
const QUIET = { graceMs: 0, lookMs: 3_600_000 };
let stores = 0;
const nextPrefix = (): string => `w${stores++}/`;
const set = (day: number, cost: number): ReturnType<typeof encoded> =>
  encoded(dayKey(day), { cpuCost: [cost, 0.5], pod: [`pod-${cost}`, 'other'] });

/** Costs by day: `0:1 1:2`. */
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

async function closeAll(...all: readonly ObjectSets[]): Promise<void> {
  await Promise.all(all.map((sets) => sets.close()));
}

test('a set that one process writes is read by another within two seconds', async () => {
  const prefix = nextPrefix();
  const writer = await world.open(arena, { prefix });
  const reader = await world.open(arena, { prefix });
  const beganMs = performance.now();
  await writer.write([await set(0, 1)]);
  const wroteMs = performance.now();
  while (reader.list('allocations').length === 0) {
    assert.ok(performance.now() - wroteMs < 20_000, 'it is never seen');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.ok(beganMs < wroteMs);
  assert.equal(await stateOf(reader), '0:1');
  await closeAll(writer, reader);
});

test('each change of writers at one time takes effect, once and whole', async () => {
  const prefix = nextPrefix();
  const opening = [0, 1, 2, 3].map(() => world.open(arena, { prefix, graceMs: 0 }));
  const writers = await Promise.all(opening);
  await Promise.all(
    writers.flatMap((writer, i) =>
      [0, 1, 2].map(async (round) => writer.write([await set(4 * round + i, i + 1)])),
    ),
  );
  const [first] = writers;
  assert.ok(first !== undefined);
  await first.look();
  const all = Array.from({ length: 12 }, (_, day) => `${day}:${(day % 4) + 1}`).join(' ');
  assert.equal(await stateOf(first), all);
  await Promise.all(writers.map((writer) => writer.remove([dayKey(0), dayKey(1)])));
  await first.write([await set(20, 7)]);
  assert.equal(await stateOf(first), `${all.slice('0:1 1:2 '.length)} 20:7`);
  const report = await fsckObjects({ bucket: world.bucket, prefix }, signal);
  assert.deepEqual([report.damages, report.sets], [[], 11]);
  await closeAll(...writers);
});

test('a store without conditional writes is refused', async () => {
  state.fate = (request) => {
    delete request.headers['if-none-match'];
    return 'done';
  };
  await assert.rejects(world.open(arena, { prefix: nextPrefix() }), {
    message: /^cannot store sets in s3:\/\/sets\/w\d+\/: the store has no conditional writes$/,
  });
  state.fate = () => 'done';
});

test('a writer that stood still until others swept its number away is refused, and writes on top of theirs', async () => {
  const prefix = nextPrefix();
  const late = await world.open(arena, { prefix, ...QUIET });
  const other = await world.open(arena, { prefix, ...QUIET });
  for (const day of [1, 2, 3, 4]) {
    world.script.nowMs = () => Date.now() + 2000 * day;
    await other.write([await set(day, day)]);
  }
  await assert.rejects(late.write([await set(5, 5)]), {
    name: 'Unavailable',
    message: /: others did while this process stood still$/,
  });
  await late.write([await set(6, 6)]);
  await other.look();
  assert.equal(await stateOf(other), '1:1 2:2 3:3 4:4 6:6');
  const report = await fsckObjects({ bucket: world.bucket, prefix }, signal);
  assert.deepEqual([report.damages, report.sets], [[], 5]);
  world.script.nowMs = Date.now;
  await closeAll(late, other);
});

/** Changes, and what is stored after each. */
const STEPS: readonly (readonly [(sets: Sets) => Promise<void>, string])[] = [
  [async (sets) => sets.write([await set(0, 1), await set(1, 2)]), '0:1 1:2'],
  [async (sets) => sets.write([await set(1, 4), await set(3, 5)], () => [dayKey(0)]), '1:4 3:5'],
  [(sets) => sets.remove([dayKey(3)]), '1:4'],
];

/** The steps until the process ends at a request. @returns the requests, and how many steps ended before */
async function until(prefix: string, last: number, isDone: boolean): Promise<[number, number]> {
  let [requests, steps] = [0, 0];
  state.fate = () => {
    requests++;
    if (requests < last) return 'done';
    return requests === last && isDone ? 'lost' : 'cut';
  };
  const opening = world.open(arena, { prefix, ...QUIET });
  const sets = await opening.catch((error: unknown) => error);
  if (sets instanceof Error) {
    state.fate = () => 'done';
    return [requests, 0];
  }
  for (const [change] of STEPS) {
    const error: unknown = await change(sets as Sets).catch((cause: unknown) => cause);
    if (error !== undefined) {
      assert.ok(error instanceof Unavailable, inspect(error));
      break;
    }
    steps++;
  }
  state.fate = () => 'done';
  await (sets as Sets).close();
  return [requests, steps];
}

test('P-C14: a process that ends at any request to the bucket leaves the sets before or after', async (t) => {
  const [count] = await until(nextPrefix(), Infinity, false);
  const states = ['', ...STEPS.map(([, after]) => after)];
  // Each request may have been done when the process ends, or not.
  for (let last = 1; last <= count; last++) {
    for (const isDone of [false, true]) {
      const prefix = nextPrefix();
      const [, steps] = await until(prefix, last, isDone);
      const notesBefore = world.notes.length;
      const sets = await world.open(arena, { prefix, ...QUIET });
      const where = `request ${last}, ${isDone ? 'done' : 'not done'}`;
      const found = await stateOf(sets);
      const allowed = states.slice(steps, steps + 2);
      assert.ok(allowed.includes(found), `${where}: ${found}, not ${allowed.join(' or ')}`);
      assert.equal(world.notes.length, notesBefore, where);
      await sets.write([await set(9, 9)]);
      assert.equal(await stateOf(sets), `${found} 9:9`.trim(), where);
      const { damages } = await fsckObjects({ bucket: world.bucket, prefix }, signal);
      assert.deepEqual(damages, [], where);
      await sets.close();
    }
  }
  measured(t, 'P-C14', `each of ${count} requests was the last one, done or not`);
});

test('a bucket that fails, is slow to answer or loses answers now and then costs only time', async () => {
  const prefix = nextPrefix();
  let turn = 0;
  const fates: readonly Fate[] = ['done', 'refused', 'done', 'lost', 'done', 'cut', 'lost'];
  state.fate = () => fates[turn++ % fates.length] ?? 'done';
  const sets = await world.open(arena, { prefix, ...QUIET });
  for (const [change, expected] of STEPS) {
    await change(sets);
    assert.equal(await stateOf(sets), expected);
  }
  state.fate = () => 'done';
  const { damages } = await fsckObjects({ bucket: world.bucket, prefix }, signal);
  assert.deepEqual(damages, []);
  await sets.close();
});

test('replaced objects go after their time, and those of nobody a day later', async () => {
  const prefix = nextPrefix();
  let aheadMs = 0;
  world.script.nowMs = () => Date.now() + aheadMs;
  const keys = (part: string): string[] =>
    [...world.script.files.keys()].filter((key) => key.startsWith(prefix + part));
  const sets = await world.open(arena, { prefix, graceMs: 60_000 });
  for (let i = 0; i < 4; i++) await sets.write([await set(0, i)]);
  assert.equal(keys('sets/').length, 4);
  const orphan = `${prefix}sets/allocations-20240501T000000000Z-20240502T000000000Z-1-5.arrow`;
  await world.bucket.write(orphan, Uint8Array.of(1), 'absent', signal);
  // Within the quarter of an hour that signatures may be old.
  aheadMs = 120_000;
  await sets.write([await set(0, 9)]);
  assert.equal(keys('sets/').length, 3, 'two generations, and what nobody has');
  const manifests = [4, 5].map((generation) => `${prefix}manifest-${generation}.json`);
  assert.deepEqual(keys('manifest-').toSorted(), manifests);
  assert.equal(await stateOf(sets), '0:9');
  await sets.close();
  aheadMs = 0;
  const file = world.script.files.get(orphan);
  assert.ok(file !== undefined);
  const changed = new Date(Date.now() - 2 * 86_400_000).toISOString();
  world.script.files.set(orphan, { ...file, changed });
  const again = await world.open(arena, { prefix, graceMs: 60_000 });
  await again.write([await set(1, 1)]);
  assert.equal(world.script.files.has(orphan), false);
  assert.equal(await stateOf(again), '0:9 1:1');
  await again.close();
});
