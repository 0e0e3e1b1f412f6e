/**
 * Averages and prices of one set as series that OpenCost's exporter has too
 * (https://opencost.io/docs/integrations/prometheus/), for the dashboards and rules that are built on them. An
 * average is what was allocated in the whole set by its length: over time, averages add up to what was allocated.
 */
import { frameTable, type Engine, type Owner, type Table } from '../../columnar/index.ts';
import { exposition } from '../../export/index.ts';
import type { AssetsAt } from '../ledger/asset-rows.ts';
import type { EgressNow } from '../ledger/network.ts';
import { assetTable } from '../sets/asset-table.ts';
import { rowsOfSet, type Accounts } from '../sets/parts.ts';
import type { SetOfLedger } from '../sets/running.ts';
import { allocationFamilies } from './allocation-families.ts';
import { assetFamilies } from './asset-families.ts';
import { Bounded, type LeftOut, type Labelling } from './labelling.ts';

export type { LeftOut } from './labelling.ts';

export interface RatesInput extends Accounts {
  /** All assets but networks. */
  readonly assets: AssetsAt | null;
  readonly egress: readonly EgressNow[];
  readonly set: SetOfLedger;
  /** How many containers, claims, volumes, nodes and load balancers there may be, of each. */
  readonly rowsMax: number;
  /** The label of other clusters than `clusterId`, whose series in the store have none. */
  readonly clusterLabel: string;
  readonly clusterId: string;
  /** Holds intermediate results only. */
  readonly owner: Owner;
  /** Holds the text. */
  readonly keeper: Owner;
}

/** Text in the arena. */
export interface RatesAt {
  readonly address: number;
  readonly bytes: number;
  readonly leftOut: LeftOut;
}

const NO_ROWS: Table = { rows: 0, text: () => undefined, numbers: () => undefined };

export function writeRates(engine: Engine, input: RatesInput): RatesAt {
  const { accounts, nodes, assets, set, owner, keeper } = input;
  const { arena } = engine;
  const tablesOf = (of: Accounts): Table[] =>
    rowsOfSet({ engine, owner }, of, set).parts.map(({ frame, texts }) => frameTable(frame, texts));
  const allocations = tablesOf({ accounts, nodes: null });
  const [nodeRows = NO_ROWS] = nodes ? tablesOf({ accounts: [nodes], nodes: null }) : [];
  const assetRows = assets
    ? assetTable(arena, owner, { assets, nodes: nodeRows, allocations }, set.index)
    : NO_ROWS;
  const bounded = new Bounded(input.rowsMax);
  const labelling: Labelling = { ...input, bounded };
  const text = exposition([
    ...assetFamilies(assetRows, set, input.egress, labelling),
    ...allocationFamilies(allocations, assetRows, set, labelling),
  ]);
  const bytes = Buffer.byteLength(text);
  const address = arena.allocate(bytes, keeper);
  const target = arena.u8(address, bytes);
  Buffer.from(target.buffer, target.byteOffset, bytes).write(text);
  return { address, bytes, leftOut: bounded.leftOut };
}
