/** How long a stored answer may be given again without a look at what was asked. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sameUntilMs } from '../../../src/allocation/params/stored-params.ts';
import { WarmReplies } from '../../../src/allocation/caches/warm-replies.ts';
import type { AdmittedRequest, HttpReply } from '../../../src/http/index.ts';
import { createCalendar, daysOf, parseWindow } from '../../../src/query/index.ts';

const HOUR_MS = 3_600_000;
const FROM_MS = Date.UTC(2024, 2, 28);
const ZONES = ['UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kathmandu'].map((zone) =>
  createCalendar(zone),
);
const WINDOWS = [
  'today', 'yesterday', 'week', 'lastweek', 'month', 'lastmonth', '30m', '24h', '7d', '7d offset 1d',
  '90m offset 30m', '2024-03-28T00:00:00Z,2024-04-02T00:00:00Z', '1711600000,1711700000',
] as const; // prettier-ignore

test('until then a window is of the same days, and the same of them lie in the future', () => {
  const moment = fc.oneof(
    fc.integer({ min: 0, max: 24 * 10 }).map((hours) => FROM_MS + hours * HOUR_MS),
    fc.integer({ min: FROM_MS, max: FROM_MS + 240 * HOUR_MS }),
  );
  const fraction = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.constantFrom(...WINDOWS),
      moment,
      fc.oneof(fc.constantFrom(0, 0.999_999_999), fraction),
      (calendar, text, nowMs, part) => {
        const window = parseWindow(text, { nowMs, calendar });
        const untilMs = sameUntilMs(window, nowMs, calendar);
        const laterMs = nowMs + Math.floor((untilMs - nowMs) * part);
        const later = parseWindow(text, { nowMs: laterMs, calendar });
        const days = daysOf(window, calendar);
        assert.deepEqual(daysOf(later, calendar), days);
        const future = (ms: number): number => days.filter(({ startMs }) => startMs >= ms).length;
        if (laterMs > nowMs && future(nowMs) !== future(laterMs)) {
          assert.ok(
            days.some(({ startMs }) => startMs === nowMs),
            'a day that begins just now',
          );
        }
      },
    ),
    { numRuns: 2000 },
  );
});

describe('a reply is given again', () => {
  const asked = (query: string, accept = '', filter: string | null = null): AdmittedRequest =>
    ({
      path: '/allocation',
      query,
      header: () => accept,
      caller: { filter },
    }) as unknown as AdmittedRequest;
  const reply: HttpReply = { status: 200, headers: {}, body: 'x' };
  const cases: readonly (readonly [string, AdmittedRequest, number, number, boolean])[] = [
    ['to the same question', asked('a'), 1, 99, true],
    ['not to another', asked('b'), 1, 99, false],
    ['not to who sees other rows', asked('a', '', 'pod:a'), 1, 99, false],
    ['not in another format', asked('a', 'text/csv'), 1, 99, false],
    ['not once a set was written', asked('a'), 2, 99, false],
    ['not when its time has come', asked('a'), 1, 100, false],
  ];
  for (const [name, request, version, nowMs, isGiven] of cases)
    test(name, () => {
      const warm = new WarmReplies(1000);
      warm.add(asked('a'), { reply, version: 1, untilMs: 100 });
      assert.equal(warm.get(request, version, nowMs), isGiven ? reply : undefined);
    });

  test('as long as there is room for it and those after it', () => {
    const warm = new WarmReplies(1000);
    const long = { ...reply, body: Buffer.alloc(300) };
    for (const query of ['a', 'b', 'c', 'b', 'd']) {
      warm.add(asked(query), { reply: long, version: 1, untilMs: 100 });
    }
    const given = ['a', 'b', 'c', 'd'].map((query) => warm.get(asked(query), 1, 0) === long);
    assert.deepEqual(given, [false, true, true, true]);
  });

  test('as long as it is among the last', () => {
    const warm = new WarmReplies(1e6);
    for (let i = 0; i < 2000; i++) warm.add(asked(`${i}`), { reply, version: 1, untilMs: 100 });
    assert.equal(warm.get(asked('0'), 1, 0), undefined);
    assert.equal(warm.get(asked('1999'), 1, 0), reply);
  });
});
