/** Pods that burst, at resolutions much longer than their bursts, in a real Prometheus. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import {
  container,
  fleet,
  HOUR,
  MINUTE,
  NOON,
  pod,
  SECOND,
  WHOLE,
} from '../../support/fleets/fleet-parts.ts';
import { expectedRows, type Course } from '../../support/fleets/fleet.ts';
import { serveFleets } from '../../support/fleets/served-fleets.ts';
import { startProrata } from '../../support/servers/prorata.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { Seeded } from '../../../scripts/seeded.ts';

const PODS = 165;
const ERROR_MAX = 0.005;
const RESOLUTIONS = ['5m', '10m', '30m', '60m'] as const;

/**
 * 0.3 cores, and bursts of two to twelve minutes to several cores, which begin and end between scrapes:
 * of the half minute around such an edge only the average is known.
 */
function bursts(chance: () => number): Course {
  const course: [number, number][] = [[0, 0.3]];
  for (let atMs = NOON - 3 * HOUR; atMs < NOON + 3 * HOUR;) {
    atMs += Math.round((5 + 40 * chance()) * MINUTE);
    course.push([atMs, 0.5 + 4 * chance()]);
    atMs += Math.round((120 + 600 * chance()) * SECOND);
    course.push([atMs, 0.3]);
  }
  return course;
}

test(
  'pods that burst cost what they cost, at every resolution',
  { skip: skipWithout('prometheus', 'promtool') },
  async (t) => {
    const random = new Seeded(1);
    const chance = (): number => random.below(1 << 20) / (1 << 20);
    const pods = Array.from({ length: PODS }, (_, i) =>
      pod(`burst-${i}`, { containers: [container('app', { cpuUsageCores: bursts(chance) })] }),
    );
    const own = fleet('bursting', pods);
    const expected = expectedRows(own, WHOLE);
    const prometheus = await serveFleets([own]);
    t.after(() => prometheus.stop());
    const prorata = await startProrata(['--metrics-url', prometheus.url]);
    t.after(() => prorata.stop());
    const window = WHOLE.map((ms) => new Date(ms).toISOString()).join(',');
    for (const resolution of RESOLUTIONS) {
      const [rows = {}] = await prorata.allocations({ window, resolution });
      const errors = [...expected].map(([key, { cpuCost }]) =>
        Math.abs((rows[key]?.cpuCost ?? 0) / cpuCost - 1),
      );
      assert.equal(errors.length, PODS);
      const largest = Math.max(...errors);
      t.diagnostic(`${resolution}: at most ${(100 * largest).toFixed(3)} % off`);
      assert.ok(largest <= ERROR_MAX, `${resolution}: ${largest}`);
    }
  },
);
