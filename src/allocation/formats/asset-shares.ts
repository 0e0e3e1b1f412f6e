/**
 * `proportionalAssetResourceCosts`, as OpenCost names it: which parts of the costs of nodes, load balancers and volumes
 * a row pays, by resource (core/pkg/opencost/allocation.go). Costs of rows and assets are of `row/asset-costs.ts`.
 */
import {
  DictionaryBuilder,
  spendHeap,
  type Engine,
  type Owner,
  type RowPart,
} from '../../columnar/index.ts';
import { jsonKey } from '../../export/index.ts';
import { ASSET_COSTS, AssetTotals, costsInText, OF_NODES } from '../row/asset-costs.ts';
import type { CodedFrame } from '../row/coded-frame.ts';

export const ASSET_SHARES = 'proportionalAssetResourceCosts';

/** Names of the parts, in the order of RESOURCE_COSTS. */
export const ASSET_PERCENTAGES = [
  'cpuPercentage',
  'gpuPercentage',
  'ramPercentage',
  'loadBalancerPercentage',
  'pvPercentage',
] as const;

/** The part of all costs of a node. */
export const NODE_PERCENTAGE = 'nodeResourceCostPercentage';

/** Nothing where shares are not requested; a row without assets has null. @throws {ArenaFull | HeapFull} */
export function assetShares(
  engine: Engine,
  owner: Owner,
  { frame, texts, assetTotals = '[]' }: CodedFrame,
): RowPart[] {
  if (!frame.has(ASSET_COSTS)) return [];
  const { arena } = engine;
  const totals = new AssetTotals();
  totals.addText(assetTotals);
  const builder = new DictionaryBuilder();
  const known = new Map<number, number>();
  const codes = arena.u32(arena.allocateZeroed(4 * Math.max(1, frame.rows), owner), frame.rows);
  frame.u32(ASSET_COSTS).forEach((from, row) => {
    const code = known.get(from) ?? builder.code(sharesText(texts.text(from), totals));
    known.set(from, code);
    codes[row] = code;
  });
  const { at } = builder.store(arena, owner);
  const shown: RowPart = { kind: 'text', codes: codes.byteOffset, texts: at, missing: 'null' };
  return [`,${jsonKey(ASSET_SHARES)}`, shown];
}

/** @param costs of a row, as `AssetSums` writes them @throws {HeapFull} */
export function sharesText(costs: string, totals: AssetTotals): string {
  spendHeap(8 * costs.length);
  const members = costsInText(costs).map(([key, usd]) => {
    const total = totals.find(key);
    if (total === undefined) throw new Error(`BUG: nobody knows what ${key} costs`);
    return `${JSON.stringify(key)}:${shareText(total, usd)}`;
  });
  return members.length === 0 ? '' : `{${members.join(',')}}`;
}

type Total = Exclude<ReturnType<AssetTotals['find']>, undefined>;

function shareText(
  { asset: { cluster, name, type, providerID }, usd: of }: Total,
  usd: readonly number[],
): string {
  const parts = of.map((total, i) => (total > 0 ? (usd[i] ?? 0) / total : 0));
  const node = of.slice(0, OF_NODES).map((total) => Math.max(0, total));
  const nodeUsd = node.reduce((sum, total) => sum + total, 0);
  const ofNode = node.reduce((sum, total, i) => sum + total * (parts[i] ?? 0), 0);
  return JSON.stringify({
    cluster,
    ...Object.fromEntries(
      Object.entries({ name, type, providerID }).filter(([, text]) => text !== ''),
    ),
    ...Object.fromEntries(ASSET_PERCENTAGES.map((each, i) => [each, parts[i] ?? 0])),
    [NODE_PERCENTAGE]: nodeUsd > 0 ? ofNode / nodeUsd : 0,
  });
}
