/**
 * The billed cost of a node is divided over CPU, RAM and GPU like its list price. The cost of a row
 * changes by the same factor as the cost of the node, for each resource:
 *
 *   billed of r = billed · list of r / Σ list          list of r: by the set's prices
 *   row         = row's list · billed of r / max(list of r, Σ rows' list)
 *   idle        = billed of r − Σ rows
 *
 * So rows and idle add up to the bill. Where rows exceed the node they share the billed cost, and the
 * overage is part of their adjustment. A node without list prices is divided by hours.
 */
import {
  addRated,
  DictionaryBuilder,
  mapCodes,
  numberPairs,
  numbersIn,
  sumPlaces,
  textColumn,
  textReader,
  type Placed,
  type Table,
  type Workspace,
} from '../../columnar/index.ts';
import type { ByResource, ChargedAsset } from './charged-asset.ts';
import { joined } from '../row/joined.ts';
import { nearestInTime } from '../row/nearest-in-time.ts';
import type { PriceSource } from '../../pricing/index.ts';
import { overlayText, type Rewrite } from '../row/overlay.ts';
import { PRICE_SOURCE } from '../row/schema.ts';
import { ROW_KINDS } from '../row/row-kinds.ts';
import type { RowIndex } from './row-index.ts';

const RESOURCES = [
  { cost: 'cpuCost', hours: 'cpuCoreHours', adjustment: 'cpuCostAdjustment' },
  { cost: 'ramCost', hours: 'ramByteHours', adjustment: 'ramCostAdjustment' },
  { cost: 'gpuCost', hours: 'gpuHours', adjustment: 'gpuCostAdjustment' },
] as const;

/** A smaller part of a sum is rounding. */
const ROUNDING = 1e-12;

/** Rows on billed nodes; node i has place i + 1. */
interface NodeRows {
  readonly tenants: Placed;
  readonly idle: readonly { readonly row: number; readonly place: number }[];
}

/**
 * `rewrite` gets the adjustments.
 * @returns says of the rows that the bill priced them
 */
export function reconcileNodes(
  space: Workspace,
  rewrite: Rewrite,
  rows: RowIndex,
  nodes: readonly ChargedAsset[],
): (shown: Table) => Table {
  const on = rowsOn(space, rows, nodes);
  const { table } = rows;
  RESOURCES.forEach((names, resource) => {
    const cost = table.numbers(names.cost);
    const hours = table.numbers(names.hours);
    const rates = ratesOf(nodes, resource, {
      cost: sumPlaces(space, on.tenants, cost),
      hours: sumPlaces(space, on.tenants, hours),
    });
    const adjustments = rewrite.numbers(names.adjustment);
    addRated(space, on.tenants, cost, rates.cost, adjustments);
    addRated(space, on.tenants, hours, rates.hours, adjustments);
    const { values } = adjustments;
    for (const { row, place } of on.idle) {
      values[row] = (values[row] ?? 0) + (rates.left[place] ?? 0) - (cost?.values[row] ?? 0);
      rates.left[place] = 0;
    }
  });
  return (shown) => (shown.text(PRICE_SOURCE) ? withSources(space, shown, on, nodes) : shown);
}

/** Rows on a node that a bill charges for have its price, whatever they had before. */
function withSources(
  space: Workspace,
  shown: Table,
  { tenants, idle }: NodeRows,
  nodes: readonly ChargedAsset[],
): Table {
  const texts = new DictionaryBuilder();
  const known = textColumn(shown, PRICE_SOURCE);
  const codes = numbersIn(space, known, (text) => texts.code(text));
  const [bill, recent] = [
    texts.code('bill' satisfies PriceSource),
    texts.code('recentBill' satisfies PriceSource),
  ];
  const ofPlaces = [0, ...nodes.map(({ isEstimated }) => (isEstimated ? recent : bill))];
  tenants.places.forEach((place, row) => {
    if (place > 0) codes[row] = ofPlaces[place] ?? 0;
  });
  for (const { row, place } of idle) codes[row] = ofPlaces[place] ?? 0;
  const { arena } = space.engine;
  return overlayText(shown, PRICE_SOURCE, { codes, texts: texts.store(arena, space.owner) });
}

