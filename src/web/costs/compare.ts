/** Costs of now and of the time before, whole sets against whole sets. */
import { isIdle } from './fields.ts';
import type { Comparison } from './periods.ts';
import type { CostRows, Measure } from './rows.ts';
import type { Series } from './series.ts';

export interface Compared {
  /** By name of a row; a name of neither is undefined. */
  readonly changeOf: (name: string) => number | undefined;
  readonly now: number;
  readonly before: number;
  readonly idleNow: number;
  readonly idleBefore: number;
}

/** @param now rows of the whole sets @param before of as much time before */
export function compared(now: CostRows, before: CostRows): Compared {
  const costOf = ({ at, columns }: CostRows, name: string): number | undefined => {
    const row = at.get(name);
    return row === undefined ? undefined : columns.total[row];
  };
  return {
    changeOf(name) {
      const [a, b] = [costOf(before, name), costOf(now, name)];
      return a === undefined && b === undefined ? undefined : (b ?? 0) - (a ?? 0);
    },
    ...sums(now, before),
  };
}

function sums(now: CostRows, before: CostRows): Omit<Compared, 'changeOf'> {
  const [costNow, idleNow] = totalOf(now);
  const [costBefore, idleBefore] = totalOf(before);
  return { now: costNow, before: costBefore, idleNow, idleBefore };
}

/** Without idle, and idle. */
export function totalOf(
  { names, columns }: CostRows,
  measure: Measure = 'total',
): [usd: number, idle: number] {
  let usd = 0;
  let idle = 0;
  for (let row = 0; row < names.length; row++) {
    const cost = columns[measure][row] ?? 0;
    if (isIdle(names[row] ?? '')) idle += cost;
    else usd += cost;
  }
  return [usd, idle];
}

/** For each set its total before: the set as far from the start, where both are whole. */
export function totalsBefore(
  { spans }: Series,
  before: Series | undefined,
  comparison: Comparison | undefined,
): (number | undefined)[] {
  if (before === undefined || comparison === undefined) return spans.map(() => undefined);
  return spans.map((_, index) => before.totals[index]);
}
