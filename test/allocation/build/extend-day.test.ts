/** A day that grows hour by hour, as time passes over a real Prometheus. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildSets } from '../../../src/allocation/build/build-sets.ts';
import { extendDay, HOUR_GRACE_MS } from '../../../src/allocation/build/extend-day.ts';
import type { BuildOptions } from '../../../src/allocation/index.ts';
import { createCalendar } from '../../../src/query/index.ts';
import {
  assertClose,
  startBuilding,
  sumsBy,
  type Building,
  type Sums,
} from '../../support/stores/builds.ts';
import { DAYS, daysFleet, ZONE } from '../../support/fleets/days-fleet.ts';
import { HOUR, MINUTE } from '../../support/fleets/fleet-parts.ts';
import { serveFleets } from '../../support/fleets/served-fleets.ts';
import { expectedRows, expectedWithIdle, type Span } from '../../support/fleets/fleet.ts';
import type { Prometheus } from '../../support/stores/prometheus.ts';
import { skipWithout } from '../../support/servers/services.ts';

const COSTS = ['cpuCost', 'ramCost', 'gpuCost'] as const;
const COLUMNS = ['cpuCoreHours', 'ramByteHours', ...COSTS] as const;
const PARTS = ['cluster', 'node', 'namespace', 'pod', 'container'];
const FLEET = daysFleet();
/** The day of 23 hours. */
const [, DAY = [0, 0] as const] = DAYS;
const [START, END] = DAY;
const WINDOW = { startMs: START, endMs: END };
const CALENDAR = createCalendar(ZONE);
const NEVER = new AbortController().signal;

const skip = skipWithout('prometheus', 'promtool');

describe('the set of a day that is not over', { skip }, () => {
  let prometheus: Prometheus;
  let building: Building;
  /** Begins of reads since the last extension. */
  let readsMs: number[] = [];
  let options: BuildOptions;

  before(async () => {
    prometheus = await serveFleets([FLEET]);
    building = await startBuilding(['--metrics-url', prometheus.url, '--timezone', ZONE]);
    const { source } = building.metrics;
    const read: typeof source.read = (selection, range, ...rest) => {
      readsMs.push(range.startMs);
      return source.read(selection, range, ...rest);
    };
    const { name, concurrentReads } = source;
    const metrics = { ...building.metrics, source: { name, concurrentReads, read } };
    options = { ...building, metrics };
  });

  after(async () => {
    await building.close();
    await prometheus.stop();
  });

  const rowsOf = (span: Span, kind: string = 'allocations'): Promise<ReadonlyMap<string, Sums>> =>
    building.rows(kind, span, (table) =>
      sumsBy(table, COLUMNS, (text) => PARTS.map(text).join('/')),
    );

  const STEPS = [75 * MINUTE, 320 * MINUTE, 13 * HOUR, END - START + HOUR_GRACE_MS];
  for (const [i, sinceMs] of STEPS.entries()) {
    const nowMs = START + sinceMs;
    const endMs = Math.min(END, nowMs);

    test(`${sinceMs / MINUTE} minutes after its start it has what was until then`, async () => {
      readsMs = [];
      await extendDay(options, CALENDAR, WINDOW, nowMs, NEVER);
      const rows = await rowsOf(DAY);
      const expected = expectedRows(FLEET, [START, endMs]);
      const containers = [...rows.keys()].filter((key) => !key.endsWith('/__idle__'));
      assert.deepEqual(containers.toSorted(), [...expected.keys()].toSorted());
      for (const [key, row] of expected) {
        for (const name of COLUMNS) assertClose(rows.get(key)?.[name], row[name], `${key} ${name}`);
      }
      const withIdle = expectedWithIdle(FLEET, [START, endMs]);
      for (const name of ['cpuCost', 'ramCost'] as const) {
        const total = [...rows.values()].reduce((sum, row) => sum + (row[name] ?? NaN), 0);
        assertClose(total, withIdle[name], `allocations and idle, ${name}`);
      }
      const [info] = building.sets.list('allocations').filter(({ key }) => key.endMs === END);
      assert.deepEqual([info?.meta.state, info?.meta.untilMs], ['partial', endMs]);
    });

    test(`${sinceMs / MINUTE} minutes after its start only hours that were open were read`, () => {
      const openedMs =
        START + Math.max(0, Math.floor(((STEPS[i - 1] ?? 0) - HOUR_GRACE_MS) / HOUR)) * HOUR;
      assert.ok(readsMs.length > 20, `${readsMs.length} reads`);
      assert.ok(Math.min(...readsMs) >= openedMs - 10 * MINUTE, 'a read begins before them');
    });
  }

  test('it is the sum of its 23 hours, which are final', async () => {
    const hours = building.sets
      .list('allocations')
      .filter(({ key }) => key.endMs - key.startMs === HOUR);
    assert.equal(hours.length, 23);
    assert.ok(
      hours.every(({ meta }) => meta.state === 'sealed'),
      'an hour is open',
    );
    const sums = new Map<string, Record<string, number>>();
    for (const { key } of hours) {
      for (const [name, row] of await rowsOf([key.startMs, key.endMs])) {
        const sum = sums.get(name) ?? {};
        for (const column of COLUMNS) sum[column] = (sum[column] ?? 0) + (row[column] ?? NaN);
        sums.set(name, sum);
      }
    }
    const day = await rowsOf(DAY);
    assert.deepEqual([...day.keys()].toSorted(), [...sums.keys()].toSorted());
    for (const [key, row] of day) {
      // Idle is what is left of the day: the hours that exceed node-c take from the others.
      if (key === 'days/node-c///__idle__') {
        assert.ok((row['cpuCost'] ?? NaN) < (sums.get(key)?.['cpuCost'] ?? NaN), key);
        continue;
      }
      for (const name of COLUMNS)
        assertClose(row[name], sums.get(key)?.[name] ?? NaN, `${key} ${name}`);
    }
  });

  test('built whole it has the same rows', async () => {
    const [hourly, nodes] = [await rowsOf(DAY), await rowsOf(DAY, 'assets')];
    const stateOf = (): 'sealed' => 'sealed';
    await buildSets(options, { windows: [WINDOW], nowMs: END + 2 * HOUR, stateOf }, NEVER);
    for (const [kind, before] of [
      ['allocations', hourly],
      ['assets', nodes],
    ] as const) {
      // prettier-ignore
      const whole = await rowsOf(DAY, kind);
      assert.deepEqual([...whole.keys()].toSorted(), [...before.keys()].toSorted());
      for (const [key, row] of whole) {
        for (const name of COLUMNS)
          assertClose(before.get(key)?.[name], row[name] ?? NaN, `${kind} ${key} ${name}`);
      }
    }
  });
});
