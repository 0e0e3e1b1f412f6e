/**
 * The rows of one set as the files that are kept of it, made in a worker: `allocations` (containers,
 * what is unmounted, and idle by node), `assets` (what there was to pay for) and `usage` (how containers of
 * controllers used CPU and RAM). The bytes stay in the arena.
 */
import { frameTable, stackTables } from '../../columnar/index.ts';
import type { ColumnNames, Engine, Owner, Table } from '../../columnar/index.ts';
import { ASSET_COLUMNS } from '../../assets/columns.ts';
import { encodeSet, type EncodedSet, type SetContents, type SetMeta } from '../../storage/index.ts';
import type { AssetsAt } from '../ledger/asset-rows.ts';
import { assetTable } from './asset-table.ts';
import { usageTable } from './usage-set.ts';
import { inNameOrder } from './name-order.ts';
import { rowsOfSet, type Accounts } from './parts.ts';
import { EGRESS_BYTES, IDENTITY_COLUMNS, MEASURES, TEXT_COLUMNS } from '../row/schema.ts';
import type { SetOfLedger } from './running.ts';
import { USAGE_COLUMNS } from '../row/usage-columns.ts';

/** Kinds of stored sets. */
export const ALLOCATIONS = 'allocations';
export const ASSETS = 'assets';
export const USAGE = 'usage';

/** What is kept of each row of allocations. */
export const ALLOCATION_COLUMNS: ColumnNames = {
  texts: [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, 'endSource', 'pvs'],
  numbers: [
    'startMs',
    'endMs',
    'endUncertaintyMs',
    ...MEASURES.map(({ column }) => column),
    EGRESS_BYTES,
  ],
};

const NO_ROWS: Table = { rows: 0, text: () => undefined, numbers: () => undefined };

/** Names of the columns that are kept. */
export type KeptColumns = Pick<SetContents, 'texts' | 'numbers' | 'bytes'>;

export interface SetFilesInput extends Accounts {
  /** What all assets but networks are. */
  readonly assets: AssetsAt | null;
  readonly set: SetOfLedger;
  readonly meta: SetMeta;
  /** Of what is needed on the way alone. */
  readonly owner: Owner;
  /** Of the sets' bytes. */
  readonly keeper: Owner;
}

/** A set ready to be stored, its bytes in the arena. */
export interface EncodedAt extends Omit<EncodedSet, 'bytes'> {
  readonly address: number;
  readonly bytes: number;
}

/** @returns the sets of allocations, of assets and of usage */
export async function filesOfSet(engine: Engine, input: SetFilesInput): Promise<EncodedAt[]> {
  const { accounts, nodes, assets, set, owner, keeper, meta } = input;
  const { arena } = engine;
  const tablesOf = (of: Accounts): Table[] =>
    rowsOfSet({ engine, owner }, of, set).parts.map(({ frame, texts }) => frameTable(frame, texts));
  const allocations = tablesOf({ accounts, nodes });
  const [nodeRows = NO_ROWS] = nodes ? tablesOf({ accounts: [nodes], nodes: null }) : [];
  const assetRows = assets
    ? assetTable(arena, owner, { assets, nodes: nodeRows, allocations }, set.index)
    : NO_ROWS;
  const encode = (kind: string, table: Table, columns: KeptColumns): Promise<EncodedAt> => {
    const key = { kind, startMs: set.startMs, endMs: set.endMs };
    return encodeInArena(engine, keeper, { key, meta, table, ...columns });
  };
  return [
    await encode(
      ALLOCATIONS,
      inNameOrder(
        arena,
        owner,
        stackTables(arena, owner, allocations, ALLOCATION_COLUMNS),
        ALLOCATION_COLUMNS,
      ),
      ALLOCATION_COLUMNS,
    ),
    await encode(ASSETS, assetRows, ASSET_COLUMNS),
    await encode(USAGE, usageTable(engine, owner, accounts, set.index), USAGE_COLUMNS),
  ];
}

export async function encodeInArena(
  { arena }: Engine,
  owner: Owner,
  contents: Parameters<typeof encodeSet>[0],
): Promise<EncodedAt> {
  const { bytes, ...about } = await encodeSet(contents);
  const address = arena.allocate(bytes.length, owner);
  arena.u8(address, bytes.length).set(bytes);
  return { ...about, address, bytes: bytes.length };
}
