/** What is suggested instead of a query that does not fit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, tooLarge } from '../../../src/allocation/compute/refusals.ts';
import { Arena, ArenaFull } from '../../../src/columnar/index.ts';
import { Fault, Unavailable } from '../../../src/query/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2024, 4, 7);
const ASKED = { window: { startMs: NOW_MS - 24 * HOUR_MS, endMs: NOW_MS }, nowMs: NOW_MS };
const PASSING = { stepMs: 2 * HOUR_MS, windowMs: 6 * HOUR_MS };

test('P-M3: a step or a window that would pass is suggested', () => {
  const { hint } = tooLarge({ ...ASKED, isByCalendar: false }, 2 ** 30, 2 ** 20, PASSING);
  assert.match(hint ?? '', /^step=2h or window=6h would pass at any resolution/);
});

test('no step is suggested for sets of the calendar, which take none', () => {
  const { hint } = tooLarge({ ...ASKED, isByCalendar: true }, 2 ** 30, 2 ** 20, PASSING);
  assert.match(hint ?? '', /^window=6h would pass at any resolution/);
});

/** Owners of an arena by what they hold of it, with whether they are queries that run. */
const HOLDERS: readonly (readonly [what: string, othersShare: number, queries: number, said: RegExp | undefined])[] = [
  ['the query itself', 0, 0, undefined],
  ['the query itself and caches', 0.2, 0, undefined],
  ['answers that are being sent', 0.5, 0, /while other answers take/],
  ['another query', 0.1, 1, /while another query takes/],
  ['two other queries', 0.5, 2, /while 2 other queries take/],
]; // prettier-ignore

for (const [what, othersShare, queries, said] of HOLDERS)
  test(`where ${what} took the memory, a query is ${said === undefined ? 'too large' : 'asked to come again'}`, () => {
    const [owner, other] = [1, 2];
    const arena = new Arena(dirtyMemory(8 << 20));
    const capacity = arena.capacityBytes;
    arena.allocate(Math.ceil(capacity / 10), owner);
    if (othersShare > 0) arena.allocate(Math.floor(capacity * othersShare), other);
    const running = new Set([owner, ...Array.from({ length: queries }, (_, i) => 100 + i)]);
    const plan = { ...ASKED, isByCalendar: false };
    const error = refused(new ArenaFull(capacity, 0), { arena, running, owner }, plan);
    assert.ok(error instanceof (said === undefined ? Fault : Unavailable), String(error));
    assert.match(error.message, said ?? /^parameter 'window': the answer needs more than/);
  });
