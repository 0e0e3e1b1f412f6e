/** Charges equal the costs of assets, each kind by itself, through the whole pipeline. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sumHours } from '../../src/allocation/build/extend-day.ts';
import { buildSets } from '../../src/allocation/index.ts';
import type { Table } from '../../src/columnar/index.ts';
import { ASSET_COLUMNS } from '../../src/assets/columns.ts';
import {
  assertClose,
  startBuilding,
  sumsBy,
  type Building,
  type Sums,
} from '../support/stores/builds.ts';

import {
  expectedNodes,
  IDLE_END_MS,
  IDLE_START_MS,
  idleSeries,
} from '../support/fleets/idle-fleet.ts';
import { startPrometheus, type Prometheus } from '../support/stores/prometheus.ts';
import { writeSeries } from '../support/stores/series-file.ts';
import { skipWithout } from '../support/servers/services.ts';

const COSTS = ['cpuCost', 'ramCost', 'gpuCost'] as const;
const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2024, 4, 7, 11);
const HOURS = [0, 1, 2].map((hour) => ({
  startMs: START_MS + hour * HOUR_MS,
  endMs: START_MS + (hour + 1) * HOUR_MS,
}));
const WINDOW = { startMs: START_MS, endMs: START_MS + 3 * HOUR_MS };
const NOW_MS = WINDOW.endMs + HOUR_MS;
const NEVER = new AbortController().signal;

const CHARGED = ['cpuCost', 'ramCost', 'gpuCost', 'pvCost', 'loadBalancerCost', 'networkCost', 'pvByteHours', 'cpuCoreUsageHours', 'ramByteUsageHours'] as const; // prettier-ignore

/** Columns that rows of allocations and nodes have both. */
const ON_NODES = [
  'cpuCost',
  'ramCost',
  'gpuCost',
  'cpuCoreUsageHours',
  'ramByteUsageHours',
] as const;

interface Read {
  /** Sums of CHARGED, idle among them. */
  readonly charged: Sums;
  /** Sums of each type of asset. */
  readonly assets: ReadonlyMap<string, Sums>;
  /** Every column of every asset. */
  readonly rows: ReadonlyMap<string, Readonly<Record<string, string | number>>>;
}

describe('charges equal the costs of assets', () => {
  let building: Building;
  let summed: Read;
  let whole: Read;

  before(async () => {
    building = await startBuilding(['--now', new Date(NOW_MS).toISOString()]);
    const build = { nowMs: NOW_MS, stateOf: () => 'sealed' as const };
    await buildSets(building, { ...build, windows: HOURS }, NEVER);
    await sumHours(
      building,
      WINDOW,
      HOURS,
      { state: 'sealed', nowMs: NOW_MS, warnings: [] },
      NEVER,
    );
    summed = await read();
    await buildSets(building, { ...build, windows: [WINDOW] }, NEVER);
    whole = await read();
  });

  after(() => building.close());

  const read = async (): Promise<Read> => {
    const span = [WINDOW.startMs, WINDOW.endMs] as const;
    const charged = await building.rows('allocations', span, (table) =>
      sumsBy(table, CHARGED, () => '').get(''),
    );
    const assets = await building.rows('assets', span, (table) =>
      sumsBy(table, ['cost', 'byteHours', ...ON_NODES], (text) =>
        text('type') === 'Disk' && text('node') !== '' ? 'attached' : text('type'),
      ),
    );
    return { charged: charged ?? {}, assets, rows: await building.rows('assets', span, rowsOf) };
  };

  test('the fleet fits its nodes, and has each kind of asset', () => {
    const types = ['ClusterManagement', 'Disk', 'LoadBalancer', 'Network', 'Node', 'attached'];
    assert.deepEqual([...whole.assets.keys()].toSorted(), types);
    for (const [type, sums] of whole.assets)
      assert.ok((sums['cost'] ?? 0) > 0, `${type} cost nothing`);
    const [allocations] = building.sets
      .list('allocations')
      .filter(({ key }) => key.endMs === WINDOW.endMs && key.startMs === WINDOW.startMs);
    const exceeded = allocations?.meta.warnings.filter((text) => text.includes('exceed')) ?? [];
    assert.deepEqual(exceeded, []);
  });

  for (const how of ['whole', 'of its hours'] as const) {
    const built = (): Read => (how === 'whole' ? whole : summed);

    test(`allocations and idle add up to the costs of nodes: a set built ${how}`, () => {
      const { charged, assets } = built();
      for (const name of ON_NODES)
        assertClose(assets.get('Node')?.[name], charged[name] ?? NaN, name);
    });

    test(`each kind of charge adds up to the costs of its assets: a set built ${how}`, () => {
      const { charged, assets } = built();
      assertClose(assets.get('Disk')?.['cost'], charged['pvCost'] ?? NaN, 'volumes');
      assertClose(assets.get('Disk')?.['byteHours'], charged['pvByteHours'] ?? NaN, 'byte-hours');
      assertClose(assets.get('LoadBalancer')?.['cost'], charged['loadBalancerCost'] ?? NaN, 'lb');
      assertClose(assets.get('Network')?.['cost'], charged['networkCost'] ?? NaN, 'network');
    });
  }

  test('a set built of its hours has the same assets', () => {
    assert.deepEqual([...summed.rows.keys()].toSorted(), [...whole.rows.keys()].toSorted());
    for (const [key, row] of whole.rows) {
      for (const [name, value] of Object.entries(row)) {
        const other = summed.rows.get(key)?.[name];
        if (typeof value === 'number') assertClose(Number(other), value, `${key} ${name}`);
        else assert.equal(other, value, `${key} ${name}`);
      }
    }
  });
});

