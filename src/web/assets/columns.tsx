/** Columns that lists of assets share. */
import { moneyChange, moneyOrZero } from '../format.ts';
import type { Column } from '../parts/list.tsx';
import { href } from '../state.ts';
import { shortNode } from './node-rows.ts';

/** The page has several lists: of long ones the first rows are shown. */
export const FIRST_ROWS = 20;

const BY_BILL = 'by the bill';

interface Costly {
  readonly name: string;
  readonly cluster: string;
  readonly cost: number;
  readonly adjustment: number;
  readonly filter: string;
}

/** Without the bill's column where no bill changed anything. */
export function usedColumns<Row extends Costly>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): readonly Column<Row>[] {
  const isAdjusted = rows.some(({ adjustment }) => adjustment !== 0);
  return isAdjusted ? columns : columns.filter(({ title }) => title !== BY_BILL);
}

/** Part of a cost, 0 of nothing. */
export function ofCost(usd: number, cost: number): number {
  return cost > 0 ? usd / cost : 0;
}

export function nameColumn(title: string): Column<Costly> {
  return {
    title,
    value: ({ name }) => name,
    cell: ({ name, filter }) => (
      <a class="cut" href={href({ open: filter })} title={name}>
        {shortNode(name)}
      </a>
    ),
  };
}

/** What it costs, and how much of that the bill changed. */
export function costColumns<Row extends Costly>(): readonly Column<Row>[] {
  return [
    {
      title: 'cost',
      value: ({ cost }) => cost,
      cell: ({ cost, name, filter }) => (
        <a
          class="number"
          href={href({ open: filter })}
          aria-label={`${moneyOrZero(cost)} for ${name}: what it is made of`}
        >
          {moneyOrZero(cost)}
        </a>
      ),
    },
    {
      title: BY_BILL,
      value: ({ adjustment }) => adjustment,
      cell: ({ adjustment }) => moneyChange(adjustment),
      isMinor: true,
    },
  ];
}

export const CLUSTER: Column<Costly> = {
  title: 'cluster',
  value: ({ cluster }) => cluster,
  isMinor: true,
};
