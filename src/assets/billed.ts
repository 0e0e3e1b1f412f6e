/** Assets with what a bill says that they cost. */
import { numbersOf, textColumn, type Table } from '../columnar/index.ts';
import { resourceKey, type Window } from '../query/index.ts';

/** What a bill can tell of. */
export interface Billable {
  readonly type: string;
  readonly providerId: string;
  /** USD, by the prices of the set. */
  readonly cost: number;
}

/** USD; null where no bill tells of it. */
type Billed<Asset> = Omit<Asset, 'billed'> & { readonly billed: number | null };

/**
 * Columns that are read of a bill's lines. What a resource costs is its effective cost: what was paid
 * ahead counts when it is used.
 */
export const LINE_COLUMNS: readonly string[] = [
  'providerID',
  'category',
  'startMs',
  'endMs',
  'effectiveCost',
];

/** The category of FOCUS that a machine's traffic has, where it is billed under the machine's id. */
const TRAFFIC = 'networking';

/** Numbers for what a line is about. */
const [NOT_OURS, MACHINE_COST, TRAFFIC_COST] = [0, 1, 2];

interface Sums {
  lines: number;
  usd: number;
  trafficLines: number;
  trafficUsd: number;
}

/**
 * A line that reaches beyond the window counts by the part of its time that lies in it. What is
 * billed for the traffic of a node is a network of that node.
 * @param lines of the bill
 * @returns the assets, `billed` where a line names them, and networks that only the bill knows
 */
export function withBilled<Asset extends Billable>(
  assets: readonly Asset[],
  lines: Iterable<Table>,
  window: Window,
): Billed<Asset>[] {
  const byKey = new Map<string, Sums>();
  for (const { providerId } of assets) {
    const key = resourceKey(providerId);
    if (key !== '') byKey.set(key, { lines: 0, usd: 0, trafficLines: 0, trafficUsd: 0 });
  }
  const found = [...byKey.values()];
  const places = new Map([...byKey.keys()].map((key, i) => [key, i + 1]));
  for (const table of lines) addLines(table, window, places, found);
  const shares = sharesOf(assets);
  return assets.flatMap((asset, i) => {
    const sums = byKey.get(resourceKey(asset.providerId));
    if (!sums) return [{ ...asset, billed: null }];
    const share = shares[i] ?? 0;
    if (asset.type !== 'Node') {
      const isBilled = sums.lines + sums.trafficLines > 0;
      return [{ ...asset, billed: isBilled ? share * (sums.usd + sums.trafficUsd) : null }];
    }
    const node = { ...asset, billed: sums.lines > 0 ? share * sums.usd : null };
    if (sums.trafficLines === 0) return [node];
    return [node, { ...asset, type: 'Network', cost: 0, billed: share * sums.trafficUsd }];
  });
}

function addLines(
  table: Table,
  { startMs, endMs }: Window,
  places: ReadonlyMap<string, number>,
  found: readonly Sums[],
): void {
  const resources = numbersOf(textColumn(table, 'providerID'), (id) => places.get(resourceKey(id)) ?? NOT_OURS); // prettier-ignore
  const kinds = numbersOf(textColumn(table, 'category'), (category) =>
    category.trim().toLowerCase() === TRAFFIC ? TRAFFIC_COST : MACHINE_COST,
  );
  const [starts, ends, costs] = ['startMs', 'endMs', 'effectiveCost'].map(
    (name) => table.numbers(name)?.values,
  );
  for (let row = 0; row < table.rows; row++) {
    const sums = found[(resources[row] ?? NOT_OURS) - 1];
    if (!sums) continue;
    const [fromMs, toMs] = [starts?.[row] ?? 0, ends?.[row] ?? 0];
    const part = partWithin(fromMs, toMs, startMs, endMs);
    if (part === 0) continue;
    const usd = part * (costs?.[row] ?? 0);
    if (kinds[row] === TRAFFIC_COST) {
      sums.trafficLines++;
      sums.trafficUsd += usd;
    } else {
      sums.lines++;
      sums.usd += usd;
    }
  }
}

/** In [0, 1]; a moment is within or not. */
function partWithin(fromMs: number, toMs: number, startMs: number, endMs: number): number {
  if (toMs <= fromMs) return fromMs >= startMs && fromMs < endMs ? 1 : 0;
  return Math.max(0, Math.min(toMs, endMs) - Math.max(fromMs, startMs)) / (toMs - fromMs);
}

/** Of each asset its part of what its id costs: several of one id share it by their list prices. */
function sharesOf(assets: readonly Billable[]): number[] {
  const sums = new Map<string, { cost: number; count: number }>();
  const keys = assets.map(({ providerId }) => resourceKey(providerId));
  assets.forEach(({ cost }, i) => {
    const sum = sums.get(keys[i] ?? '') ?? { cost: 0, count: 0 };
    sums.set(keys[i] ?? '', { cost: sum.cost + cost, count: sum.count + 1 });
  });
  return assets.map(({ cost }, i) => {
    const sum = sums.get(keys[i] ?? '') ?? { cost: 0, count: 1 };
    return sum.cost > 0 ? cost / sum.cost : 1 / sum.count;
  });
}