describe(
  'where allocations exceed their nodes',
  { skip: skipWithout('prometheus', 'promtool') },
  () => {
    let prometheus: Prometheus;
    let building: Building;
    const span = [IDLE_START_MS, IDLE_END_MS] as const;

    before(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'prorata-assets-'));
      try {
        await writeSeries(join(folder, 'idle.om'), idleSeries());
        prometheus = await startPrometheus({ blocksFrom: [join(folder, 'idle.om')] });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
      building = await startBuilding(['--metrics-url', prometheus.url]);
      const windows = [{ startMs: IDLE_START_MS, endMs: IDLE_END_MS }];
      await buildSets(
        building,
        { windows, nowMs: IDLE_END_MS + HOUR_MS, stateOf: () => 'sealed' },
        NEVER,
      );
    });

    after(async () => {
      await building.close();
      await prometheus.stop();
    });

    const costsBy = (kind: string, column: string): Promise<ReadonlyMap<string, Sums>> =>
      building.rows(kind, span, (table) =>
        sumsBy(table, [...COSTS], (text) => `${text('cluster')}/${text(column)}`),
      );

    test('allocations and idle, less the excess over nodes, add up to the costs of nodes', async () => {
      const allocations = await costsBy('allocations', 'node');
      const assets = await costsBy('assets', 'name');
      const nodes = expectedNodes().filter(({ assets: { cpu } }) => cpu > 0);
      assert.deepEqual(
        [...assets.keys()],
        nodes.map(({ cluster, node }) => `${cluster}/${node}`).toSorted(),
      );
      let exceeded = 0;
      for (const { cluster, node, assets: expected, allocated } of nodes) {
        for (const of of ['cpu', 'ram', 'gpu'] as const) {
          const over = Math.max(0, allocated[of] - expected[of]);
          exceeded += over;
          const key = `${cluster}/${node}`;
          assertClose(assets.get(key)?.[`${of}Cost`], expected[of], `${key} ${of}`);
          assertClose(
            (allocations.get(key)?.[`${of}Cost`] ?? NaN) - over,
            expected[of],
            `${key} ${of}`,
          );
        }
      }
      assert.ok(exceeded > 0, 'nothing exceeds its node');
    });
  },
);

function rowsOf(table: Table): Read['rows'] {
  const rows = new Map<string, Readonly<Record<string, string | number>>>();
  for (let row = 0; row < table.rows; row++) {
    const texts = ASSET_COLUMNS.texts.map((name) => {
      const column = table.text(name);
      return [name, column?.texts.text(column.codes[row] ?? 0) ?? ''] as const;
    });
    const numbers = ASSET_COLUMNS.numbers.map(
      (name) => [name, table.numbers(name)?.values[row] ?? 0] as const,
    );
    const key = texts
      .slice(0, 5)
      .map(([, text]) => text)
      .join('/');
    assert.ok(!rows.has(key), `${key} is there twice`);
    rows.set(key, Object.fromEntries([...texts, ...numbers]));
  }
  return rows;
}
