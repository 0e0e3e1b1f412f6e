/**
 * Distributes idle and shared costs of a set to its rows, before they are grouped. Coefficients come
 * from all rows, so that a filter never changes what anyone pays; every dollar that comes in goes out
 * once: a cost that no row can be charged for stays where it was.
 *
 *   fractions of shared cost ▶ idle ▶ shared cost, its idle included ▶ rows of the answer
 */
import type { Table, Workspace } from '../../columnar/index.ts';
import { filterIdle } from './idle-filter.ts';
import { shareIdle } from './idle-shares.ts';
import { answerRows } from './answer-rows.ts';
import { overlay, Rewrite } from '../row/overlay.ts';
import { isMatched, type SetPart } from './set-part.ts';
import { shareFractions } from './share-weights.ts';
import {
  balancersUsd,
  sharedBalancers,
  sharedBySource,
  withoutBalancers,
  type SharedCosts,
} from './shared-costs.ts';
import type { SharingOptions } from './sharing-options.ts';

/** A part after all costs are distributed. */
export interface SharedPart {
  /** With `SHARE`, each row's fraction of all shared cost, where there is any. */
  readonly table: Table;
  readonly groups: Uint32Array;
  /** 1 for rows that are in the answer; null: all are. */
  readonly counted: Uint8Array | null;
}

/** Column of the fraction of shared cost that a row is charged. */
export const SHARE = 'share';

export interface SharedSet {
  readonly parts: readonly SharedPart[];
  /** Shared costs by source, by overhead, then of load balancers; zeros where no row can be charged. */
  readonly shared: readonly SharedCosts[];
}

/** @param sourceCount of `sources` of the parts */
export function distribute(
  space: Workspace,
  given: readonly SetPart[],
  options: SharingOptions,
  sourceCount: number,
): SharedSet {
  const charged = given.map((part) => ({ ...part, table: withExternal(part.table, options) }));
  const { parts, fractions, ofBalancers } = dividing(charged, options, sourceCount > 0);
  const settled = settleIdle(space, parts, options, matchedFraction(parts, fractions));
  const shared = [
    ...sharedBySource(settled, sourceCount),
    ...options.overheads.map(({ usd }) => ({ total: fractions ? usd : 0, byKind: [] })),
    ...(options.sharesBalancers ? [sharedBalancers(ofBalancers)] : []),
  ];
  const total = shared.reduce((sum, source) => sum + source.total, 0);
  const counted = answerRows(space, settled, options);
  return {
    shared,
    parts: settled.map(({ table, groups }, i) => ({
      table: fractions?.[i] ? withShared(space, table, fractions[i], total) : table,
      groups,
      counted: counted[i] ?? null,
    })),
  };
}

interface Division extends Sharing {
  /** USD of load balancers that are shared. */
  readonly ofBalancers: number;
}

/** Takes the costs of load balancers off the rows, where there are rows that they can be shared among. */
function dividing(
  parts: readonly SetPart[],
  options: SharingOptions,
  hasSources: boolean,
): Division {
  const usd = options.sharesBalancers ? balancersUsd(parts.map(({ table }) => table)) : 0;
  if (usd === 0) {
    const isSharing = hasSources || options.overheads.length > 0;
    return { ...(isSharing ? sharing(parts, options) : { parts }), ofBalancers: 0 };
  }
  const without = parts.map((part) => ({ ...part, table: withoutBalancers(part.table) }));
  const divided = sharing(without, options);
  if (divided.fractions !== undefined) return { ...divided, ofBalancers: usd };
  return { ...sharing(parts, options), ofBalancers: 0 };
}

interface Sharing {
  readonly parts: readonly SetPart[];
  readonly fractions?: readonly Float64Array[];
}

/** Fractions of shared cost. Where every row is shared, none is left to charge: nothing is shared. */
function sharing(parts: readonly SetPart[], { shareSplit }: SharingOptions): Sharing {
  const fractions = shareFractions(parts, shareSplit);
  if (fractions !== undefined) return { parts, fractions };
  const unshared = parts.map((part) => ({ ...part, sources: null }));
  const all = shareFractions(unshared, shareSplit);
  return all === undefined ? { parts: unshared } : { parts: unshared, fractions: all };
}

/** The fraction of all shared cost that goes to rows which the filter matches. */
function matchedFraction(
  parts: readonly SetPart[],
  fractionsOf: readonly Float64Array[] | undefined,
): number {
  if (fractionsOf === undefined || parts.every(({ matched }) => matched === null)) return 1;
  let sum = 0;
  parts.forEach((part, i) => {
    fractionsOf[i]?.forEach((fraction, row) => {
      if (fraction !== 0 && isMatched(part, row)) sum += fraction;
    });
  });
  return sum;
}

/** The table without external costs, unless they are requested. */
export function withExternal(table: Table, { external }: SharingOptions): Table {
  if (external || !table.numbers('externalCost')) return table;
  return overlay(table, new Map([['externalCost', undefined]]));
}

function settleIdle(
  space: Workspace,
  parts: readonly SetPart[],
  options: SharingOptions,
  counted: number,
): readonly SetPart[] {
  const isFiltered = parts.some(({ matched }) => matched !== null);
  if (parts.every(({ idle }) => idle.length === 0)) return parts;
  if (options.shareIdle) return shareIdle(space, parts, options.idleByNode);
  if (!options.idle || !isFiltered) return parts;
  return filterIdle(space, parts, options.idleByNode, counted);
}

function withShared(space: Workspace, table: Table, fractions: Float64Array, total: number): Table {
  const rewrite = new Rewrite(space, table);
  rewrite.column(SHARE).set(fractions);
  const shared = rewrite.column('sharedCost');
  for (let row = 0; row < shared.length; row++) {
    shared[row] = (shared[row] ?? 0) + (fractions[row] ?? 0) * total;
  }
  return rewrite.table;
}
