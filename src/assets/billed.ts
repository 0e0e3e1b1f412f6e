/** Assets with the charges of a bill for them. */
import {
  numberReader,
  numbersOf,
  spendHeap,
  textColumn,
  textReader,
  type Table,
} from '../columnar/index.ts';
import {
  balancersBeside,
  overlapMs,
  partWithin,
  resourceKey,
  scaleSetOf,
  sharedKey,
  type BilledCosts,
  type Window,
} from '../query/index.ts';

/** An asset that a bill can charge for. */
export interface Billable {
  readonly type: string;
  readonly cluster: string;
  readonly providerId: string;
  readonly startMs: number;
  readonly endMs: number;
  /** '' where it is not known or has none, as the following. */
  readonly nodeType: string;
  readonly region: string;
  readonly storageClass: string;
  readonly isSpot: boolean;
  /** A PriceSource. */
  readonly priceSource: string;
  /** USD, by the prices of the set. */
  readonly cost: number;
}

/** Columns of assets that are read. */
export const BILLABLE_COLUMNS: readonly string[] = [
  'type',
  'cluster',
  'providerID',
  'startMs',
  'endMs',
  'nodeType',
  'region',
  'storageClass',
  'preemptible',
  'priceSource',
  'cost',
];

/** @param table columns as BILLABLE_COLUMNS */
export function billableReader(table: Table): (row: number) => Billable {
  const [type, providerId] = [textReader(table, 'type'), textReader(table, 'providerID')];
  const cluster = textReader(table, 'cluster');
  const [nodeType, region] = [textReader(table, 'nodeType'), textReader(table, 'region')];
  const [storageClass, priceSource] = [textReader(table, 'storageClass'), textReader(table, 'priceSource')]; // prettier-ignore
  const [startMs, endMs] = [numberReader(table, 'startMs'), numberReader(table, 'endMs')];
  const [preemptible, cost] = [numberReader(table, 'preemptible'), numberReader(table, 'cost')];
  return (row) => ({
    type: type(row),
    cluster: cluster(row),
    providerId: providerId(row),
    startMs: startMs(row),
    endMs: endMs(row),
    nodeType: nodeType(row),
    region: region(row),
    storageClass: storageClass(row),
    isSpot: preemptible(row) === 1,
    priceSource: priceSource(row),
    cost: cost(row),
  });
}

/** Heap that one asset takes; with its charge it takes that twice. */
const ASSET_BYTES = 500;

/** All rows of a table, copied out of it. @param table columns as BILLABLE_COLUMNS @throws {HeapFull} */
export function billables(table: Table): Billable[] {
  const read = billableReader(table);
  return Array.from({ length: table.rows }, (_, row) => {
    spendHeap(ASSET_BYTES);
    return read(row);
  });
}

export type Billed<Asset> = Omit<Asset, 'billed' | 'isEstimated'> & {
  /** USD; null where no bill charges for it. */
  readonly billed: number | null;
  /** A part of it is by a bill of days before. */
  readonly isEstimated: boolean;
};

/** The assets of one set with their charges. */
export interface BilledSet<Asset extends Billable> {
  readonly assets: readonly (Asset & Billed<Asset>)[];
  /** When the last line of its window ends; -Infinity without lines. Unix ms */
  readonly billedUntilMs: number;
}

/**
 * The columns of a bill's lines that are read. A resource costs its effective cost: what was paid
 * ahead counts when it is used.
 */
export const LINE_COLUMNS: readonly string[] = [
  'providerID',
  'category',
  'startMs',
  'endMs',
  'effectiveCost',
];

/** FOCUS category of a machine's traffic where it is charged under the machine's id. */
const TRAFFIC = 'networking';

/** The assets of one set. */
export interface AssetsOf<Asset extends Billable> {
  readonly window: Window;
  readonly assets: readonly Asset[];
  /** The day of an hour, so that charges of the day count in hours in which there was something to charge. */
  readonly day?: Lives | undefined;
}

/** From when to when each resource was there, in a window. */
export interface Lives {
  readonly window: Window;
  readonly byResource: ReadonlyMap<string, Window>;
}

export const LIFE_COLUMNS: readonly string[] = ['providerID', 'startMs', 'endMs'];

/** Whether a window is a part of a longer one. */
export function isPart(one: Window, other: Window): boolean {
  return (
    one.startMs >= other.startMs &&
    one.endMs <= other.endMs &&
    one.endMs - one.startMs < other.endMs - other.startMs
  );
}

/** @param table columns as LIFE_COLUMNS */
export function livesIn(table: Table, window: Window): Lives {
  const id = textReader(table, 'providerID');
  const [start, end] = [numberReader(table, 'startMs'), numberReader(table, 'endMs')];
  const byResource = new Map<string, Window>();
  for (let row = 0; row < table.rows; row++) {
    const own = resourceKey(id(row));
    for (const key of [own, scaleSetOf(own)]) {
      if (key === '') continue;
      const known = byResource.get(key);
      if (!known) spendHeap(LIFE_BYTES);
      byResource.set(key, {
        startMs: Math.min(known?.startMs ?? Infinity, start(row)),
        endMs: Math.max(known?.endMs ?? -Infinity, end(row)),
      });
    }
  }
  return { window, byResource };
}

