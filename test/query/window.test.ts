import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCalendar, Fault, parseWindow, type ParsedWindow } from '../../src/query/index.ts';

const NOW = '2024-05-03T08:01:04Z'; // a Friday

function parse(text: string, now: string = NOW, zone = 'UTC'): ParsedWindow {
  return parseWindow(text, { nowMs: Date.parse(now), calendar: createCalendar(zone) });
}

function shown(window: ParsedWindow): string {
  return [window.startMs, window.endMs]
    .map((ms) => new Date(ms).toISOString().replace('.000Z', 'Z'))
    .join(' ');
}

const IN_UTC: readonly (readonly [string, string, string])[] = [
  ['today', '2024-05-03T00:00:00Z 2024-05-04T00:00:00Z', 'word'],
  ['yesterday', '2024-05-02T00:00:00Z 2024-05-03T00:00:00Z', 'word'],
  ['week', '2024-04-28T00:00:00Z 2024-05-03T08:01:04Z', 'word'],
  ['lastweek', '2024-04-21T00:00:00Z 2024-04-28T00:00:00Z', 'word'],
  ['month', '2024-05-01T00:00:00Z 2024-05-03T08:01:04Z', 'word'],
  ['lastmonth', '2024-04-01T00:00:00Z 2024-05-01T00:00:00Z', 'word'],
  ['30m', '2024-05-03T07:31:04Z 2024-05-03T08:01:04Z', 'duration'],
  ['24h', '2024-05-02T08:01:04Z 2024-05-03T08:01:04Z', 'duration'],
  ['3d', '2024-04-30T08:01:04Z 2024-05-03T08:01:04Z', 'duration'],
  ['2w', '2024-04-19T08:01:04Z 2024-05-03T08:01:04Z', 'duration'],
  ['1d12h', '2024-05-01T20:01:04Z 2024-05-03T08:01:04Z', 'duration'],
  ['90s', '2024-05-03T07:59:34Z 2024-05-03T08:01:04Z', 'duration'],
  ['24h offset 14h', '2024-05-01T18:01:04Z 2024-05-02T18:01:04Z', 'duration'],
  ['1d offset 1w', '2024-04-25T08:01:04Z 2024-04-26T08:01:04Z', 'duration'],
  ['7d  offset 48h', '2024-04-24T08:01:04Z 2024-05-01T08:01:04Z', 'duration'],
  ['1583712000,1583884800', '2020-03-09T00:00:00Z 2020-03-11T00:00:00Z', 'pair'],
  ['1583712000-1583884800', '2020-03-09T00:00:00Z 2020-03-11T00:00:00Z', 'pair'],
  [' 1583712000 , 1583884800 ', '2020-03-09T00:00:00Z 2020-03-11T00:00:00Z', 'pair'],
  ['0,253402300800', '1970-01-01T00:00:00Z +010000-01-01T00:00:00Z', 'pair'],
  ...[
    '2020-04-08T00:00:00Z,2020-04-12T00:00:00Z',
    '2020-04-08t00:00:00z,2020-04-12 00:00:00Z',
    '2020-04-08T02:00:00+02:00,2020-04-11T16:00:00-08:00',
    '2020-04-08T05:30:00+05:30,2020-04-12T00:00:00-00:00',
    '2020-04-08T02:00:00 02:00,2020-04-12T00:00:00Z',
    '2020-04-08T00:00:00.0009Z,2020-04-12T00:00:00.000000000Z',
  ].map((text) => [text, '2020-04-08T00:00:00Z 2020-04-12T00:00:00Z', 'pair'] as const),
  [
    '2024-02-29T23:59:59.999999999Z,2024-03-01T00:00:00.29Z',
    '2024-02-29T23:59:59.999Z 2024-03-01T00:00:00.290Z',
    'pair',
  ],
];

for (const [text, expected, form] of IN_UTC) {
  test(`'${text}' is the ${form} ${expected}`, () => {
    const window = parse(text);
    assert.equal(shown(window), expected);
    assert.equal(window.form, form);
  });
}

