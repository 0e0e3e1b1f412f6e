/** Cost events as the page has them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { costEvent, type ResourceType } from '../../../src/audit/cost-event.ts';
import { changesOf, durationWords, namesIn, pathTo, selected, stoodMs, tallyOf, windowOf, type Change } from '../../../src/web/events/events.ts'; // prettier-ignore
import { filterOf } from '../../../src/web/costs/fields.ts';

const START_MS = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;

type Told = readonly [what: '+' | '-', name: string, minute: number, kind?: ResourceType];

/** As the server makes them, newest first. @param told oldest first */
function changes(...told: Told[]): Change[] {
  const events = told.map(([what, name, minute, kind = 'deployment']) =>
    costEvent(
      {
        eventType: what === '+' ? 'add' : 'delete',
        resourceType: kind,
        atNs: BigInt(START_MS + minute * MINUTE_MS) * 1_000_000n,
        cluster: 'c',
        workload: { namespace: 'n', name, cpuNanos: 1_000_000_000n, ramNanos: 0n, gpus: 0 },
      },
      { cpuCores: 0.1, ramBytes: 0, gpus: 0 },
    ),
  );
  return changesOf(events.toReversed());
}

const minuteOf = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : (ms - START_MS) / MINUTE_MS;

test('each change tells when its workload came and went, as far as anybody saw', () => {
  const rows: readonly (readonly [Told[], (readonly [number | undefined, number | undefined])[]])[] = [
    [[['+', 'a', 1]], [[1, undefined]]],
    [[['-', 'a', 1]], [[undefined, 1]]],
    [[['+', 'a', 1], ['-', 'a', 5]], [[1, 5], [1, 5]]],
    [[['+', 'a', 1], ['-', 'b', 5]], [[1, undefined], [undefined, 5]]],
    [[['+', 'a', 1], ['-', 'a', 5], ['+', 'a', 9]], [[1, 5], [1, 5], [9, undefined]]],
    [[['+', 'a', 1], ['-', 'a', 5, 'statefulset']], [[1, undefined], [undefined, 5]]],
    // An event was lost between.
    [[['+', 'a', 1], ['+', 'a', 5]], [[1, undefined], [5, undefined]]],
    [[['-', 'a', 1], ['-', 'a', 5]], [[undefined, 1], [undefined, 5]]],
  ]; // prettier-ignore
  for (const [told, expected] of rows) {
    const found = changes(...told).toReversed();
    assert.deepEqual(
      found.map(({ cameMs, wentMs }) => [minuteOf(cameMs), minuteOf(wentMs)]),
      expected,
      JSON.stringify(told),
    );
  }
});

test('what came costs more a month and what went less, and a pair comes to nothing', () => {
  const [went, came] = changes(['+', 'a', 1], ['-', 'a', 3]);
  assert.deepEqual([came?.usdPerMonth, went?.usdPerMonth], [73, -73]);
  assert.equal(went === undefined ? 0 : stoodMs(went), 2 * MINUTE_MS);
  assert.equal(came?.requests, '1000m CPU, 0Mi');
  const all = changes(['+', 'a', 1], ['-', 'a', 3], ['+', 'b', 4]);
  assert.deepEqual(tallyOf(all, true), { count: 2, usdPerMonth: 146 });
  assert.deepEqual(tallyOf(all, false), { count: 1, usdPerMonth: -73 });
});

test('changes that are selected are those that meet each word, and the parts of a time make its whole', () => {
  const all = changes(['+', 'a', 1], ['-', 'a', 3], ['+', 'b', 4, 'statefulset'], ['-', 'c', 9]);
  const any = { namespace: '', kind: '', what: '', startMs: 0, endMs: Infinity };
  for (const [more, names] of [
    [{}, 'c b a a'],
    [{ kind: 'statefulset' }, 'b'],
    [{ what: 'came' }, 'b a'],
    [{ what: 'went' }, 'c a'],
    [{ namespace: 'n', kind: 'deployment' }, 'c a a'],
    [{ namespace: 'm' }, ''],
  ] as const) {
    const found = selected(all, { ...any, ...more });
    assert.equal(found.map(({ name }) => name).join(' '), names);
  }
  fc.assert(
    fc.property(fc.nat({ max: 10 }), (minute) => {
      const cutMs = START_MS + minute * MINUTE_MS;
      const parts = [
        ...selected(all, { ...any, startMs: cutMs }),
        ...selected(all, { ...any, endMs: cutMs }),
      ];
      assert.deepEqual(parts, all);
    }),
  );
  assert.deepEqual(namesIn(all, 'kind'), ['deployment', 'statefulset']);
});

test('the way down leads to the pods of a workload, in the days in which it stood', () => {
  const day = 24 * 60;
  const nowMs = START_MS + 10 * day * MINUTE_MS;
  for (const [told, window] of [
    [[['+', 'a', 0]], '2026-11-20,2026-12-01'],
    [
      [
        ['+', 'a', 0],
        ['-', 'a', day],
      ],
      '2026-11-20,2026-11-22',
    ],
    [[['-', 'a', 0]], '2026-11-14,2026-11-21'],
  ] as readonly (readonly [Told[], string])[]) {
    // prettier-ignore
    for (const change of changes(...told)) {
      assert.equal(windowOf(change, nowMs, 'UTC'), window);
      assert.deepEqual(pathTo(change).map(filterOf), [
        'cluster:"c"',
        'namespace:"n"',
        'controllerKind:"deployment"+controllerName:"a"',
      ]);
    }
  }
});

test('a duration is told to the whole of its largest unit', () => {
  for (const [ms, says] of [
    [0, '0 s'],
    [999, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_599_999, '59 min'],
    [3_600_000, '1 h'],
    [86_400_000, '1 day'],
    [30 * 86_400_000, '30 days'],
  ] as const) {
    assert.equal(durationWords(ms), says);
  }
});
