/**
 * A day's sets as the sum of its hours, made in a worker. Idle is computed from the day's nodes, so that
 * overage of one hour reduces the idle of others, as in a day that is computed as a whole.
 */
import {
  type Arena,
  columnSpecs,
  createFrame,
  DictionaryBuilder,
  checksumOf,
  type Engine,
  frameTable,
  numbersOf,
  type Owner,
  plainColumn,
  type Table,
  textColumn,
} from '../../columnar/index.ts';
import {
  ASSET_COLUMNS,
  ASSET_FOLDS,
  ASSET_KEYS,
  NODE_COSTS,
  NODE_HOURS,
  withTypes,
} from '../../assets/columns.ts';
import {
  messageOf,
  storedWarnings,
  warningsOfSet,
  type WarningLike,
  type Window,
} from '../../query/index.ts';
import { SetReader, type StoredSet } from '../../storage/index.ts';
import { excessWarnings, isExcessWarning, type Excess } from './excess.ts';
import { leaveIdle } from './idle.ts';
import { ALLOCATION_COLUMNS, encodeSets, type EncodedAt, type SetOutput } from './set-files.ts';
import { IDLE, kindsOf, ROW_KINDS } from '../row/row-kinds.ts';
import { EGRESS_BYTES, MEASURES, NAME_PARTS, PAID_COLUMNS, PRICE_SOURCE } from '../row/schema.ts';
import { mergeRows, type RowMerge } from './merge-rows.ts';
import { sumUsage } from './sum-usage.ts';

export interface SumInput extends SetOutput {
  readonly window: Window;
  /** Sets of the window's hours, in order of time. */
  readonly allocations: readonly StoredSet[];
  readonly assets: readonly StoredSet[];
  readonly usage: readonly StoredSet[];
}

const TIMES = [
  ['startMs', 'min'],
  ['endMs', 'max'],
  ['endUncertaintyMs', 'last'],
] as const;

const NOT_LAST: readonly string[] = [...PAID_COLUMNS, PRICE_SOURCE];

const ALLOCATION_SUM: RowMerge = {
  keys: NAME_PARTS,
  texts: ALLOCATION_COLUMNS.texts.filter((name) => !NOT_LAST.includes(name)),
  sources: [PRICE_SOURCE],
  objects: PAID_COLUMNS,
  numbers: new Map([
    ...TIMES,
    ...MEASURES.map(({ column, fold }) => [column, fold] as const),
    [EGRESS_BYTES, 'sum'],
  ]),
};

const ASSET_SUM: RowMerge = {
  keys: ASSET_KEYS,
  texts: ASSET_COLUMNS.texts.filter((name) => name !== PRICE_SOURCE),
  sources: [PRICE_SOURCE],
  objects: [],
  numbers: ASSET_FOLDS,
};

/** @returns the sets of allocations, of assets and of usage @throws {DamagedSet} of an hour */
export async function sumDay(engine: Engine, input: SumInput): Promise<EncodedAt[]> {
  const { arena } = engine;
  const { owner, window } = input;
  const reader = new SetReader(arena, checksumOf(engine));
  const read = (hours: readonly StoredSet[]): Table[] =>
    hours.map((hour) => reader.read(hour, owner).table);
  const allocations = mergeRows(engine, owner, read(input.allocations), ALLOCATION_SUM, notIdle);
  const assets = mergeRows(engine, owner, read(input.assets).map(withTypes), ASSET_SUM);
  const nodes = mergeRows(engine, owner, [assets], ASSET_SUM, isNode);
  const { idle, excess } = idleOf(arena, owner, nodes, allocations);
  const usage = sumUsage(engine, owner, read(input.usage));
  const warnings = storedWarnings(withExcess(warningsOfSet(input.meta), excess));
  const meta = { ...input.meta, ...warnings };
  return await encodeSets(engine, { ...input, meta }, window, {
    allocations: [allocations, idle],
    assets,
    usage,
  });
}

/** What exceeds a node in an hour need not exceed it in the day. */
function withExcess(warnings: readonly WarningLike[], excess: Excess): WarningLike[] {
  const others = warnings.filter((one) => !isExcessWarning(messageOf(one)));
  return [...others, ...excessWarnings(excess)];
}

function notIdle(table: Table): Uint8Array {
  return Uint8Array.from(kindsOf(table), (kind) => (kind === ROW_KINDS.idle ? 0 : 1));
}

function isNode(table: Table): Uint8Array {
  return Uint8Array.from(numbersOf(textColumn(table, 'type'), (type) => (type === 'Node' ? 1 : 0)));
}

/** Texts of idle rows. */
const IDLE_TEXTS = [
  'cluster',
  'node',
  'providerID',
  'region',
  'zone',
  PRICE_SOURCE,
  'endSource',
] as const;
/** Texts of idle rows that assets have under other names. */
const IDLE_ALIASES = [
  ['instanceType', 'nodeType'],
  ['nodePool', 'pool'],
] as const;
/** Measures that `leaveIdle` reads. */
const IDLE_NUMBERS = [
  'startMs',
  'endMs',
  'endUncertaintyMs',
  ...NODE_HOURS,
  ...NODE_COSTS,
  'cpuCoreRequestHours',
  'ramByteRequestHours',
  'gpuRequestHours',
] as const;

interface Idle {
  readonly idle: Table;
  readonly excess: Excess;
}

function idleOf(arena: Arena, owner: Owner, nodes: Table, allocations: Table): Idle {
  const aliases = IDLE_ALIASES.map(([name]) => name);
  const named = [...IDLE_TEXTS, ...aliases, 'container'];
  const specs = columnSpecs({ texts: named, numbers: IDLE_NUMBERS });
  const frame = createFrame(arena, specs, nodes.rows, owner);
  const texts = new DictionaryBuilder();
  for (const name of IDLE_TEXTS) frame.u32(name).set(plainColumn(nodes, name, texts));
  for (const [name, of] of IDLE_ALIASES) frame.u32(name).set(plainColumn(nodes, of, texts));
  frame.u32('container').fill(texts.code(IDLE));
  for (const name of IDLE_NUMBERS) {
    frame
      .f64(name)
      .fill(0)
      .set(nodes.numbers(name)?.values ?? []);
  }
  const excess = leaveIdle(frame, texts, [allocations]);
  return { idle: frameTable(frame, texts), excess };
}
