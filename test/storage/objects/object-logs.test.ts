/** Logs in a bucket that fails, of writers that stand still and of those who go on for them. `OBJECT_LOG_RUNS` searches longer. */
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { LogTaken, ObjectLogs, type ObjectLog } from '../../../src/storage/objects/object-logs.ts';
import { Unavailable } from '../../../src/query/index.ts';
import type { CloudAnswer, CloudRequest } from '../../support/servers/scripted-cloud.ts';
import { measured } from '../../support/measured.ts';
import { startObjectWorld } from '../../support/stores/object-stores.ts';
import { failed } from '../../support/stores/s3-script.ts';

const RUNS = Number(process.env['OBJECT_LOG_RUNS'] ?? 20);
const NEVER_MS = 2 ** 30;

type Fate = 'done' | 'refused' | 'lost' | 'cut';
const state: { fate: (request: CloudRequest) => Fate } = { fate: () => 'done' };
const world = await startObjectWorld((request, store): CloudAnswer => {
  const fate = state.fate(request);
  if (fate === 'refused') return failed(503, 'SlowDown');
  if (fate === 'cut') return { isCut: true };
  const answer = store();
  return fate === 'lost' ? { isCut: true } : answer;
});
beforeEach(() => (state.fate = () => 'done'));
after(() => world.stop());

let prefixes = 0;
function newLogs(liveMs: number = NEVER_MS): ObjectLogs {
  return new ObjectLogs({
    bucket: world.bucket,
    prefix: `l${prefixes++}/`,
    folder: 'runs',
    liveMs,
  });
}

interface Written {
  readonly is: 'record';
  readonly writer: number;
  readonly nth: number;
  readonly fill: string;
}

/** What came of an append. */
type Came = 'kept' | 'taken' | 'unknown';

async function appended(log: ObjectLog, record: Written): Promise<Came> {
  return await log.append(record).then(
    () => 'kept' as const,
    (error: unknown) => {
      if (error instanceof LogTaken) return 'taken';
      assert.ok(error instanceof Unavailable, String(error));
      return 'unknown';
    },
  );
}

const fates = fc.array(
  fc.tuple(fc.constantFrom<Fate>('done', 'refused', 'lost', 'cut'), fc.constantFrom(1, 2, 12, 40)),
  { minLength: 1, maxLength: 8 },
);
const ops = fc.array(
  fc.record({
    does: fc.constantFrom('append', 'append', 'append', 'append as before', 'go on'),
    // Two of the longest do not fit into one object.
    bytes: fc.constantFrom(10, 10, 5000, 70_000),
  }),
  { minLength: 1, maxLength: 25 },
);

test('P-C18: a log has each record that was told to be kept, once, in order, and none of a writer behind those of the next', async (t) => {
  let records = 0;
  let takeovers = 0;
  await fc.assert(
    fc.asyncProperty(ops, fates, async (drawn, fated) => {
      state.fate = () => 'done';
      const logs = newLogs();
      const first = await logs.begin(12);
      assert.ok(first);
      const queue = fated.flatMap(([fate, times]) => Array<Fate>(times).fill(fate));
      state.fate = () => queue.shift() ?? 'done';
      const writers: ObjectLog[] = [first];
      const came: [Written, Came][] = [];
      for (const { does, bytes } of drawn) {
        if (does === 'go on') {
          const next = await logs.resume(12).catch(() => undefined);
          if (next !== undefined) writers.push(next);
          continue;
        }
        const writer = Math.max(0, writers.length - (does === 'append' ? 1 : 2));
        const record = { is: 'record', writer, nth: came.length, fill: 'x'.repeat(bytes) } as const;
        const log = writers[writer];
        assert.ok(log);
        const told = await appended(log, record);
        const isLate = writer < writers.length - 1;
        assert.ok(!isLate || told !== 'kept', 'another goes on with it');
        came.push([record, isLate ? 'taken' : told]);
      }
      state.fate = () => 'done';
      for (const log of writers) await log.close();
      const read = (await logs.read(12)) as Written[];
      const numbers = read.map(({ nth }) => nth);
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].toSorted((a, b) => a - b),
        'in order, once',
      );
      for (const [{ nth }, told] of came) {
        if (told === 'kept') assert.ok(numbers.includes(nth), `${nth} was told to be kept`);
        if (told === 'taken') assert.ok(!numbers.includes(nth), `${nth} was told to be refused`);
      }
      records += read.length;
      takeovers += writers.length - 1;
      const ofWriters = read.map(({ writer }) => writer);
      assert.deepEqual(
        ofWriters,
        ofWriters.toSorted((a, b) => a - b),
      );
    }),
    { numRuns: RUNS },
  );
  measured(t, 'P-C18', `${RUNS} schedules, ${records} records, ${takeovers} logs taken over`);
});

test('one of those who begin a log of one number at one time does', async () => {
  for (let times = 0; times < 10; times++) {
    const logs = newLogs();
    const begun = await Promise.all(Array.from({ length: 6 }, () => logs.begin(1)));
    const logsOf = begun.filter((log) => log !== undefined);
    assert.equal(logsOf.length, 1);
    await Promise.all(logsOf.map((log) => log.close()));
  }
});

test('one of those who go on with a log at one time does', async () => {
  const logs = newLogs();
  await (await logs.begin(1))?.append({ is: 'record' });
  const resumed = await Promise.all(Array.from({ length: 6 }, () => logs.resume(1)));
  const going = resumed.filter((log) => log !== undefined);
  // Who comes when another has gone on goes on for that one.
  const told = await Promise.all(
    going.map((log) => log.append({ is: 'more' }).then(() => 'kept', () => 'taken')),
  ); // prettier-ignore
  assert.equal(told.filter((each) => each === 'kept').length, 1);
  await Promise.all(going.map((log) => log.close()));
});

test('a log is live while its writer is there, though it has nothing to tell', async () => {
  const logs = newLogs(3000);
  const log = await logs.begin(3);
  const isLive = async (): Promise<boolean> => (await logs.list())[0]?.isLive === true;
  const aliveUntilMs = performance.now() + 6000;
  while (performance.now() < aliveUntilMs) {
    assert.ok(await isLive());
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await log?.close();
  while (await isLive()) {
    assert.ok(performance.now() < aliveUntilMs + 8000, 'it is live for ever');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.deepEqual(await logs.read(3), []);
});

test('what is removed is not there, and others are', async () => {
  const logs = newLogs();
  for (const number of [1, 2, 1_000_000]) {
    const log = await logs.begin(number);
    await log?.append({ number });
    await log?.close();
  }
  await logs.remove(1);
  await logs.remove(77);
  assert.deepEqual(
    (await logs.list()).map(({ number }) => number),
    [2, 1_000_000],
  );
  assert.deepEqual(await logs.read(1), []);
  assert.deepEqual(await logs.read(1_000_000), [{ number: 1_000_000 }]);
  assert.equal(await logs.resume(1), undefined);
});