function rowsOn(space: Workspace, rows: RowIndex, nodes: readonly ChargedAsset[]): NodeRows {
  const ofNames = new Map<string, number[]>();
  nodes.forEach(({ cluster, node }, i) => {
    const key = joined(cluster, node);
    ofNames.set(key, [...(ofNames.get(key) ?? []), i]);
  });
  const [clusters, names] = [textColumn(rows.table, 'cluster'), textColumn(rows.table, 'node')];
  const numbered = numberPairs(space, clusters.codes, names.codes);
  const { pairs } = numbered;
  const ofPairs = Array.from({ length: pairs.length / 2 }, (_, i): readonly number[] => {
    const cluster = clusters.texts.text(pairs[2 * i] ?? 0);
    return ofNames.get(joined(cluster, names.texts.text(pairs[2 * i + 1] ?? 0))) ?? [];
  });
  const firsts = Uint32Array.from(ofPairs, ([first = NOWHERE]) => first + 1);
  const places = mapCodes(space, numbered.rows, firsts);
  const machineOf = machineReader(rows, nodes);
  places.forEach((place, row) => {
    if (place === 0) return;
    places[row] = machineOf(row, ofPairs[numbered.rows[row] ?? 0] ?? []) + 1;
  });
  const idle = rows
    .ofKind(ROW_KINDS.idle)
    .map((row) => ({ row, place: places[row] ?? 0 }))
    .filter(({ place }) => place > 0);
  for (const kind of [ROW_KINDS.idle, ROW_KINDS.external]) {
    for (const row of rows.ofKind(kind)) places[row] = 0;
  }
  return { tenants: { places, count: nodes.length + 1 }, idle };
}

/**
 * Which of several machines that had one name a row ran on: that of its provider id, else that of its
 * time. A row of another machine, for which there is no bill, is on none of them.
 */
function machineReader(
  { table, lives }: RowIndex,
  nodes: readonly ChargedAsset[],
): (row: number, machines: readonly number[]) => number {
  const idOf = textReader(table, 'providerID');
  return (row, machines) => {
    const id = idOf(row);
    const isOn = (machine: number): boolean => {
      const { providerId = '' } = nodes[machine] ?? {};
      return id === '' || providerId === '' || providerId === id;
    };
    const own = machines.filter(isOn);
    if (own.length < 2) return own[0] ?? NOWHERE;
    const spans = own.flatMap((machine) => nodes[machine] ?? []);
    const [startMs, endMs] = [lives.startsMs[row] ?? 0, lives.endsMs[row] ?? 0];
    return own[nearestInTime(spans, { startMs, endMs })] ?? NOWHERE;
  };
}

const NOWHERE = -1;

interface Rates {
  /** A row's adjustment for each USD of its cost, and for each of its hours. */
  readonly cost: Float64Array;
  readonly hours: Float64Array;
  /** The cost left for idle, USD. */
  readonly left: Float64Array;
}

/** @param used sums of the rows of each node */
function ratesOf(
  nodes: readonly ChargedAsset[],
  resource: number,
  used: { readonly cost: Float64Array; readonly hours: Float64Array },
): Rates {
  const [cost, hours, left] = [0, 1, 2].map(() => new Float64Array(nodes.length + 1));
  if (!cost || !hours || !left) throw new Error('BUG: three is not three');
  nodes.forEach((node, i) => {
    const place = i + 1;
    const isPriced = node.costs.some((usd) => usd > 0);
    const [amount, sum] = isPriced
      ? [node.costs[resource] ?? 0, used.cost[place] ?? 0]
      : [node.hours[resource] ?? 0, used.hours[place] ?? 0];
    const billed = billedOf(node, isPriced)[resource] ?? 0;
    const whole = Math.max(amount, sum);
    const rate = whole > 0 ? billed / whole : 0;
    cost[place] = isPriced ? rate - 1 : -1;
    hours[place] = isPriced ? 0 : rate;
    const rest = billed - sum * rate;
    left[place] = Math.abs(rest) < ROUNDING * Math.abs(billed) ? 0 : rest;
  });
  return { cost, hours, left };
}

/** USD by resource. */
function billedOf({ billed, costs, hours }: ChargedAsset, isPriced: boolean): ByResource {
  const parts: ByResource = isPriced
    ? costs
    : [Math.sign(hours[0]), Math.sign(hours[1]), Math.sign(hours[2])];
  const whole = parts[0] + parts[1] + parts[2];
  const usd = billed ?? 0;
  if (whole === 0) return [usd, 0, 0];
  return [(usd * parts[0]) / whole, (usd * parts[1]) / whole, (usd * parts[2]) / whole];
}
