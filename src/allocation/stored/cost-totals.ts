/** Costs of grouped rows as plain numbers, to be added up outside of workers. */
import { spendHeap, type Frame, type Texts } from '../../columnar/index.ts';
import { resourceKey, type AggregateKey } from '../../query/index.ts';
import { groupedTable, partColumn } from '../query/aggregate.ts';
import { IDLE_RESOURCES } from '../query/idle-pools.ts';
import { kindsOf, ROW_KINDS } from '../row/row-kinds.ts';
import { COST_COLUMNS } from '../row/schema.ts';
import { sumOf } from '../query/set-part.ts';

/** Columns of the same rows. Costs are in USD, adjustments and all. */
export interface CostTotals {
  /** Parts joined by `/`. Rows of one name may be several. */
  readonly names: readonly string[];
  /** 1 for idle rows, else 0. */
  readonly isIdle: readonly number[];
  /** The node as bills know it (`resourceKey`), where all rows of a group have the same one. */
  readonly resources: readonly string[];
  /** Costs of the node: CPU, RAM, GPU and traffic, with the row's share of idle. */
  readonly ofNode: readonly number[];
  /** All else. */
  readonly others: readonly number[];
  /** The row's share of idle, which `ofNode` includes. */
  readonly sharedIdle: readonly number[];
}

/** A grouped set (aggregate.ts). */
export interface GroupedRows {
  readonly frame: Frame;
  readonly texts: Texts;
}

/** Heap that a row takes: its name, its resource and its costs. */
const ROW_BYTES = 250;

/** Clouds bill a machine's traffic under the machine. */
const TRAFFIC = ['networkCost', 'networkCostAdjustment'];
const OF_NODE = [...IDLE_RESOURCES.flatMap(({ costs }) => costs), ...TRAFFIC];
const OTHERS = COST_COLUMNS.filter((name) => !OF_NODE.includes(name));
const SHARED_IDLE = IDLE_RESOURCES.map(({ idle }) => idle);

/** How names tell controllers: by the name alone, or as `kind:name`, as rows of allocations do. */
export type ControllerNames = 'bare' | 'whole';

/** @param keys that make names: the first of those that rows are grouped by @throws {HeapFull} */
export function costTotals(
  { frame, texts }: GroupedRows,
  keys: readonly AggregateKey[],
  controllers: ControllerNames = 'bare',
): CostTotals {
  const table = groupedTable(frame, texts);
  const kinds = kindsOf(table);
  const reading = (key: AggregateKey): ((text: string) => string) =>
    controllers === 'bare' ? bareName(key) : (text) => text;
  const parts = keys.map((key, i) => ({ codes: frame.u32(partColumn(i)), read: reading(key) }));
  const whole = frame.u32('name');
  const providerIds = frame.u32('providerID');
  const rows = Array.from({ length: frame.rows }, (_, row) => row);
  const isIdle = rows.map((row) => Number(kinds[row] === ROW_KINDS.idle));
  const nameOf = (row: number): string => {
    spendHeap(ROW_BYTES);
    return isIdle[row] === 1
      ? texts.text(whole[row] ?? 0)
      : parts.map(({ codes, read }) => read(texts.text(codes[row] ?? 0))).join('/');
  };
  return {
    names: rows.map(nameOf),
    isIdle,
    resources: rows.map((row) => resourceKey(texts.text(providerIds[row] ?? 0))),
    ofNode: Array.from(sumOf(table, OF_NODE)),
    others: Array.from(sumOf(table, OTHERS)),
    sharedIdle: Array.from(sumOf(table, SHARED_IDLE)),
  };
}

/** `kind:name` of a controller as the name alone. */
export function bareName(key: AggregateKey): (text: string) => string {
  const isController = key.kind === 'property' && key.property === 'controller';
  return isController ? (text) => text.slice(text.indexOf(':') + 1) : (text) => text;
}
