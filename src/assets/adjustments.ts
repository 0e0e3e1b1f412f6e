/** Adjustments: what a bill says assets cost, less what the prices of their set say. */
import { spendHeap, textReader, type Table } from '../columnar/index.ts';
import type { BilledCosts, Window } from '../query/index.ts';
import {
  BILLABLE_COLUMNS,
  billableReader,
  billedCosts,
  withBilled,
  type Billable,
} from './billed.ts';
import { withRecent, type RecentPrices } from './recent-prices.ts';
import { NODE_COSTS } from './columns.ts';

/** Plain data, cached by set and bill. */
export interface Adjustment {
  /** The row of the asset in its set. */
  readonly row: number;
  /** The charge is for a node's traffic, and the set has no network of that node. */
  readonly isTraffic: boolean;
  /** USD: the charge less the cost. */
  readonly usd: number;
}

export interface BillableRow extends Billable {
  readonly row: number;
  /** `cluster\0node` */
  readonly place: string;
  readonly name: string;
}

export interface Adjusting {
  readonly adjustments: readonly Adjustment[];
  readonly concerned: BilledCosts;
}

/** The columns that adjustments are worked out from. */
export const ADJUSTED_COLUMNS: readonly string[] = [
  ...BILLABLE_COLUMNS,
  'name',
  'node',
  ...NODE_COSTS,
];

/** Heap that one row takes; with its charge it takes that twice. */
const ROW_BYTES = 500;

/** Rows copied out of the table, which may then be released. @throws {HeapFull} */
export function billableRows(table: Table): BillableRow[] {
  const [cluster, node] = [textReader(table, 'cluster'), textReader(table, 'node')];
  const name = textReader(table, 'name');
  const read = billableReader(table);
  return Array.from({ length: table.rows }, (_, row) => {
    spendHeap(ROW_BYTES);
    return { row, place: `${cluster(row)}\0${node(row)}`, name: name(row), ...read(row) };
  });
}

/**
 * A charge for a node's traffic adjusts the network of that node, where the set has one.
 * @param lines of a bill, columns as LINE_COLUMNS
 * @param recent prices for times without lines
 * @param concerned assets that warnings are about, as `Type/cluster/name`
 */
export function adjustmentsOf(
  rows: readonly BillableRow[],
  lines: Iterable<Table>,
  window: Window,
  recent: RecentPrices | null = null,
  concerned: readonly string[] = [],
): Adjusting {
  const networks = new Map(
    rows.filter(({ type }) => type === 'Network').map((network) => [network.place, network]),
  );
  const known = withBilled(rows, lines, window);
  const all = recent ? withRecent(known, recent) : known.assets;
  const adjustments = all.flatMap(({ row, place, type, cost, billed }): Adjustment[] => {
    if (billed === null) return [];
    if (type === rows[row]?.type) return [{ row, isTraffic: false, usd: billed - cost }];
    const network = networks.get(place);
    if (!network) return [{ row, isTraffic: true, usd: billed }];
    return [{ row: network.row, isTraffic: false, usd: billed - network.cost }];
  });
  return { adjustments, concerned: billedCosts(all, new Set(concerned)) };
}

/** The table with a column `adjustment`, and beside it networks that only the bill knows. */
export function withAdjustments(table: Table, adjustments: readonly Adjustment[]): Table[] {
  if (adjustments.length === 0) return [table];
  const values = new Float64Array(table.rows);
  for (const { row, usd } of adjustments.filter(({ isTraffic }) => !isTraffic)) values[row] = usd;
  const traffic = adjustments.filter(({ isTraffic }) => isTraffic);
  const adjusted: Table = {
    ...table,
    numbers: (name) => (name === 'adjustment' ? { address: 0, values } : table.numbers(name)),
  };
  return traffic.length === 0 ? [adjusted] : [adjusted, networksOf(table, traffic)];
}

/** Columns that a network takes from its node. */
const OF_NODE: readonly string[] = ['cluster', 'name', 'node', 'provider', 'providerID'];
const TIMES: readonly string[] = ['startMs', 'endMs'];

function networksOf(table: Table, traffic: readonly Adjustment[]): Table {
  const network = { size: 1, text: () => 'Network' };
  return {
    rows: traffic.length,
    text(name) {
      if (name === 'type') return { codes: new Uint32Array(traffic.length), texts: network };
      const column = OF_NODE.includes(name) ? table.text(name) : undefined;
      return (
        column && {
          codes: Uint32Array.from(traffic, ({ row }) => column.codes[row] ?? 0),
          texts: column.texts,
        }
      );
    },
    numbers(name) {
      const of = TIMES.includes(name) ? table.numbers(name)?.values : undefined;
      if (of) return { address: 0, values: Float64Array.from(traffic, ({ row }) => of[row] ?? 0) };
      if (name !== 'adjustment') return undefined;
      return { address: 0, values: Float64Array.from(traffic, ({ usd }) => usd) };
    },
  };
}