/** Heap that the life of a resource takes. */
const LIFE_BYTES = 200;

/** Fields of a sum by resource and set: lines and USD of the machine, then of its traffic. */
const [LINES, USD, TRAFFIC_LINES, TRAFFIC_USD, FIELDS] = [0, 1, 2, 3, 4];

/**
 * A line that reaches beyond the window counts by the part of its time within it. Charges for a node's
 * traffic become a network of that node.
 * @param lines of the bill
 * @returns the assets, `billed` where a line names them, and networks that only the bill knows
 */
export function withBilled<Asset extends Billable>(
  assets: readonly Asset[],
  lines: Iterable<Table>,
  window: Window,
): BilledSet<Asset> {
  const [set] = setsWithBilled([{ assets, window }], lines);
  return set ?? { assets: [], billedUntilMs: -Infinity };
}

/**
 * The same for several sets with different windows.
 * @param lines of the bill, read once
 * @returns the assets of each set
 */
export function setsWithBilled<Asset extends Billable>(
  sets: readonly AssetsOf<Asset>[],
  lines: Iterable<Table>,
): BilledSet<Asset>[] {
  const places = new Map<string, number>();
  const placeOf = (key: string): number => {
    if (key !== '' && !places.has(key)) places.set(key, places.size);
    return places.get(key) ?? -1;
  };
  const keys = sets.map(({ assets }) =>
    assets.map(({ providerId }) => placeOf(resourceKey(providerId))),
  );
  const shared = sets.map(({ assets }) => sharedKeys(assets).map(placeOf));
  const spans = sets.map(({ window, day }): Span => ({
    window,
    day: day && {
      window: day.window,
      lives: [...places.keys()].map((key) => day.byResource.get(key)),
    },
  }));
  const found = new Float64Array(places.size * sets.length * FIELDS);
  const untilMs = new Float64Array(sets.length).fill(-Infinity);
  for (const table of lines) addLines(table, spans, places, { sums: found, untilMs });
  return sets.map(({ assets }, set) => {
    const sumsAt = (place: number): Float64Array => {
      const at = (place * sets.length + set) * FIELDS;
      return place < 0 ? NO_SUMS : found.subarray(at, at + FIELDS);
    };
    const own = partsOf(assets, keys[set] ?? [], sumsAt);
    const among = partsOf(bearers(assets, shared[set] ?? [], own), shared[set] ?? [], sumsAt);
    const billed = assets.flatMap((asset, i) => {
      const [mine = NO_SUMS, others = NO_SUMS] = [own[i], among[i]];
      return billedAsset(
        asset,
        mine.map((value, field) => value + (others[field] ?? 0)),
      );
    });
    return { assets: billed, billedUntilMs: untilMs[set] ?? -Infinity };
  });
}

function billedAsset<Asset extends Billable>(
  asset: Asset,
  sums: Float64Array,
): (Asset & Billed<Asset>)[] {
  const isEstimated = false;
  const of = (field: number): number => sums[field] ?? 0;
  if (asset.type !== 'Node') {
    const isBilled = of(LINES) + of(TRAFFIC_LINES) > 0;
    const usd = of(USD) + of(TRAFFIC_USD);
    return [{ ...asset, billed: isBilled ? usd : null, isEstimated }];
  }
  const node = { ...asset, billed: of(LINES) > 0 ? of(USD) : null, isEstimated };
  if (of(TRAFFIC_LINES) === 0) return [node];
  const traffic = { type: 'Network', cost: 0, billed: of(TRAFFIC_USD), isEstimated };
  return [node, { ...asset, ...traffic }];
}

const NO_SUMS = new Float64Array(FIELDS);

interface NamedCost {
  readonly type: string;
  readonly cluster: string;
  readonly name: string;
  readonly cost: number;
  readonly billed: number | null;
}

/** @param concerned assets that warnings are about, as `Type/cluster/name` */
export function billedCosts(
  assets: readonly NamedCost[],
  concerned: ReadonlySet<string>,
): BilledCosts {
  const costs: Record<string, [listed: number, billed: number]> = {};
  if (concerned.size === 0) return costs;
  for (const { type, cluster, name, cost, billed } of assets) {
    const key = `${type}/${cluster}/${name}`;
    if (!concerned.has(key)) continue;
    const own = (costs[key] ??= [0, 0]);
    own[0] += cost;
    own[1] += billed ?? cost;
  }
  return costs;
}

