/** Days that lack their sums get them, once the builder has nothing else to do. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBuilder } from '../../../src/allocation/index.ts';
import { StoredSums, SUMS, unbilledCharges } from '../../../src/allocation/reduced/sums-set.ts';
import { createKnownLives } from '../../../src/metrics/index.ts';
import { createAdmission } from '../../../src/pool/index.ts';
import { createCalendar } from '../../../src/query/index.ts';
import type { EncodedSet, SetMeta } from '../../../src/storage/index.ts';
import { startBuilding, type Building } from '../../support/stores/builds.ts';
import { rowSet } from '../../support/stores/columns-folder.ts';
import { assetDay, columnsOf } from '../../support/stores/asset-days.ts';
import { dayKey, FIRST_MS, tableOf } from '../../support/stores/stored-sets.ts';

const MINUTE = 60_000;
const TODAY = FIRST_MS + 90 * 24 * 60 * MINUTE;

const OVERHEAD = [{ type: 'ClusterManagement', cluster: 'c', provider: 'GCP', cost: 2.4 }];

let building: Building;
before(async () => (building = await startBuilding([])));
after(() => building.close());

function rowsOf(day: number, usd: number, meta: Partial<SetMeta> = {}): Promise<EncodedSet> {
  const texts = { cluster: 'c', namespace: 'shop', pod: 'web-1', container: 'web' };
  return rowSet(dayKey(day), [{ texts, numbers: { cpuCost: usd } }], meta);
}

const lacking = (): number[] => {
  const sums = new StoredSums(building.sets);
  return [0, 1, 2].filter((day) => {
    const stored = building.sets.locate(dayKey(day));
    return stored !== undefined && sums.of(stored) === undefined;
  });
};

test('days that were imported, or whose rows were written anew, get sums once all else is done', async () => {
  const { sets } = building;
  const nowMs = TODAY + 10 * MINUTE;
  const cores = { fromMs: TODAY, cores: new Float64Array(61).fill(0.5) };
  const pod = {
    name: 'app',
    startMs: TODAY,
    endMs: TODAY + 60 * MINUTE,
    cpuCores: 1,
    ramBytes: 2 ** 30,
    cpuUsage: cores,
  };
  const source = {
    ...createKnownLives([pod], { scrapeMs: MINUTE, hasTimes: true }),
    earliestSampleMs: () => Promise.resolve(TODAY),
  };
  const built: string[] = [];
  const failed: string[] = [];
  const builder = createBuilder({
    ...building,
    metrics: { ...building.metrics, source },
    rules: {
      calendar: createCalendar('UTC'),
      retentionMs: 400 * 24 * 60 * MINUTE,
      refreshMs: 300_000,
      sealAfterMs: 60 * MINUTE,
    },
    bytesMax: Infinity,
    admission: createAdmission({ lane: 'questions', running: 1, waiting: 1, waitMs: 1000 }),
    nowMs: () => nowMs,
    elapsedMs: () => performance.now(),
    onBuilt: (what) => void built.push(what),
    onFailed: (what, error) => void failed.push(`${what}: ${String(error)}`),
  });
  await sets.write([await rowsOf(0, 1), await rowsOf(1, 2), await rowSet(dayKey(2), [])]);
  await sets.write([await assetDay(0, OVERHEAD)]);
  assert.deepEqual(lacking(), [0, 1, 2]);
  const running = new AbortController();
  const ended = builder.run(running.signal).catch(() => undefined);
  const until = async (isDone: () => boolean): Promise<void> => {
    while (!isDone()) await sleep(5);
  };
  // A day without rows needs none.
  await until(() => lacking().join() === '2');
  await sets.write([await rowsOf(1, 3, { createdMs: 5 })]);
  await until(() => lacking().join() === '2');
  running.abort();
  await ended;
  assert.deepEqual(failed, []);
  assert.ok(
    built.every((what) => !what.startsWith('sums')),
    'nobody is told of it',
  );
  const overhead = unbilledCharges(dayKey(0), tableOf(columnsOf(0, OVERHEAD), OVERHEAD.length));
  const rows = sets.locate(dayKey(0)) ?? assert.fail();
  assert.ok(new StoredSums(sets).of(rows, overhead), 'its tenants share what its cluster costs');
  assert.equal(new StoredSums(sets).of(rows, `${overhead} `), undefined);
  const { startMs, endMs } = dayKey(1);
  const read = await building.rows(SUMS, [startMs, endMs], (table) => [
    ...(table.numbers('cpuCost')?.values ?? []),
  ]);
  assert.deepEqual(read, [3]);
});
