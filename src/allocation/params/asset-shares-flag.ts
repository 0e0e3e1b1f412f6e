/** `includeProportionalAssetResourceCosts`: who may ask for it, and beside what. */
import type { QueryParams } from '../../http/index.ts';
import { Fault } from '../../query/index.ts';
import type { SetQuery } from '../query/set-query.ts';
import type { Format } from './format.ts';

export const ASSET_SHARES_FLAG = 'includeProportionalAssetResourceCosts';

type Query = Pick<SetQuery, 'idle' | 'showsAssetShares'>;

/**
 * Shares are of assets with their idle, as in OpenCost, which refuses them without it too.
 * @throws {Fault} 403 for callers with a filter; 400 without idle, and for formats that have no member for them
 */
export function checkAssetShares(params: QueryParams, query: Query, { kind }: Format): void {
  if (!query.showsAssetShares) return;
  params.refuseScoped(ASSET_SHARES_FLAG, 'a share of a node tells what the whole node costs');
  if (!query.idle)
    throw new Fault(
      `parameter '${ASSET_SHARES_FLAG}': 'true' is accepted with includeIdle=true alone`,
      {
        parameter: ASSET_SHARES_FLAG,
        hint: 'ask with includeIdle=true: shares are of what nodes cost, idle included',
      },
    );
  if (kind === 'json' || kind === 'ndjson') return;
  throw new Fault(
    `parameter '${ASSET_SHARES_FLAG}': 'true' is not accepted beside format=${kind}, only beside json and ndjson`,
    {
      parameter: ASSET_SHARES_FLAG,
      hint: 'ask with format=json or format=ndjson',
    },
  );
}

/** The query of a summary, which has no member for shares. */
export function withoutAssetShares<Q extends Query>(
  params: QueryParams,
  query: Q,
): Omit<Q, 'showsAssetShares'> {
  const { showsAssetShares, ...others } = query;
  if (showsAssetShares) params.tell(ASSET_SHARES_FLAG, 'summaries do not show it');
  return others;
}