/** Keys of lines that several assets share, by asset; '' for none. */
function sharedKeys(assets: readonly Billable[]): string[] {
  const balancers = new Map<string, string>();
  for (const { type, cluster, providerId } of assets) {
    const key = type === 'Node' ? balancersBeside(resourceKey(providerId)) : '';
    if (key !== '' && !balancers.has(cluster)) balancers.set(cluster, key);
  }
  return assets.map(({ type, cluster, providerId }) => {
    if (type === 'Node') return scaleSetOf(resourceKey(providerId));
    return type === 'LoadBalancer' ? (balancers.get(cluster) ?? '') : '';
  });
}

/**
 * Those who bear shared lines: where some assets of a key have lines of their own, the others are not billed yet,
 * and a part of what is shared would not be their cost.
 */
function bearers(
  assets: readonly Billable[],
  keys: readonly number[],
  own: readonly Float64Array[],
): (Billable | undefined)[] {
  const isBilled = (i: number): boolean => (own[i]?.[LINES] ?? 0) > 0;
  const some = new Set(keys.filter((_, i) => isBilled(i)));
  return assets.map((asset, i) => (some.has(keys[i] ?? -1) && !isBilled(i) ? undefined : asset));
}

/** Each asset's part of the sums for its key, by list price. @param assets undefined: it has none */
function partsOf(
  assets: readonly (Billable | undefined)[],
  keys: readonly number[],
  sumsAt: (place: number) => Float64Array,
): Float64Array[] {
  const totals = new Map<number, { cost: number; count: number }>();
  assets.forEach((asset, i) => {
    if (asset === undefined) return;
    const key = keys[i] ?? -1;
    const total = totals.get(key) ?? { cost: 0, count: 0 };
    totals.set(key, { cost: total.cost + asset.cost, count: total.count + 1 });
  });
  return assets.map((asset, i) => {
    const key = keys[i] ?? -1;
    if (asset === undefined || key < 0) return NO_SUMS;
    const total = totals.get(key) ?? { cost: 0, count: 1 };
    const share = total.cost > 0 ? asset.cost / total.cost : 1 / total.count;
    const isMoney = (field: number): boolean => field === USD || field === TRAFFIC_USD;
    return sumsAt(key).map((value, field) => (isMoney(field) ? share * value : value));
  });
}

/** The window of a set, and the day that it is an hour of, with lives by place. */
interface Span {
  readonly window: Window;
  readonly day:
    | { readonly window: Window; readonly lives: readonly (Window | undefined)[] }
    | undefined;
}

/** The part of a charge that is the window's: by time, or by the time in which its resource was there. */
function partIn({ window, day }: Span, place: number, fromMs: number, toMs: number): number {
  const part = partWithin(fromMs, toMs, window);
  const life = day?.lives[place];
  if (!day || !life || part === 0 || part === 1) return part;
  const [startMs, endMs] = [Math.max(fromMs, life.startMs), Math.min(toMs, life.endMs)];
  const ofDayMs = overlapMs(startMs, endMs, day.window);
  if (ofDayMs === 0) return part;
  return (partWithin(fromMs, toMs, day.window) * overlapMs(startMs, endMs, window)) / ofDayMs;
}

interface Found {
  /** By place, set and field. */
  readonly sums: Float64Array;
  /** When the last line of each set ends. */
  readonly untilMs: Float64Array;
}

/** A resource that an asset has for itself, else one that several share. */
function placeName(id: string, places: ReadonlyMap<string, number>): string {
  const key = resourceKey(id);
  return places.has(key) ? key : sharedKey(key);
}

function addLines(
  table: Table,
  spans: readonly Span[],
  places: ReadonlyMap<string, number>,
  { sums, untilMs }: Found,
): void {
  const ids = textColumn(table, 'providerID');
  const resources = numbersOf(ids, (id) => (places.get(placeName(id, places)) ?? -1) + 1);
  const offsets = numbersOf(textColumn(table, 'category'), (category) =>
    category.trim().toLowerCase() === TRAFFIC ? TRAFFIC_LINES : LINES,
  );
  const [starts, ends, costs] = ['startMs', 'endMs', 'effectiveCost'].map(
    (name) => table.numbers(name)?.values,
  );
  for (let row = 0; row < table.rows; row++) {
    const resource = resources[row] ?? 0;
    if (resource === 0) continue;
    const [fromMs, toMs] = [starts?.[row] ?? 0, ends?.[row] ?? 0];
    for (let set = 0; set < spans.length; set++) {
      const span = spans[set];
      const part = span === undefined ? 0 : partIn(span, resource - 1, fromMs, toMs);
      if (part === 0) continue;
      untilMs[set] = Math.max(untilMs[set] ?? -Infinity, toMs);
      const at = ((resource - 1) * spans.length + set) * FIELDS + (offsets[row] ?? 0);
      sums[at] = (sums[at] ?? 0) + 1;
      sums[at + USD] = (sums[at + USD] ?? 0) + part * (costs?.[row] ?? 0);
    }
  }
}
