/** Charges of any length over the hours of a day: together what they are of the day. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { livesIn, setsWithBilled, type AssetsOf, type Billable } from '../../src/assets/billed.ts';
import { tableOfRows } from '../support/fleets/charged-fleet.ts';

const HOUR_MS = 3_600_000;
const DAY = { startMs: 0, endMs: 24 * HOUR_MS };
const MINUTES = 60_000;

const minute = fc.integer({ min: 0, max: 24 * 60 });
const span = fc
  .tuple(minute, minute)
  .filter(([from, to]) => from !== to)
  .map(([from, to]) => [Math.min(from, to) * MINUTES, Math.max(from, to) * MINUTES] as const);
const line = fc.record({
  // Some begin before the day or end after it.
  fromMs: fc.integer({ min: -12, max: 23 }).map((hour) => hour * HOUR_MS),
  hours: fc.constantFrom(1, 3, 24, 36, 720),
  usd: fc.double({ min: 0.01, max: 100, noNaN: true }),
});

test('hours of a resource cost together what its day does, and nothing before it began', () => {
  fc.assert(
    fc.property(span, fc.array(line, { minLength: 1, maxLength: 8 }), ([startMs, endMs], lines) => {
      const assetIn = (from: number, to: number): Billable => ({
        type: 'Node', cluster: 'c', providerId: 'i-1', startMs: Math.max(startMs, from), endMs: Math.min(endMs, to),
        nodeType: '', region: '', storageClass: '', isSpot: false, priceSource: 'list', cost: 1,
      }); // prettier-ignore
      const bill = tableOfRows(
        lines.map(({ fromMs, hours, usd }) => ({
          providerID: 'i-1',
          category: 'Compute',
          startMs: fromMs,
          endMs: fromMs + hours * HOUR_MS,
          effectiveCost: usd,
        })),
      );
      const lives = livesIn(tableOfRows([{ providerID: 'i-1', startMs, endMs }]), DAY);
      const hours = Array.from({ length: 24 }, (_, i) => ({
        startMs: i * HOUR_MS,
        endMs: (i + 1) * HOUR_MS,
      })).filter((hour) => hour.startMs < endMs && hour.endMs > startMs);
      const sets: AssetsOf<Billable>[] = [
        { window: DAY, assets: [assetIn(DAY.startMs, DAY.endMs)] },
        ...hours.map((window) => ({
          window,
          assets: [assetIn(window.startMs, window.endMs)],
          day: lives,
        })),
      ];
      const usdOf = setsWithBilled(sets, [bill]).map(({ assets }) => assets[0]?.billed ?? 0);
      // A line that meets nothing of the resource's life is of the hours that it is of.
      const isMet = lines.every(
        ({ fromMs, hours: length }) => fromMs < endMs && fromMs + length * HOUR_MS > startMs,
      );
      const [day = NaN, ...each] = usdOf;
      const together = each.reduce((sum, usd) => sum + usd, 0);
      if (isMet) assert.ok(Math.abs(together - day) <= 1e-9 * day, `${together}, not ${day}`);
      else assert.ok(together <= day * (1 + 1e-9), `${together}, more than ${day}`);
      // A line of the whole day is divided by the time in which the resource was there.
      const whole = lines.every(({ fromMs, hours: length }) => fromMs <= 0 && length >= 36);
      if (!whole) return;
      for (const [i, { startMs: from, endMs: to }] of hours.entries()) {
        const own = (Math.min(to, endMs) - Math.max(from, startMs)) / (endMs - startMs);
        const usd = each[i] ?? NaN;
        assert.ok(Math.abs(usd - day * own) <= 1e-9 * day, `hour ${i}: ${usd}, not ${day * own}`);
      }
    }),
    { numRuns: 2000 },
  );
});
