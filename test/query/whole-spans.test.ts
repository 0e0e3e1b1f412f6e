/** Durations that stand for whole local days, or for whole units. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCalendar, parseWindow, type Spans } from '../../src/query/index.ts';

const NOW = '2024-05-03T08:01:04Z'; // a Friday

function shown(text: string, zone: string, spans: Spans): string {
  const clock = { nowMs: Date.parse(NOW), calendar: createCalendar(zone), spans };
  const window = parseWindow(text, clock);
  return [window.startMs, window.endMs]
    .map((ms) => new Date(ms).toISOString().replace('.000Z', 'Z'))
    .join(' ');
}

const MOVING = '2024-04-30T08:01:04Z 2024-05-03T08:01:04Z';

/** Spans as whole days alone, and as whole units of any kind. */
const WHOLE: readonly (readonly [string, string, days: string, units: string])[] = [
  ['3d', 'UTC', '2024-05-01T00:00:00Z 2024-05-04T00:00:00Z', 'the same'],
  ['1d', 'UTC', '2024-05-03T00:00:00Z 2024-05-04T00:00:00Z', 'the same'],
  ['1w', 'UTC', '2024-04-27T00:00:00Z 2024-05-04T00:00:00Z', 'the same'],
  ['2d', 'America/New_York', '2024-05-02T04:00:00Z 2024-05-04T04:00:00Z', 'the same'],
  ['2h', 'UTC', '2024-05-03T06:01:04Z 2024-05-03T08:01:04Z', '2024-05-03T07:00:00Z 2024-05-03T09:00:00Z'],
  ['72h', 'UTC', MOVING, '2024-04-30T09:00:00Z 2024-05-03T09:00:00Z'],
  ['10m', 'UTC', '2024-05-03T07:51:04Z 2024-05-03T08:01:04Z', '2024-05-03T07:52:00Z 2024-05-03T08:02:00Z'],
  ['3d offset 1h', 'UTC', '2024-04-30T07:01:04Z 2024-05-03T07:01:04Z', 'the same'],
  ['1d12h', 'UTC', '2024-05-01T20:01:04Z 2024-05-03T08:01:04Z', 'the same'],
  ['2024-05-01T00:00:01Z,2024-05-01T01:00:00Z', 'UTC', '2024-05-01T00:00:01Z 2024-05-01T01:00:00Z', 'the same'],
]; // prettier-ignore

for (const [text, zone, days, units] of WHOLE) {
  test(`'${text}' in ${zone} as whole days, and as whole units`, () => {
    assert.equal(shown(text, zone, 'days'), days);
    assert.equal(shown(text, zone, 'units'), units === 'the same' ? days : units);
  });
}

test('whole days of any number end at the next midnight, and as many days lie between', () => {
  const calendar = createCalendar('Europe/Berlin');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9000 }), fc.nat(7e8), (count, laterMs) => {
      const nowMs = Date.parse(NOW) + laterMs;
      for (const spans of ['days', 'units'] as const) {
        const { startMs, endMs } = parseWindow(`${count}d`, { nowMs, calendar, spans });
        const bounds = calendar.days(startMs, endMs);
        assert.equal(bounds.length - 1, count);
        assert.deepEqual([bounds[0], bounds.at(-1)], [startMs, endMs]);
        assert.ok(nowMs < endMs && nowMs >= (bounds.at(-2) ?? 0));
      }
    }),
  );
});

test('spans that begin before 1970 are refused as whole days, too', () => {
  for (const spans of ['days', 'units'] as const)
    for (const text of ['99999d', '99999999w', '0d', '0h', '999999999h'])
      assert.throws(() => shown(text, 'UTC', spans), { name: 'Fault', parameter: 'window' });
});