const IN_ZONES: readonly (readonly [string, string, string, string])[] = [
  [
    'today',
    '2024-05-03T02:00:00Z',
    'America/New_York',
    '2024-05-02T04:00:00Z 2024-05-03T04:00:00Z',
  ],
  [
    'today',
    '2024-11-03T12:00:00Z',
    'America/New_York',
    '2024-11-03T04:00:00Z 2024-11-04T05:00:00Z',
  ],
  [
    'yesterday',
    '2024-04-01T12:00:00Z',
    'Europe/Berlin',
    '2024-03-30T23:00:00Z 2024-03-31T22:00:00Z',
  ],
  [
    'yesterday',
    '2011-12-30T12:00:00Z',
    'Pacific/Apia',
    '2011-12-29T10:00:00Z 2011-12-30T10:00:00Z',
  ],
  [
    'lastmonth',
    '2024-04-15T12:00:00Z',
    'Europe/Berlin',
    '2024-02-29T23:00:00Z 2024-03-31T22:00:00Z',
  ],
  [
    'lastweek',
    '2024-03-13T12:00:00Z',
    'America/New_York',
    '2024-03-03T05:00:00Z 2024-03-10T05:00:00Z',
  ],
  ['week', '2024-03-13T12:00:00Z', 'Asia/Kolkata', '2024-03-09T18:30:00Z 2024-03-13T12:00:00Z'],
  ['3d', '2024-03-11T12:00:00Z', 'America/New_York', '2024-03-08T12:00:00Z 2024-03-11T12:00:00Z'],
];

for (const [text, now, zone, expected] of IN_ZONES) {
  test(`P-T2: '${text}' at ${now} in ${zone} is ${expected}`, () => {
    assert.equal(shown(parse(text, now, zone)), expected);
  });
}

test('week and month are one minute long at their first instant, not empty', () => {
  assert.equal(
    shown(parse('week', '2024-04-28T00:00:00Z')),
    '2024-04-28T00:00:00Z 2024-04-28T00:01:00Z',
  );
  assert.equal(
    shown(parse('month', '2024-05-01T00:00:00Z')),
    '2024-05-01T00:00:00Z 2024-05-01T00:01:00Z',
  );
});

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ...[
    '',
    ',',
    ',,',
    'Today',
    'tomorrow',
    '0d',
    '-3d',
    '3',
    '7D',
    '1mo',
    '3d offset',
    '1e309s',
    '3d offset 0h',
    '3d off 1h',
    '3d offset 1h 1h',
    'offset 1h',
    '7d,1d',
    '__proto__',
    '∞',
    'constructor',
    '1583712000',
    '1583712000,',
    ',1583884800',
    '1583712000|1583884800',
    '1583712000,1583884800,1583884900',
    '-1583712000,1583884800',
    '1583712000.5,1583884800',
    '0x10,0x20',
    '1e9,2e9',
    'NaN,NaN',
    'Infinity,Infinity',
    '1583712000,now',
    '1583712000,2020-04-12T00:00:00Z',
    '2020-04-08T00:00:00Z,1583884800',
    '2020-04-08T00:00:00Z',
    '2024-02-30T00:00:00Z,2024-03-02T00:00:00Z',
    '2023-02-29T00:00:00Z,2023-03-02T00:00:00Z',
    '2024-13-01T00:00:00Z,2025-03-02T00:00:00Z',
    '2024-00-01T00:00:00Z,2025-03-02T00:00:00Z',
    '2024-01-00T00:00:00Z,2025-03-02T00:00:00Z',
    '2024-01-01T24:00:00Z,2025-03-02T00:00:00Z',
    '2024-01-01T00:60:00Z,2025-03-02T00:00:00Z',
    '2024-01-01T23:59:60Z,2025-03-02T00:00:00Z',
    '2024-01-01T00:00:00+24:00,2025-03-02T00:00:00Z',
    '2024-01-01T00:00:00+01:60,2025-03-02T00:00:00Z',
    '2024-01-01T00:00:00+0100,2025-03-02T00:00:00Z',
    '2024-01-01T00:00:00,2025-03-02T00:00:00',
    'x2024-01-01T00:00:00Z,2024-01-02T00:00:00Zy',
    ','.repeat(1000),
    '9'.repeat(100_000),
  ].map((text) => [text, /is not a window: today, yesterday, .* offset .* Unix seconds/] as const),
  ['1583884800,1583712000', /ends after it starts/],
  ['1583712000,1583712000', /ends after it starts/],
  ['2024-01-02T00:00:00Z,2024-01-01T00:00:00Z', /ends after it starts/],
  ['2024-01-01T00:00:00Z,2024-01-01T01:00:00+01:00', /ends after it starts/],
  ['20000d', /within the years 1970 to 9999/],
  ['1d offset 20000d', /within the years 1970 to 9999/],
  ['1969-12-31T23:59:59Z,2024-01-01T00:00:00Z', /within the years 1970 to 9999/],
  ['0000-01-01T00:00:00Z,2024-01-01T00:00:00Z', /within the years 1970 to 9999/],
  ['2024-01-01T00:00:00Z,9999-12-31T23:59:59-01:00', /within the years 1970 to 9999/],
  ['0,99999999999999999999', /within the years 1970 to 9999/],
];

