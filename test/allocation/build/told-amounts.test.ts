/** Amounts of money in the warnings of sets that are built from one reading: each tells its own. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { extendDay, HOUR_GRACE_MS } from '../../../src/allocation/build/extend-day.ts';
import { numberReader, textReader, type Table } from '../../../src/columnar/index.ts';
import { createCalendar } from '../../../src/query/index.ts';
import type { SetInfo } from '../../../src/storage/index.ts';
import { assertClose, startBuilding, type Building } from '../../support/stores/builds.ts';
import { folderOf } from '../../support/stores/columns-folder.ts';

/** Pods of the demo need more than their nodes have in some of its hours. */
const DAY = { startMs: Date.UTC(2026, 10, 22), endMs: Date.UTC(2026, 10, 23) };
const NOW_MS = DAY.endMs + HOUR_GRACE_MS;
const NEVER = new AbortController().signal;
const UNCLAIMED = /^volumes held by no claim: 1; \$([\d.]+) is charged to __unmounted__$/;
const BEYOND = /^allocations (?:exceed|on) .+ \$([\d.e-]+): nothing is idle there$/;
const COSTS = ['cpuCost', 'ramCost', 'gpuCost'] as const;

function told({ meta }: SetInfo, pattern: RegExp): number {
  const amounts = meta.warnings.map((text) => Number(pattern.exec(text)?.[1] ?? 0));
  return amounts.reduce((sum, usd) => sum + usd, 0);
}

/** Dollars of volumes on `__unmounted__`. */
function unmounted(table: Table): number {
  const [container, cost] = [textReader(table, 'container'), numberReader(table, 'pvCost')];
  let usd = 0;
  for (let row = 0; row < table.rows; row++)
    if (container(row) === '__unmounted__') usd += cost(row);
  return usd;
}

/** Dollars of cores, RAM and GPUs: of all rows, or of nodes among assets. */
function compute(table: Table): number {
  const type = table.text('type') === undefined ? () => 'Node' : textReader(table, 'type');
  const costs = COSTS.map((name) => numberReader(table, name));
  let usd = 0;
  for (let row = 0; row < table.rows; row++)
    if (type(row) === 'Node') for (const cost of costs) usd += cost(row);
  return usd;
}

describe('a day of the demo that is built of hours at once', () => {
  let building: Building;
  let folder: string;

  before(async () => {
    folder = await folderOf([]);
    const now = `--now=${new Date(NOW_MS).toISOString()}`;
    building = await startBuilding(['--demo=true', `--data-dir=${folder}`, '--timezone=UTC', now]);
    await extendDay(building, createCalendar('UTC'), DAY, NOW_MS, NEVER);
  });

  after(async () => {
    await building.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the day and each hour tell what their own rows cost', async () => {
    const sets = building.sets.list('allocations');
    assert.equal(sets.length, 25);
    let beyond = 0;
    for (const set of sets) {
      const { startMs, endMs } = set.key;
      const name = new Date(startMs).toISOString();
      const [volumes, rows] = await building.rows('allocations', [startMs, endMs], (table) => [
        unmounted(table),
        compute(table),
      ]);
      const nodes = await building.rows('assets', [startMs, endMs], compute);
      assert.ok(volumes > 0, name);
      assert.ok(Math.abs(told(set, UNCLAIMED) - volumes) < 0.01, `${name}: ${volumes}`);
      const details = set.meta.warningDetails?.find(({ message }) => UNCLAIMED.test(message));
      assert.match(details?.assets?.join() ?? '', /^Disk\/production\/[^/,]+$/);
      assertClose(rows - told(set, BEYOND), nodes, name);
      beyond += told(set, BEYOND);
    }
    assert.ok(beyond > 0, 'no hour exceeds a node');
  });
});
