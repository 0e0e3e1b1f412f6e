/** The server fills its folder from a real Prometheus, is killed, and continues where it was. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backfill } from '../../src/allocation/index.ts';
import { buildSets } from '../../src/allocation/index.ts';
import { assertClose, everything, startBuilding, sumsBy } from '../support/stores/builds.ts';
import { DAYS, DAY_STARTS, daysFleet, ZONE } from '../support/fleets/days-fleet.ts';
import { MINUTE } from '../support/fleets/fleet-parts.ts';
import { writeFleets } from '../support/fleets/fleet-series.ts';
import { expectedRows } from '../support/fleets/fleet.ts';
import { startProrata, type Prorata } from '../support/servers/prorata.ts';
import { startPrometheus, type Prometheus } from '../support/stores/prometheus.ts';
import { skipWithout } from '../support/servers/services.ts';

const FLEET = daysFleet();
/** The start of the fourth day, in which the fleet has two hours. */
const TODAY = DAY_STARTS[3] ?? 0;
const EARLY = TODAY + 65 * MINUTE;
const LATE = TODAY + 95 * MINUTE;
const NEVER = new AbortController().signal;

const skip = skipWithout('prometheus', 'promtool');

describe('a server that is killed while it fills its folder', { skip }, () => {
  let home: string;
  let prometheus: Prometheus;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'prorata-fill-'));
    const file = join(home, 'days.om');
    await writeFleets(file, [FLEET]);
    prometheus = await startPrometheus({ blocksFrom: [file] });
  });

  after(async () => {
    await prometheus.stop();
    await rm(home, { recursive: true, force: true });
  });

  const settings = (): string[] => ['--metrics-url', prometheus.url, '--timezone', ZONE];
  const serve = (nowMs: number): Promise<Prorata> =>
    startProrata([
      ...settings(),
      ...`--refresh 5m --now ${new Date(nowMs).toISOString()} --data-dir`.split(' '),
      join(home, 'data'),
    ]);

  test('loses no work: the next one continues, and ends with the same numbers', async () => {
    const first = await serve(EARLY);
    await until(first, ({ done }) => done > 0);
    await first.stop();

    const second = await serve(LATE);
    const { total, failing } = await until(second, ({ done, total: all }) => done === all);
    assert.deepEqual([total, failing], [5, []]);
    await second.stop();

    const filled = await startBuilding([...settings(), '--data-dir', join(home, 'data')]);
    const fresh = await startBuilding(settings());
    try {
      const stored = filled.sets.list('allocations');
      for (const [startMs, endMs] of DAYS) {
        const info = stored.find(({ key }) => key.startMs === startMs && key.endMs === endMs);
        assert.equal(info?.meta.state, 'sealed');
        const build = {
          windows: [{ startMs, endMs }],
          nowMs: LATE,
          stateOf: (): 'sealed' => 'sealed',
        };
        await buildSets(fresh, build, NEVER);
        const [own, expected] = await Promise.all(
          [filled, fresh].map((one) => one.rows('allocations', [startMs, endMs], everything)),
        );
        assert.deepEqual(own, expected);
      }
      const today = stored.find(({ key }) => key.startMs === TODAY && key.endMs > LATE + 3_600_000);
      assert.deepEqual([today?.meta.state, today?.meta.untilMs], ['partial', LATE]);
      const rows = await filled.rows('allocations', [TODAY, today?.key.endMs ?? 0], (table) =>
        sumsBy(table, ['cpuCost'], (text) => [text('pod'), text('container')].join('/')),
      );
      for (const [key, { cpuCost }] of expectedRows(FLEET, [TODAY, LATE])) {
        const name = key.split('/').slice(-2).join('/');
        assertClose(rows.get(name)?.['cpuCost'], cpuCost, name);
      }
    } finally {
      await filled.close();
      await fresh.close();
    }
  });
});

async function until(
  { url }: Prorata,
  isEnough: (backfill: Backfill) => boolean,
): Promise<Backfill> {
  for (;;) {
    const response = await fetch(`${url}/readyz?verbose`);
    const { ready, backfill } = (await response.json()) as { ready: boolean; backfill: Backfill };
    assert.equal(ready, true);
    assert.deepEqual(backfill.failing, []);
    if (isEnough(backfill)) return backfill;
    await sleep(10);
  }
}
