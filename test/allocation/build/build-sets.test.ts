/** Days built of a real Prometheus, across a change of the clocks, against closed forms. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildSets } from '../../../src/allocation/index.ts';
import { NoSamples } from '../../../src/allocation/compute/refusals.ts';
import { assertClose, startBuilding, sumsBy, type Building } from '../../support/stores/builds.ts';
import { DAYS, daysFleet, ZONE } from '../../support/fleets/days-fleet.ts';
import { serveFleets } from '../../support/fleets/served-fleets.ts';
import {
  expectedNodeCosts,
  expectedRows,
  expectedWithIdle,
  type Span,
} from '../../support/fleets/fleet.ts';
import type { Prometheus } from '../../support/stores/prometheus.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { boundsOf, USAGE_FIGURES, usedOver } from '../../support/fleets/usage-of.ts';

const HOUR_MS = 3_600_000;
const COSTS = ['cpuCost', 'ramCost', 'gpuCost'] as const;
const COLUMNS = ['cpuCoreHours', 'ramByteHours', ...COSTS] as const;
const FLEET = daysFleet();
const NEVER = new AbortController().signal;

const skip = skipWithout('prometheus', 'promtool');

describe('days that are built of samples', { skip }, () => {
  let prometheus: Prometheus;
  let building: Building;

  before(async () => {
    prometheus = await serveFleets([FLEET]);
    building = await startBuilding(['--metrics-url', prometheus.url, '--timezone', ZONE]);
    for (const day of DAYS) await build([day]);
  });

  after(async () => {
    await building.close();
    await prometheus.stop();
  });

  const build = (spans: readonly Span[], nowMs: number = Date.UTC(2024, 3, 3)): Promise<void> =>
    buildSets(
      building,
      {
        windows: spans.map(([startMs, endMs]) => ({ startMs, endMs })),
        nowMs,
        stateOf: ({ endMs }) => (endMs < nowMs ? 'sealed' : 'partial'),
      },
      NEVER,
    );

  test('a set covers the local day: 24, 23 and 24 hours', () => {
    const kept = building.sets.list('allocations');
    const hours = kept.map(({ key }) => (key.endMs - key.startMs) / HOUR_MS);
    assert.deepEqual(hours, [24, 23, 24]);
    for (const { meta } of kept) {
      assert.deepEqual(
        [meta.state, meta.timezone, meta.hasGaps, meta.warnings],
        ['sealed', ZONE, false, []],
      );
    }
    assert.equal(building.sets.list('assets').length, 3);
  });

  for (const day of DAYS) {
    const name = new Date(day[1]).toISOString().slice(0, 10);

    test(`every container of the day before ${name} costs its closed form`, async () => {
      const rows = await building.rows('allocations', day, (table) =>
        sumsBy(table, COLUMNS, (text) =>
          ['cluster', 'node', 'namespace', 'pod', 'container'].map(text).join('/'),
        ),
      );
      const expected = expectedRows(FLEET, day);
      const containers = [...rows.keys()].filter((key) => !key.endsWith('/__idle__'));
      assert.deepEqual(containers.toSorted(), [...expected.keys()].toSorted());
      for (const [key, row] of expected) {
        for (const column of COLUMNS) {
          assertClose(rows.get(key)?.[column], row[column], `${key} ${column}`);
        }
      }
    });

    test(`allocations and idle of the day before ${name} are what its nodes cost`, async () => {
      const total = (kind: string): Promise<Record<string, number> | undefined> =>
        building.rows(kind, day, (table) => sumsBy(table, COSTS, () => '').get(''));
      const [allocations, assets] = [await total('allocations'), await total('assets')];
      const nodes = [...expectedNodeCosts(FLEET, day).values()];
      const withIdle = expectedWithIdle(FLEET, day);
      for (const column of ['cpuCost', 'ramCost'] as const) {
        const cost = nodes.reduce((sum, node) => sum + node[column], 0);
        assertClose(assets?.[column], cost, `assets ${column}`);
        assertClose(allocations?.[column], withIdle[column], `allocations ${column}`);
      }
    });
  }

  test('usage of days has the quantiles of the samples, for each container of a controller', () => {
    const span: Span = [DAYS[0]?.[0] ?? 0, DAYS.at(-1)?.[1] ?? 0];
    const used = usedOver(building, DAYS);
    const keys = ['again', 'edge', 'night', 'other', 'steady', 'tight', 'wavy'].map(
      (name) => `team/statefulset/${name}-set/app`,
    );
    assert.deepEqual([...used.keys()].toSorted(), [...keys, 'team/statefulset/wavy-set/sidecar']);
    for (const pod of ['steady', 'wavy', 'other']) {
      const figures = used.get(`team/statefulset/${pod}-set/app`);
      for (const { name } of USAGE_FIGURES.filter((figure) => /\d$/.test(figure.name))) {
        const found = figures?.[name] ?? NaN;
        const [least, most] = boundsOf(FLEET, pod, name, span);
        assert.ok(found >= least - 1e-9 && found <= most, `${pod} ${name}: ${found}`);
      }
      for (const [of, resource] of [
        ['cpuCoreUsageMax', 'cpu'],
        ['ramByteUsageMax', 'ram'],
      ] as const) {
        const [most = NaN, hourly = NaN] = [figures?.[of], figures?.[`${resource}OfMaxes`]];
        assert.ok(Math.abs(hourly - most) <= 0.0101 * most, `${pod} ${of}: ${hourly}, not ${most}`);
      }
    }
  });

  test('usage of a day is that of its hours', async () => {
    const day = DAYS[1] ?? [0, 0];
    const hours = Array.from({ length: 23 }, (_, i): Span => [
      day[0] + i * HOUR_MS,
      day[0] + (i + 1) * HOUR_MS,
    ]);
    await build(hours);
    assert.deepEqual(usedOver(building, hours), usedOver(building, [day]));
    const keys = hours.map(([startMs, endMs]) => ({ startMs, endMs }));
    await building.sets.remove(
      ['allocations', 'allocation-sums', 'assets', 'usage'].flatMap((kind) =>
        keys.map((key) => ({ ...key, kind })),
      ),
    );
  });

  test('without samples nothing is stored', async () => {
    const before = building.sets.list('allocations').length;
    const longAgo: Span = [Date.UTC(2024, 0, 1), Date.UTC(2024, 0, 2)];
    await assert.rejects(build([longAgo]), NoSamples);
    assert.equal(building.sets.list('allocations').length, before);
  });

  test('nothing is held once sets are built', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prorata-kept-'));
    const flags = ['--metrics-url', prometheus.url, '--timezone', ZONE, '--data-dir', folder];
    const kept = await startBuilding(flags);
    try {
      const [[startMs, endMs] = [0, 0]] = DAYS;
      const windows = [{ startMs, endMs }];
      const heldBytes: number[] = [];
      for (let i = 0; i < 3; i++) {
        await buildSets(kept, { windows, nowMs: endMs, stateOf: () => 'partial' }, NEVER);
        heldBytes.push(kept.compute.arena.usedBytes);
      }
      // Workers have tables of their own, and the last of them may start late.
      const [, second, third] = heldBytes;
      assert.deepEqual([third, kept.compute.running.size], [second, 0]);
    } finally {
      await kept.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
