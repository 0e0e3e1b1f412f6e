/** A folder whose days were sealed by a tz database with other offsets. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  createBuilder,
  readStoredPlan,
  resolveSets,
  storedBounds,
} from '../../../src/allocation/index.ts';
import { isNotStored } from '../../../src/allocation/stored/not-stored.ts';
import { parseQuery } from '../../../src/http/index.ts';
import { createKnownLives } from '../../../src/metrics/index.ts';
import { createAdmission } from '../../../src/pool/index.ts';
import { createCalendar, messageOf, type Calendar, type Window } from '../../../src/query/index.ts';
import { createMemorySets, type Sets } from '../../../src/storage/index.ts';
import { startBuilding, sumsBy, type Building } from '../../support/stores/builds.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FIRST = Date.UTC(2024, 4, 13);
/** When the tz database is exchanged. */
const BEFORE = FIRST + 2.4 * DAY;
const NOW = FIRST + 4.4 * DAY;

/** A zone, and one whose days the database of before would have taken for its own. */
const CHANGES: readonly (readonly [zone: string, asBefore: string])[] = [
  ['Europe/Berlin', 'Etc/GMT-1'], // summer time by surprise
  ['Asia/Pyongyang', 'Asia/Kolkata'],
  ['Asia/Kolkata', 'Etc/GMT-5'], // half an hour
];

describe('days that were sealed under other offsets', () => {
  let building: Building;
  before(async () => (building = await startBuilding([])));
  after(() => building.close());

  const fill = async (
    sets: Sets,
    zone: string,
    calendar: Calendar,
    nowMs: number,
  ): Promise<void> => {
    const pod = { name: 'app', startMs: FIRST, endMs: NOW, cpuCores: 1, ramBytes: 2 ** 30 };
    const minutes = Math.ceil((NOW - FIRST) / 60_000) + 1;
    const cpuUsage = { fromMs: FIRST, cores: new Float64Array(minutes).fill(0.5) };
    const source = createKnownLives([{ ...pod, cpuUsage }], { scrapeMs: 300_000, hasTimes: true });
    const builder = createBuilder({
      ...building,
      metrics: {
        ...building.metrics,
        source: { ...source, earliestSampleMs: () => Promise.resolve(FIRST) },
      },
      sets,
      timezone: zone,
      rules: { calendar, retentionMs: 400 * DAY, refreshMs: 300_000, sealAfterMs: HOUR },
      bytesMax: Infinity,
      admission: createAdmission({ lane: 'questions', running: 1, waiting: 1, waitMs: 1000 }),
      nowMs: () => nowMs,
      elapsedMs: () => nowMs,
      onBuilt: () => undefined,
      onFailed: (what, error) => assert.fail(`${what}: ${String(error)}`),
    });
    await builder.fill({ window: undefined, isAgain: false, onProgress: () => undefined }, NEVER);
  };

  /** Core hours of what answers the window, and its bounds. */
  const answered = async (
    sets: Sets,
    calendar: Calendar,
    query: string,
  ): Promise<{
    readonly coreHours: number;
    readonly windows: readonly Window[];
    readonly warnings: readonly string[];
  }> => {
    const { arena, owners } = building.compute;
    const plan = readStoredPlan(parseQuery(query), calendar, NOW);
    const { groups, warnings } = resolveSets(sets, calendar, plan);
    const keys = groups.flatMap(({ members }) => members.map(({ stored }) => stored.key));
    let coreHours = 0;
    for (const key of keys) {
      const owner = owners.take();
      const read = await sets.read(key, owner);
      assert.ok(read);
      coreHours += sumsBy(read.table, ['cpuCoreHours'], () => '').get('')?.['cpuCoreHours'] ?? 0;
      arena.release(owner);
    }
    return {
      coreHours,
      windows: keys.toSorted((a, b) => a.startMs - b.startMs),
      warnings: warnings.map(messageOf),
    };
  };

  const store = (): Sets => {
    const { arena, owners } = building.compute;
    return createMemorySets({ arena, owner: owners.take(), nowMs: () => NOW });
  };

  const dayKeys = (sets: Sets): string[] =>
    sets
      .list('allocations')
      .filter(({ key, meta }) => key.endMs - key.startMs > HOUR && meta.state === 'sealed')
      .map(({ key, meta }) => `${key.startMs} ${key.endMs} ${meta.createdMs}`);

  for (const [zone, asBefore] of CHANGES) {
    test(`P-T3: no hour of ${zone} is counted twice or lost where days as of ${asBefore} are stored`, async () => {
      const sets = store();
      await fill(sets, zone, createCalendar(asBefore), BEFORE);
      const sealed = dayKeys(sets);
      assert.equal(sealed.length, 2);
      const calendar = createCalendar(zone, storedBounds(sets, zone));
      await fill(sets, zone, calendar, NOW);
      assert.deepEqual(
        dayKeys(sets).filter((key) => sealed.includes(key)),
        sealed,
        'what is sealed is not built again',
      );
      for (const accumulate of ['day', 'hour']) {
        const hours = accumulate === 'hour' ? 47 : (NOW - FIRST) / HOUR;
        const window = `${(NOW - hours * HOUR) / 1000},${NOW / 1000}`;
        const { coreHours, windows, warnings } = await answered(
          sets,
          calendar,
          `window=${window}&accumulate=${accumulate}`,
        );
        for (const [i, { startMs }] of windows.entries())
          assert.ok(i === 0 || windows[i - 1]?.endMs === startMs, `${accumulate}s meet`);
        // Hours are stored for 49 hours only.
        if (accumulate === 'day') assert.deepEqual(warnings.filter(isNotStored), []);
        const fromMs = Math.max(FIRST, windows[0]?.startMs ?? 0);
        assert.ok(Math.abs(coreHours - (NOW - fromMs) / HOUR) < 1e-6, `${coreHours} core hours`);
      }
    });
  }

  test('hours of another zone that are half an hour off do not count beside those of the zone', async () => {
    const sets = store();
    await fill(sets, 'UTC', createCalendar('UTC'), NOW);
    const calendar = createCalendar('Asia/Kolkata', storedBounds(sets, 'Asia/Kolkata'));
    await fill(sets, 'Asia/Kolkata', calendar, NOW);
    const window = `${(NOW - 47 * HOUR) / 1000},${NOW / 1000}`;
    const { coreHours, windows } = await answered(
      sets,
      calendar,
      `window=${window}&accumulate=hour`,
    );
    const [first] = windows;
    assert.ok(Math.abs(coreHours - (NOW - (first?.startMs ?? 0)) / HOUR) < 1e-6, `${coreHours}`);
  });

  test('by the calendar of the new tz database alone stored days overlap', async () => {
    const sets = store();
    await fill(sets, 'Europe/Berlin', createCalendar('Etc/GMT-3'), BEFORE);
    await fill(sets, 'Europe/Berlin', createCalendar('Europe/Berlin'), NOW);
    const days = sets.list('allocations').filter(({ key }) => key.endMs - key.startMs > HOUR);
    assert.ok(days.some(({ key }, i) => (days[i + 1]?.key.startMs ?? Infinity) < key.endMs));
  });
});

const NEVER = new AbortController().signal;
