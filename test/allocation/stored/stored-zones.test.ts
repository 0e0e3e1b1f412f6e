/** A year of stored days where clocks change, over HTTP: no hour is lost, and none comes twice. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Window } from '../../../src/query/index.ts';
import { sampled } from '../../support/sampled.ts';
import { rowSet } from '../../support/stores/columns-folder.ts';
import {
  startStoredServers,
  type StoredServer,
  type StoredServers,
} from '../../support/servers/stored-server.ts';
import {
  daysOfYear,
  minutesOf,
  ZONE_YEARS,
  type LocalDay,
} from '../../support/arbitraries/zone-years.ts';
import {
  iso,
  overlapped,
  PAIRS,
  placesOf,
  spans,
  WINDOWS,
} from '../../support/arbitraries/zone-windows.ts';

const HOUR_MS = 3_600_000;

interface Row {
  readonly window: Readonly<Record<'start' | 'end', string>>;
  readonly start: string;
  readonly end: string;
  readonly minutes: number;
  readonly totalCost: number;
  readonly sharedCost: number;
}
type Rows = Readonly<Record<string, Row>>;

let servers: StoredServers;
before(async () => {
  servers = await startStoredServers();
});
after(() => servers.stop());

for (const zoneYear of sampled(ZONE_YEARS, { gate: 3, turn: 1 })) {
  const { zone, year } = zoneYear;
  const days = daysOfYear(zoneYear);
  const [first, last] = [days[0], days.at(-1)];
  assert.ok(first && last, zone);
  const whole = `${iso(first.startMs)},${iso(last.endMs)}`;

  describe(`the stored days of ${year} in ${zone}`, () => {
    /** Each day has a cost of its own. */
    const costOf = (day: LocalDay): number => 1 + days.indexOf(day) / 512;
    const sumOf = (some: readonly LocalDay[]): number =>
      some.reduce((sum, day) => sum + costOf(day), 0);
    let server: StoredServer;

    before(async () => {
      const sets = days.map((day) => {
        const hours = (day.endMs - day.startMs) / HOUR_MS;
        const texts = { cluster: 'c', node: 'n', namespace: 'a', pod: 'p', container: 'm' };
        const numbers = { cpuCost: costOf(day), cpuCoreHours: hours };
        return rowSet(day, [{ texts, numbers }], { timezone: zone });
      });
      server = await servers.start(zone, await Promise.all(sets));
      server.nowMs = last.endMs;
    });
    after(() => server.stop());

    const ask = async <Data>(path: string): Promise<Data> => {
      const response = await fetch(`${server.url}/model/allocation${path}`);
      const text = await response.text();
      assert.equal(response.status, 200, text);
      const { data, warnings } = JSON.parse(text) as { data: Data; warnings?: readonly string[] };
      assert.deepEqual(warnings, undefined, path);
      return data;
    };
    const rowsOf = async (query: string): Promise<Row[]> => {
      const data = await ask<readonly Rows[]>(`?aggregate=cluster&${query}`);
      return data.map(({ c }) => c).filter((row) => row !== undefined);
    };
    const close = (actual: number, expected: number, what: string): void =>
      assert.ok(Math.abs(actual - expected) <= 1e-9 * expected, `${what}: ${actual}, ${expected}`);

    test('P-T1: come whole, newest first, with all minutes of the year', async () => {
      const rows = await rowsOf(`window=${whole}`);
      assert.deepEqual(
        rows.map(({ window, start, end, totalCost }) => [window, start, end, totalCost]),
        days.toReversed().map((day) => {
          const [start, end] = [iso(day.startMs), iso(day.endMs)];
          return [{ start, end }, start, end, costOf(day)];
        }),
      );
      assert.equal(
        rows.reduce((sum, { minutes }) => sum + minutes, 0),
        minutesOf(days),
      );
    });

    // Of a monthly cost each day bears the same, however long it is.
    test('add up to the year, and to months and weeks that meet', async () => {
      for (const unit of ['true', 'month', 'week']) {
        const query = `window=${whole}&accumulate=${unit}&shareCost=30.42`;
        const rows = (await rowsOf(query)).toReversed();
        assert.equal(minutesOf(rows.map(spanOf)), minutesOf(days), unit);
        assert.equal(rows[0]?.window.start, iso(first.startMs));
        for (const [i, row] of rows.entries()) {
          const { startMs, endMs } = spanOf(row);
          assert.equal(rows[i + 1]?.window.start ?? iso(last.endMs), row.window.end, unit);
          assert.equal(row.minutes, (endMs - startMs) / 60_000, unit);
          const within = days.filter((day) => day.startMs >= startMs && day.endMs <= endMs);
          const what = `${unit} from ${row.window.start}`;
          close(row.totalCost - row.sharedCost, sumOf(within), what);
          close(row.sharedCost, within.length, what);
        }
        if (unit !== 'week') assert.equal(rows.length, unit === 'month' ? 12 : 1);
      }
    });

    test('are asked for by windows of every form around a change', async () => {
      for (const place of placesOf(days, zoneYear)) {
        const day: LocalDay = days[place] ?? first;
        for (const [form, pair] of Object.entries(PAIRS)) {
          const window = encodeURIComponent(pair(zone, day, day));
          const rows = await rowsOf(`window=${window}`);
          const costs = rows.map(({ totalCost }) => totalCost);
          assert.deepEqual(costs, [costOf(day)], `${form}: ${window}`);
        }
        server.nowMs = (day.startMs + day.endMs) / 2;
        for (const window of ['today', 'yesterday', '2d']) {
          const meant = WINDOWS[window]?.(days, place, server.nowMs);
          if (!meant || meant.startMs < first.startMs) continue;
          const rows = await rowsOf(`window=${window}`);
          assert.deepEqual(spans(rows.map(spanOf)), overlapped(days, meant), window);
        }
        server.nowMs = last.endMs;
      }
      assert.deepEqual(servers.failures, []);
    });
  });
}

function spanOf({ window }: Row): Window {
  return { startMs: Date.parse(window.start), endMs: Date.parse(window.end) };
}
