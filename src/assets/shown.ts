/** A group of assets as JSON and CSV; the order of members is that of core/pkg/opencost/asset_json.go. */
import { csvLine, csvNumber, csvText, timestamp, windowOf } from '../export/index.ts';
import { HOUR_MS, MINUTE_MS, shortProviderId, type Window } from '../query/index.ts';
import type { AssetGroup } from './groups.ts';

/** Properties that are shown where they are known. */
const PROPERTIES = [
  'category',
  'provider',
  'account',
  'project',
  'service',
  'cluster',
  'name',
  'providerID',
] as const;

type JsonMembers = Readonly<Record<string, unknown>>;

/** Writes the groups of one set, each as `"key":{…}`. */
export function assetWriter(window: Window): (group: AssetGroup, key?: string) => string {
  const moment = remembered(timestamp);
  const inWindow = `"window":${JSON.stringify(windowOf(window))}`;
  return (group, key = group.name) => {
    const about = { type: group.texts.type, properties: propertiesOf(group) };
    const numbers = {
      minutes: minutesOf(group),
      ...OF_TYPE[about.type]?.(group),
      adjustment: group.sums.adjustment,
      totalCost: group.totalCost,
    };
    const times = `"start":"${moment(group.startMs)}","end":"${moment(group.endMs)}"`;
    return (
      `${JSON.stringify(key)}:${JSON.stringify(about).slice(0, -1)},` +
      `"labels":${group.labels || '{}'},${inWindow},${times},${JSON.stringify(numbers).slice(1)}`
    );
  };
}

/**
 * Members of `data`, as in the topline of allocations:
 * `"numResults":N,"combined":{"assets":{"total":{…}},"window":{…}}`.
 * @param results the number of groups
 * @param total of all groups
 */
export function toplineText(results: number, total: AssetGroup, window: Window): string {
  return (
    `"numResults":${results},"combined":{"assets":{${assetWriter(window)(total, 'total')}},` +
    `"window":${JSON.stringify(windowOf(window))}}`
  );
}

function propertiesOf({ texts }: AssetGroup): JsonMembers {
  const known: Record<string, string> = {};
  for (const name of PROPERTIES) if (texts[name] !== '') known[name] = texts[name];
  if (texts.providerID !== '') {
    known['providerID'] = shortProviderId(texts.providerID);
    known['providerIDFull'] = texts.providerID;
  }
  return known;
}

/** Remembers texts of moments: most assets start and end with the window. */
function remembered(text: (ms: number) => string): (ms: number) => string {
  const known = new Map<number, string>();
  return (ms) => {
    const found = known.get(ms) ?? text(ms);
    if (known.size < 1000) known.set(ms, found);
    return found;
  };
}

function minutesOf({ startMs, endMs }: AssetGroup): number {
  return (endMs - startMs) / MINUTE_MS;
}

/** The average amount, from amount × hours. */
function average({ startMs, endMs }: AssetGroup, amountHours: number): number {
  return endMs > startMs ? amountHours / ((endMs - startMs) / HOUR_MS) : 0;
}

/** Members that only one type has. */
const OF_TYPE: Readonly<Record<string, (group: AssetGroup) => JsonMembers>> = {
  Node: nodeMembers,
  Disk: diskMembers,
  LoadBalancer: ({ texts }) => ({ ip: texts.address }),
};

/** Costs are before discounts: (cpuCost + ramCost) × (1 - discount) + gpuCost + adjustment = totalCost. */
function nodeMembers(group: AssetGroup): JsonMembers {
  const { texts, sums, listed } = group;
  return {
    nodeType: texts.nodeType,
    region: texts.region,
    cpuCores: average(group, sums.cpuCoreHours),
    ramBytes: average(group, sums.ramByteHours),
    cpuCoreHours: sums.cpuCoreHours,
    ramByteHours: sums.ramByteHours,
    GPUHours: sums.gpuHours,
    gpuCount: average(group, sums.gpuHours),
    cpuBreakdown: breakdown(sums.cpuCoreHours, sums.cpuCoreUsageHours, sums.cpuCoreSystemHours),
    ramBreakdown: breakdown(sums.ramByteHours, sums.ramByteUsageHours, sums.ramByteSystemHours),
    preemptible: group.preemptible.value,
    discount: group.discount.value,
    priceSource: texts.priceSource || null,
    cpuCost: listed.cpuCost,
    gpuCost: sums.gpuCost,
    ramCost: listed.ramCost,
  };
}

/** Parts of the capacity, from amounts × hours. Usage outside of containers counts as idle. */
function breakdown(capacity: number, used: number, ofSystem: number): JsonMembers {
  if (capacity <= 0) return { idle: 0, other: 0, system: 0, user: 0 };
  const [system, user] = [ofSystem / capacity, (used - ofSystem) / capacity];
  return { idle: Math.max(0, 1 - used / capacity), other: 0, system, user };
}

function diskMembers(group: AssetGroup): JsonMembers {
  const { texts, sums } = group;
  return {
    byteHours: sums.byteHours,
    bytes: average(group, sums.byteHours),
    local: group.isAttached.value,
    storageClass: texts.storageClass,
    volumeName: texts.volume,
    claimName: texts.claim,
    claimNamespace: texts.claimNamespace,
  };
}

/** The columns of the CSV, each with its cell. */
const CSV: readonly (readonly [name: string, cell: (group: AssetGroup) => string])[] = [
  ['Name', ({ name }) => csvText(name)],
  ['Type', ({ texts }) => csvText(texts.type)],
  ...PROPERTIES.filter((name) => name !== 'name').map(
    (name) =>
      [
        name[0]?.toUpperCase() + name.slice(1),
        ({ texts }: AssetGroup) => csvText(texts[name]),
      ] as const,
  ),
  ['Start', ({ startMs }) => timestamp(startMs)],
  ['End', ({ endMs }) => timestamp(endMs)],
  ['Minutes', (group) => csvNumber(minutesOf(group))],
  ['CPU', ({ listed }) => csvNumber(listed.cpuCost)],
  ['GPU', ({ sums }) => csvNumber(sums.gpuCost)],
  ['RAM', ({ listed }) => csvNumber(listed.ramCost)],
  ['Discount', ({ discount }) => csvNumber(discount.value)],
  ['Adjustment', ({ sums }) => csvNumber(sums.adjustment)],
  ['Total', ({ totalCost }) => csvNumber(totalCost)],
];

export const CSV_HEADER: string = csvLine(CSV.map(([name]) => name));

export function assetCsv(group: AssetGroup): string {
  return csvLine(CSV.map(([, cell]) => cell(group)));
}
