/** Windows of dates alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCalendar, parseWindow } from '../../src/query/index.ts';

function shown(text: string, zone: string): string {
  const window = parseWindow(text, {
    nowMs: Date.parse('2024-05-03T08:01:04Z'),
    calendar: createCalendar(zone),
  });
  assert.equal(window.form, 'pair');
  return [window.startMs, window.endMs]
    .map((ms) => new Date(ms).toISOString().slice(0, 16))
    .join(' ');
}

const WINDOWS: readonly (readonly [text: string, zone: string, expected: string])[] = [
  ['2024-05-01', 'UTC', '2024-05-01T00:00 2024-05-02T00:00'],
  ['2024-05-01,2024-05-03', 'UTC', '2024-05-01T00:00 2024-05-03T00:00'],
  [' 2024-05-01 , 2024-05-02 ', 'UTC', '2024-05-01T00:00 2024-05-02T00:00'],
  ['2024-05-01,2024-05-01T06:00:00Z', 'UTC', '2024-05-01T00:00 2024-05-01T06:00'],
  ['2024-04-30T18:00:00-04:00,2024-05-01', 'America/New_York', '2024-04-30T22:00 2024-05-01T04:00'],
  ['2024-03-10', 'America/New_York', '2024-03-10T05:00 2024-03-11T04:00'],
  ['2024-05-01,2024-05-02', 'Pacific/Kiritimati', '2024-04-30T10:00 2024-05-01T10:00'],
  ['2024-02-29', 'Etc/GMT+12', '2024-02-29T12:00 2024-03-01T12:00'],
]; // prettier-ignore

for (const [text, zone, expected] of WINDOWS) {
  test(`'${text}' in ${zone} is ${expected}`, () => assert.equal(shown(text, zone), expected));
}

test('dates are whole local days without gaps between them', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/Havana'),
      fc.integer({ min: 1, max: 30_000 }),
      (zone, day) => {
        const calendar = createCalendar(zone);
        const [date, next] = [day, day + 1].map((each) =>
          new Date(each * 86_400_000).toISOString().slice(0, 10),
        );
        const clock = { nowMs: 0, calendar };
        const alone = parseWindow(date ?? '', clock);
        assert.deepEqual(parseWindow(`${date},${next}`, clock), alone);
        assert.deepEqual(calendar.days(alone.startMs, alone.endMs), [alone.startMs, alone.endMs]);
      },
    ),
  );
});

test('days that there are not, and windows that end before they start, are refused', () => {
  for (const text of [
    '2024-02-30',
    '2024-13-01',
    '2024-00-10',
    '2024-05-03,2024-05-01',
    '2024-05-01,2024-05-01',
    '2024-5-1',
    '20240501,20240502x',
    '2024-05-01,',
    ',2024-05-01',
    '2024-05-01,7d',
    '9999-12-31,9999-12-32',
  ])
    assert.throws(
      () => shown(text, 'UTC'),
      { name: 'Fault', parameter: 'window', status: 400 },
      text,
    );
});
