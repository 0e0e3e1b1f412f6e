/**
 * Idle and shared costs of a set given to those who bear them, before rows are grouped. Coefficients
 * come from all rows, so that a filter never changes what anyone pays; every dollar that comes in
 * goes out once: what nobody can bear stays where it was.
 *
 *   who bears what is shared ▶ idle ▶ what is shared, idle and all ▶ rows of the answer
 */
import type { Table, Workspace } from '../../columnar/index.ts';
import { filterIdle } from './idle-filter.ts';
import { shareIdle } from './idle-shares.ts';
import { keptRows } from './kept-rows.ts';
import { overlay, Rewrite } from '../row/overlay.ts';
import { isMeant, type SetPart } from './set-part.ts';
import { shareFractions } from './share-weights.ts';
import { sharedBySource, type SharedCosts } from './shared-costs.ts';
import type { Distribution } from './distribution.ts';

/** A part with everything distributed. */
export interface DistributedPart {
  /** With `SHARE`, a row's fraction of all that is shared, where anything is. */
  readonly table: Table;
  readonly groups: Uint32Array;
  /** 1 for rows that are in the answer; null: all are. */
  readonly kept: Uint8Array | null;
}

/** Column of the fraction of what is shared that a row bears. */
export const SHARE = 'share';

export interface DistributedSet {
  readonly parts: readonly DistributedPart[];
  /** What is shared by source, then by overhead; zeros where nobody bears anything. */
  readonly shared: readonly SharedCosts[];
}

/** @param sourceCount of `sources` of the parts */
export function distribute(
  space: Workspace,
  given: readonly SetPart[],
  options: Distribution,
  sourceCount: number,
): DistributedSet {
  const counted = given.map((part) => ({ ...part, table: withExternal(part.table, options) }));
  const isSharing = sourceCount > 0 || options.overheads.length > 0;
  const { parts, fractions } = isSharing ? bearing(counted, options) : { parts: counted };
  const settled = settleIdle(space, parts, options, meantFraction(parts, fractions));
  const shared = [
    ...sharedBySource(settled, sourceCount),
    ...options.overheads.map(({ usd }) => ({ total: fractions ? usd : 0, byKind: [] })),
  ];
  const total = shared.reduce((sum, source) => sum + source.total, 0);
  const kept = keptRows(space, settled, options);
  return {
    shared,
    parts: settled.map(({ table, groups }, i) => ({
      table: fractions?.[i] ? withShared(space, table, fractions[i], total) : table,
      groups,
      kept: kept[i] ?? null,
    })),
  };
}

interface Bearing {
  readonly parts: readonly SetPart[];
  readonly fractions?: readonly Float64Array[];
}

/** Who bears what is shared. Where everybody shares, nobody is left to share with: nothing is. */
function bearing(parts: readonly SetPart[], { shareSplit }: Distribution): Bearing {
  const fractions = shareFractions(parts, shareSplit);
  if (fractions !== undefined) return { parts, fractions };
  const unshared = parts.map((part) => ({ ...part, sources: null }));
  const all = shareFractions(unshared, shareSplit);
  return all === undefined ? { parts: unshared } : { parts: unshared, fractions: all };
}

/** How much of all that is shared goes to rows that the filter means. */
function meantFraction(
  parts: readonly SetPart[],
  fractionsOf: readonly Float64Array[] | undefined,
): number {
  if (fractionsOf === undefined || parts.every(({ meant }) => meant === null)) return 1;
  let sum = 0;
  parts.forEach((part, i) => {
    fractionsOf[i]?.forEach((fraction, row) => {
      if (fraction !== 0 && isMeant(part, row)) sum += fraction;
    });
  });
  return sum;
}

/** The table, with what is external only where that is asked for. */
export function withExternal(table: Table, { external }: Distribution): Table {
  if (external || !table.numbers('externalCost')) return table;
  return overlay(table, new Map([['externalCost', undefined]]));
}

function settleIdle(
  space: Workspace,
  parts: readonly SetPart[],
  options: Distribution,
  kept: number,
): readonly SetPart[] {
  const isFiltered = parts.some(({ meant }) => meant !== null);
  if (parts.every(({ idle }) => idle.length === 0)) return parts;
  if (options.shareIdle) return shareIdle(space, parts, options.idleByNode);
  if (!options.idle || !isFiltered) return parts;
  return filterIdle(space, parts, options.idleByNode, kept);
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