for (const [text, message] of REFUSED) {
  test(`'${text.slice(0, 60)}' is refused: ${message.source.slice(0, 40)}`, () => {
    assert.throws(
      () => parse(text),
      (fault: unknown) => {
        assert.ok(fault instanceof Fault, String(fault));
        assert.deepEqual([fault.status, fault.parameter], [400, 'window']);
        assert.match(fault.message, message);
        assert.match(fault.hint ?? '', /^(for example|did you mean) window=/);
        assert.ok(fault.message.length < 500, fault.message);
        return true;
      },
    );
  });
}

for (const separator of [',', '-']) {
  test(`Unix milliseconds joined by '${separator}' are refused with the seconds to send`, () => {
    assert.throws(
      () => parse(`1583712000000${separator}1583884800000`),
      (fault: unknown) =>
        fault instanceof Fault &&
        fault.message.includes('look like milliseconds') &&
        fault.hint === 'for example window=1583712000,1583884800',
    );
  });
}

test("a Fault names the endpoint's own parameter", () => {
  const clock = { nowMs: 0, calendar: createCalendar('UTC'), parameter: 'range' };
  assert.throws(() => parseWindow('x', clock), { parameter: 'range', name: 'Fault' });
});

test('pairs of instants in any offset are read back exactly', () => {
  const second = fc.integer({ min: 86_400, max: 4_000_000_000 });
  const offset = fc.integer({ min: -23 * 60, max: 23 * 60 });
  fc.assert(
    fc.property(second, fc.integer({ min: 1, max: 1e8 }), offset, (startS, lengthS, minutes) => {
      const written = (s: number): string => {
        const local = new Date((s + minutes * 60) * 1000).toISOString().slice(0, 19);
        const hour = String(Math.trunc(Math.abs(minutes) / 60)).padStart(2, '0');
        const minute = String(Math.abs(minutes) % 60).padStart(2, '0');
        return `${local}${minutes < 0 ? '-' : '+'}${hour}:${minute}`;
      };
      const endS = startS + lengthS;
      const expected = { startMs: startS * 1000, endMs: endS * 1000, form: 'pair' };
      assert.deepEqual(parse(`${written(startS)},${written(endS)}`), expected);
      assert.deepEqual(parse(`${startS},${endS}`), expected);
    }),
  );
});

test('P-T2: any text is a valid window or a Fault', () => {
  const piece = fc.constantFrom(
    '1',
    '9',
    'd',
    'h',
    ',',
    '-',
    'T',
    ':',
    'Z',
    '.',
    ' ',
    'offset',
    '+',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      try {
        const { startMs, endMs } = parse(candidate);
        assert.ok(
          startMs >= 0 && startMs < endMs && Number.isSafeInteger(endMs - startMs),
          `${startMs} to ${endMs}`,
        );
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
      }
    }),
    { numRuns: 1000 },
  );
});
