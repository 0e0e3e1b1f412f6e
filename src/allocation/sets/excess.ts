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
  /** Nodes that allocations exceed, as `cluster/node`. */
  readonly exceeded: readonly string[];
}

export const NO_EXCESS: Excess = { overageUsd: 0, elsewhereUsd: 0, exceeded: [] };

export function addExcess(a: Excess, b: Excess): Excess {
  return {
    overageUsd: a.overageUsd + b.overageUsd,
    elsewhereUsd: a.elsewhereUsd + b.elsewhereUsd,
    exceeded: [...new Set([...a.exceeded, ...b.exceeded])],
  };
}

const OVER = 'allocations exceed their nodes by $';
const ELSEWHERE = 'allocations on nodes that no asset is known of cost $';

/**
 * Amounts have as many digits as sums are exact to; `addedWarnings` adds them up.
 * @param unknown nodes without an asset, as `cluster/node`
 */
export function excessWarnings(
  { overageUsd, elsewhereUsd, exceeded }: Excess,
  unknown: readonly string[] = [],
): Warning[] {
  const amounts = [
    [OVER, overageUsd, exceeded],
    [ELSEWHERE, elsewhereUsd, unknown],
  ] as const;
  return amounts
    .filter(([, usd]) => usd > 0)
    .map(([text, cost, nodes]) =>
      warning(`${text}${shown(cost)}: nothing is idle there`, { cost, nodes }),
    );
}

export function isExcessWarning(text: string): boolean {
  return text.startsWith(OVER) || text.startsWith(ELSEWHERE);
}

function shown(usd: number): number {
  return Number(usd.toPrecision(12));
}
