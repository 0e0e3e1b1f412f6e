/** Hours that are not stored are told, as days are. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { resolveSets } from '../../../src/allocation/index.ts';
import { createCalendar, messageOf } from '../../../src/query/index.ts';
import { createMemorySets } from '../../../src/storage/index.ts';
import { dayKey, encoded, FIRST_MS, newArena } from '../../support/stores/stored-sets.ts';

const HOUR_MS = 3_600_000;
const sets = createMemorySets({ arena: newArena(), owner: 1 });
after(() => sets.close());

/** Hours of the first day that are stored. */
const STORED = [0, 1, 2, 5, 6];
for (const hour of STORED) {
  const startMs = FIRST_MS + hour * HOUR_MS;
  await sets.write([
    await encoded({ kind: 'allocations', startMs, endMs: startMs + HOUR_MS }, { cpuCost: [1] }),
  ]);
}

/** What is told of the day's hours at an hour of it. */
function toldAt(nowHour: number): readonly [warnings: readonly string[], isPartial: boolean] {
  const day = dayKey(0);
  const resolved = resolveSets(sets, createCalendar('UTC'), {
    days: [{ startMs: day.startMs, endMs: day.endMs }],
    unit: 'hour',
    view: 'allocations',
    nowMs: FIRST_MS + nowHour * HOUR_MS,
    request: { shareUsdPerMonth: 0 },
  });
  assert.equal(resolved.groups.length, STORED.length);
  return [resolved.warnings.map(messageOf), resolved.isPartial];
}

const GAP = '2024-05-01T03:00:00.000Z to 2024-05-01T05:00:00.000Z is not stored: the answer lacks it'; // prettier-ignore

test('a gap between hours is told; the hour that runs is not', () => {
  assert.deepEqual(toldAt(7.9), [[GAP], true]);
});

test('hours that are over and not stored are told', () => {
  const end = '2024-05-01T07:00:00.000Z to 2024-05-01T09:00:00.000Z is not stored: the answer lacks it'; // prettier-ignore
  assert.deepEqual(toldAt(9), [[GAP, end], true]);
  assert.match(toldAt(48)[0][1] ?? '', /^2024-05-01T07:00:00\.000Z to 2024-05-02T00:00:00\.000Z/);
});
