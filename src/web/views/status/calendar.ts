/** Which days are stored, told by an answer about them. */

export type DayState = 'whole' | 'partial' | 'damaged' | 'missing' | 'before';

export interface StoredDay {
  readonly startMs: number;
  readonly state: DayState;
  /** What there was to pay for, USD. */
  readonly cost: number;
  readonly why: string;
}

interface Row {
  readonly end: string;
  readonly totalCost: number;
}

/** What `/model/allocation/summary?aggregate=cluster` answers. */
export interface DaysAnswer {
  readonly sets: readonly {
    readonly window: { readonly start: string; readonly end: string };
    readonly allocations: Readonly<Record<string, Row>>;
  }[];
}

/** `… to … is not stored: the answer lacks it`, as the API tells it. */
const LACKING = /^(\S+) to (\S+) is (not stored|damaged)(?: and set aside \((.*)\))?: /;

export function storedDays(
  { sets }: DaysAnswer,
  warnings: readonly string[],
): readonly StoredDay[] {
  const lacking = warnings.flatMap((warning) => {
    const [, start = '', end = '', what = '', damage = ''] = LACKING.exec(warning) ?? [];
    if (what === '') return [];
    const state: DayState = what === 'damaged' ? 'damaged' : 'missing';
    const why = state === 'damaged' ? `damaged: ${damage}` : 'not stored';
    return [{ startMs: Date.parse(start), endMs: Date.parse(end), state, why }];
  });
  const days = sets.map(({ window, allocations }): StoredDay => {
    const [startMs, endMs] = [Date.parse(window.start), Date.parse(window.end)];
    const rows = Object.values(allocations);
    const cost = rows.reduce((total, { totalCost }) => total + totalCost, 0);
    const found = lacking.find((each) => each.startMs <= startMs && startMs < each.endMs);
    if (found !== undefined) return { startMs, state: found.state, cost, why: found.why };
    const toldMs = Math.max(startMs, ...rows.map(({ end }) => Date.parse(end)));
    if (rows.length === 0) return { startMs, state: 'missing', cost, why: 'nothing ran' };
    if (toldMs >= endMs) return { startMs, state: 'whole', cost, why: 'whole' };
    const hours = Math.floor((toldMs - startMs) / 3_600_000);
    return { startMs, state: 'partial', cost, why: `its first ${hours} hours` };
  });
  const first = days.findIndex(({ state }) => state !== 'missing');
  return days.map((day, index) =>
    index < first ? { ...day, state: 'before', why: 'before the first stored day' } : day,
  );
}

const DAY_MS = 86_400_000;
const MONDAY = 1;

/** Weeks of seven days, Monday first, as a calendar draws them; undefined before the first and after the last. */
export function weeksOf(
  days: readonly StoredDay[],
): readonly (readonly (StoredDay | undefined)[])[] {
  const [first] = days;
  if (first === undefined) return [];
  // The middle of a day is that day in every zone that has it.
  const weekday = new Date(first.startMs + DAY_MS / 2).getUTCDay();
  const before = (weekday - MONDAY + 7) % 7;
  const cells = [...Array<undefined>(before).fill(undefined), ...days];
  return Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_cell, day) => cells[week * 7 + day]),
  );
}
