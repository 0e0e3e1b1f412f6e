/** Who can bear the shared costs of a set, and what is told where nobody can. */
import type { Table } from '../../columnar/index.ts';
import { warning, type WarningLike } from '../../query/index.ts';
import { kindsOf, ROW_KINDS } from '../row/row-kinds.ts';
import { select } from '../row/select.ts';
import type { SetQuery } from './set-query.ts';
import { shareSources, sourcesOf } from './share-sources.ts';

/** Rows of a set, as the rules of share-weights.ts see them. */
export interface Bearers {
  /** Workloads of any kind: they bear `shareCost`, also where all of them are shared. */
  readonly hasWorkloads: boolean;
  /** Workloads that are not shared: only they bear the costs of those that are. */
  readonly hasUnshared: boolean;
  /** Rows whose costs are to be shared. */
  readonly hasShared: boolean;
  /** Those who bear, and are rows of the answer. */
  readonly hasMatched: boolean;
}

export type BearersQuery = Pick<SetQuery, 'filter' | 'share'>;

const NOBODY: Bearers = {
  hasWorkloads: false,
  hasUnshared: false,
  hasShared: false,
  hasMatched: false,
};

/** @param tables with the columns that the filters compare, and `container` */
export function bearersIn(tables: readonly Table[], { filter, share }: BearersQuery): Bearers {
  const sources = shareSources(share, false);
  const parts = tables.map((table) => {
    const kinds = kindsOf(table);
    const shared = sourcesOf(table, kinds, sources);
    const matched = filter === null ? null : select(table, filter);
    return { kinds, shared, matched };
  });
  const some = (test: (part: (typeof parts)[number], row: number) => boolean): boolean =>
    parts.some((part) => part.kinds.some((_, row) => test(part, row)));
  const isWorkload = ({ kinds }: (typeof parts)[number], row: number): boolean =>
    kinds[row] === ROW_KINDS.workload;
  const isShared = ({ shared }: (typeof parts)[number], row: number): boolean =>
    shared !== null && shared[row] !== 0;
  const hasUnshared = some((part, row) => isWorkload(part, row) && !isShared(part, row));
  return {
    hasWorkloads: some(isWorkload),
    hasUnshared,
    hasShared: some(isShared),
    hasMatched: some(
      (part, row) =>
        isWorkload(part, row) &&
        !(hasUnshared && isShared(part, row)) &&
        (part.matched === null || part.matched.has(row)),
    ),
  };
}

/** A set of an answer, or a time of its window of which there is no set. */
export interface BorneBy {
  /** Absent: nobody is known. */
  readonly bearers?: Bearers | undefined;
  /** Its share of `shareCost`. */
  readonly overheadUsd: number;
}

/** Warnings of an answer: what of the costs to be shared none of its rows has. */
export function unborneWarnings(sets: readonly BorneBy[]): WarningLike[] {
  const all = sets.map(({ bearers = NOBODY, overheadUsd }) => ({ ...bearers, overheadUsd }));
  const borne = all.filter(({ hasWorkloads }) => hasWorkloads);
  const [nobodys, leftOut] = [all.filter(({ hasWorkloads }) => !hasWorkloads), borne].map(usdOf);
  const isLeftOut = borne.every(({ hasMatched }) => !hasMatched);
  return [
    ...(nobodys
      ? [
          warning(
            `$${nobodys} of shareCost is charged to no row: there is no workload to bear it`,
            { cost: nobodys },
          ),
        ]
      : []),
    ...(leftOut && isLeftOut
      ? [
          warning(`$${leftOut} of shareCost is charged only to rows that the filter leaves out`, {
            cost: leftOut,
          }),
        ]
      : []),
    ...(all.some(({ hasShared, hasUnshared }) => hasShared && !hasUnshared) ? [STAYING] : []),
  ];
}

const STAYING =
  'no workload is there to bear the costs of shared namespaces or labels: they stay where they are';

/** To as many digits as sums are exact to. */
function usdOf(sets: readonly BorneBy[]): number {
  return Number(sets.reduce((sum, { overheadUsd }) => sum + overheadUsd, 0).toPrecision(12));
}
