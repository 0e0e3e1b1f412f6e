/**
 * The stored files of one set, encoded in a worker: `allocations` (containers, unmounted volumes, and
 * idle by node), their sums (reduced/sums-set.ts), `assets` (nodes, disks and all else that costs) and `usage` (CPU and RAM by container of a controller). The
 * bytes are in the arena.
 */
import { frameTable, stackTables } from '../../columnar/index.ts';
import type { Arena, ColumnNames, Engine, Owner, Table } from '../../columnar/index.ts';
import type { Window } from '../../query/index.ts';
import { ASSET_COLUMNS } from '../../assets/columns.ts';
import { nodeCostsIn } from '../../assets/node-costs.ts';
import { encodeSet, type EncodedSet, type SetContents, type SetMeta } from '../../storage/index.ts';
import type { AssetsAt } from '../ledger/asset-rows.ts';
import { encodeSums, SUMS, unbilledCharges } from '../reduced/sums-set.ts';
import { assetTable } from './asset-table.ts';
import { usageTable } from './usage-set.ts';
import { inNameOrder } from './name-order.ts';
import { rowsOfSet, type Accounts } from './parts.ts';
import {
  EGRESS_BYTES,
  IDENTITY_COLUMNS,
  MEASURES,
  PAID_COLUMNS,
  PRICE_SOURCE,
  TEXT_COLUMNS,
} from '../row/schema.ts';
import type { SetOfLedger } from './running.ts';
import { USAGE_COLUMNS } from '../row/usage-columns.ts';

/** Kinds of stored sets. */
export const ALLOCATIONS = 'allocations';
export const ASSETS = 'assets';
export const USAGE = 'usage';

/** The kinds of sets that each window has. */
export const KINDS: readonly string[] = [ALLOCATIONS, ASSETS, USAGE, SUMS];

/** Stored columns of allocations. */
export const ALLOCATION_COLUMNS: ColumnNames = {
  texts: [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, PRICE_SOURCE, 'endSource', ...PAID_COLUMNS],
  numbers: [
    'startMs',
    'endMs',
    'endUncertaintyMs',
    ...MEASURES.map(({ column }) => column),
    EGRESS_BYTES,
  ],
};

const NO_ROWS: Table = { rows: 0, text: () => undefined, numbers: () => undefined };

/** Memory and metadata of the sets of one window. */
export interface SetOutput {
  readonly meta: SetMeta;
  /** Holds intermediate results only. */
  readonly owner: Owner;
  /** Holds the sets' bytes. */
  readonly keeper: Owner;
}

export interface SetFilesInput extends Accounts, SetOutput {
  /** All assets but networks. */
  readonly assets: AssetsAt | null;
  readonly set: SetOfLedger;
}

/** A set ready to be stored, its bytes in the arena. */
export interface EncodedAt extends Omit<EncodedSet, 'bytes'> {
  readonly address: number;
  readonly bytes: number;
}

/** @returns the sets of allocations, of assets, of usage, and of the sums of allocations */
export async function filesOfSet(engine: Engine, input: SetFilesInput): Promise<EncodedAt[]> {
  const { accounts, nodes, assets, set, owner } = input;
  const { arena } = engine;
  const tablesOf = (of: Accounts): Table[] =>
    rowsOfSet({ engine, owner }, of, set).parts.map(({ frame, texts }) => frameTable(frame, texts));
  const allocations = tablesOf({ accounts, nodes });
  const [nodeRows = NO_ROWS] = nodes ? tablesOf({ accounts: [nodes], nodes: null }) : [];
  const assetRows = assets
    ? assetTable(arena, owner, { assets, nodes: nodeRows, allocations }, set.index)
    : NO_ROWS;
  const usage = usageTable(engine, owner, accounts, set.index);
  return await encodeSets(engine, input, set, { allocations, assets: assetRows, usage });
}

/** A copy of the set's bytes in the arena. */
export function keptAt(arena: Arena, keeper: Owner, { bytes, ...about }: EncodedSet): EncodedAt {
  const address = arena.allocate(bytes.length, keeper);
  arena.u8(address, bytes.length).set(bytes);
  return { ...about, address, bytes: bytes.length };
}

/** Tables of the rows of one window, by kind of set. */
export interface SetTables {
  /** One after the other. */
  readonly allocations: readonly Table[];
  readonly assets: Table;
  readonly usage: Table;
}

/** @returns the sets of allocations, of assets, of usage, and of the sums of allocations */
export async function encodeSets(
  engine: Engine,
  { owner, keeper, meta: given }: SetOutput,
  { startMs, endMs }: Window,
  tables: SetTables,
): Promise<EncodedAt[]> {
  const { arena } = engine;
  const meta = { ...given, nodeCosts: nodeCostsIn(tables.assets) };
  const encode = async (
    kind: string,
    table: Table,
    columns: Pick<SetContents, 'texts' | 'numbers' | 'bytes'>,
  ): Promise<EncodedAt> => {
    const key = { kind, startMs, endMs };
    return keptAt(arena, keeper, await encodeSet({ key, meta, table, ...columns }));
  };
  const stacked = stackTables(arena, owner, tables.allocations, ALLOCATION_COLUMNS);
  const ordered = inNameOrder(arena, owner, stacked, ALLOCATION_COLUMNS);
  const charges = unbilledCharges({ startMs, endMs }, tables.assets);
  const allocations = await encode(ALLOCATIONS, ordered, ALLOCATION_COLUMNS);
  return [
    allocations,
    await encode(ASSETS, tables.assets, ASSET_COLUMNS),
    await encode(USAGE, tables.usage, USAGE_COLUMNS),
    keptAt(arena, keeper, await encodeSums({ engine, owner }, ordered, allocations, charges)),
  ];
}
