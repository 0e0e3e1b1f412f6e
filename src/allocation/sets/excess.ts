import { warning, type Warning } from '../../query/index.ts';

/**
 * What allocations cost beyond the assets of nodes, and how answers tell it: with it
 *
 *   Σ allocations + Σ idle − overage − elsewhere = Σ node assets
 */
export interface Excess {
  /** By how much allocations exceed the nodes that they are on, USD. */
  readonly overageUsd: number;
  /** Allocations on nodes without an asset, USD. */
  readonly elsewhereUsd: number;
}

export const NO_EXCESS: Excess = { overageUsd: 0, elsewhereUsd: 0 };

export function addExcess(a: Excess, b: Excess): Excess {
  return {
    overageUsd: a.overageUsd + b.overageUsd,
    elsewhereUsd: a.elsewhereUsd + b.elsewhereUsd,
  };
}

const OVER = 'allocations exceed their nodes by $';
const ELSEWHERE = 'allocations on nodes that no asset is known of cost $';

/** Amounts have as many digits as sums are exact to; `addedWarnings` adds them up. */
export function excessWarnings({ overageUsd, elsewhereUsd }: Excess): Warning[] {
  const amounts = [
    [OVER, overageUsd],
    [ELSEWHERE, elsewhereUsd],
  ] as const;
  return amounts
    .filter(([, usd]) => usd > 0)
    .map(([text, cost]) => warning(`${text}${shown(cost)}: nothing is idle there`, { cost }));
}

export function isExcessWarning(text: string): boolean {
  return text.startsWith(OVER) || text.startsWith(ELSEWHERE);
}

function shown(usd: number): number {
  return Number(usd.toPrecision(12));
}
