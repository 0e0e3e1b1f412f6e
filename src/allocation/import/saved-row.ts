/** A row of a saved answer, field by field, and how it becomes a row of a set. */
import { HOUR_MS, readTimestamp } from '../../query/index.ts';
import { pairsJson } from '../row/agreed-pairs.ts';
import { EXTERNAL, IDLE, UNMOUNTED } from '../row/row-kinds.ts';
import {
  END_SOURCES,
  IDENTITY_COLUMNS,
  type IdentityColumn,
  MEASURES,
  NAME_PARTS,
  TEXT_COLUMNS,
  type TextColumn,
} from '../row/schema.ts';

/** Averages over the running time that stand for a measure which the row leaves out. */
const AVERAGES: Readonly<Partial<Record<string, string>>> = {
  cpuCoreHours: 'cpuCores',
  cpuCoreRequestHours: 'cpuCoreRequestAverage',
  cpuCoreUsageHours: 'cpuCoreUsageAverage',
  gpuHours: 'gpuCount',
  gpuRequestHours: 'gpuRequestAverage',
  gpuUsageHours: 'gpuUsageAverage',
  pvByteHours: 'pvBytes',
  ramByteHours: 'ramBytes',
  ramByteRequestHours: 'ramByteRequestAverage',
  ramByteUsageHours: 'ramByteUsageAverage',
};

/** Numbers that are read of a row. */
export const SAVED_NUMBERS: readonly string[] = [
  ...MEASURES.flatMap(({ column }) => [column, AVERAGES[column] ?? column]),
  'minutes',
  'totalCost',
  'endUncertaintySeconds',
];

/** One disk that a row pays for. */
export interface SavedVolume {
  readonly key: string;
  readonly numbers: Map<string, number>;
  providerID: string;
}

/** One load balancer that a row pays for. */
export interface SavedBalancer {
  readonly key: string;
  readonly numbers: Map<string, number>;
  readonly texts: Map<string, string>;
}

/** The fields of a row read so far. Fields that are absent or null are not in the maps. */
export class SavedRow {
  readonly key: string;
  readonly numbers: Map<string, number> = new Map();
  readonly texts: Map<string, string> = new Map();
  readonly pairs: Map<TextColumn, Map<string, string>> = new Map();
  readonly services: Set<string> = new Set();
  readonly volumes: SavedVolume[] = [];
  readonly balancers: SavedBalancer[] = [];

  constructor(key: string) {
    this.key = key;
  }

  get name(): string {
    return this.texts.get('name') ?? this.key;
  }
}

/** The row as columns have it. */
export interface SetRow {
  readonly texts: ReadonlyMap<string, string>;
  readonly numbers: ReadonlyMap<string, number>;
  readonly windowStartMs: number;
  readonly windowEndMs: number;
}

/** @throws {SavedRowFault} naming the field */
export function setRow(row: SavedRow): SetRow {
  const windowStartMs = time(row, 'windowStart');
  const windowEndMs = time(row, 'windowEnd');
  const startMs = row.texts.has('start') ? time(row, 'start') : windowStartMs;
  const endMs = row.texts.has('end') ? time(row, 'end') : endByMinutes(row, startMs, windowEndMs);
  if (windowEndMs <= windowStartMs) throw new SavedRowFault('window', 'ends before it starts');
  if (endMs < startMs) throw new SavedRowFault('end', 'is before start');
  const numbers = new Map([
    ['startMs', startMs],
    ['endMs', endMs],
    ['endUncertaintyMs', (row.numbers.get('endUncertaintySeconds') ?? 0) * 1000],
  ]);
  const hours = (endMs - startMs) / HOUR_MS;
  for (const { column } of MEASURES) numbers.set(column, measure(row, column, hours));
  return { texts: textsOf(row), numbers, windowStartMs, windowEndMs };
}

/** Something of a row that cannot be. */
export class SavedRowFault extends Error {
  readonly field: string;
  constructor(field: string, what: string) {
    super(what);
    this.field = field;
  }
}

function measure({ numbers, volumes }: SavedRow, column: string, hours: number): number {
  const own = numbers.get(column);
  if (own !== undefined) return own;
  const average = numbers.get(AVERAGES[column] ?? '');
  if (average !== undefined) return average * hours;
  const ofVolume = OF_VOLUMES[column];
  if (ofVolume === undefined) return 0;
  return volumes.reduce((sum, volume) => sum + (volume.numbers.get(ofVolume) ?? 0), 0);
}

/** Sums over a row's volumes, where it does not give the sum. */
const OF_VOLUMES: Readonly<Partial<Record<string, string>>> = {
  pvByteHours: 'byteHours',
  pvCost: 'cost',
  pvCostAdjustment: 'adjustment',
};

const TIMES: Readonly<Record<string, string>> = { windowStart: 'window', windowEnd: 'window' };

function time({ texts }: SavedRow, field: string): number {
  const text = texts.get(field) ?? '';
  const ms = readTimestamp(text);
  if (ms !== undefined) return ms;
  const what = text === '' ? 'is missing' : `holds '${text}'`;
  throw new SavedRowFault(TIMES[field] ?? field, `${what}, not times such as 2026-01-14T00:00:00Z`);
}

function endByMinutes(row: SavedRow, startMs: number, windowEndMs: number): number {
  const minutes = row.numbers.get('minutes');
  return minutes === undefined ? windowEndMs : startMs + minutes * 60_000;
}

function textsOf(row: SavedRow): Map<string, string> {
  const texts = new Map<string, string>();
  const identity = identityOf(row);
  for (const name of IDENTITY_COLUMNS) texts.set(name, identity.get(name) ?? '');
  for (const name of TEXT_COLUMNS) texts.set(name, sortedJson(row.pairs.get(name) ?? new Map()));
  const services = [...row.services].toSorted();
  texts.set('services', services.length === 0 ? '' : JSON.stringify(services));
  texts.set('pvs', volumesJson(row.volumes));
  texts.set('lbAllocations', balancersJson(row.balancers));
  // Rows without a source know ends by samples.
  const endSource = row.texts.get('endSource') ?? 'lastSample';
  if (!END_SOURCES.some((source) => source === endSource)) {
    throw new SavedRowFault('endSource', `is '${endSource}', not one of ${END_SOURCES.join(', ')}`);
  }
  return texts.set('endSource', endSource);
}

/** Rows that stand for no container, by the last part of their name. */
const SPECIAL: readonly string[] = [IDLE, UNMOUNTED, EXTERNAL];

/**
 * The properties; where a row has none, the parts of a name that is not aggregated; and of idle rows
 * the place before `/__idle__`.
 */
function identityOf(row: SavedRow): Map<IdentityColumn, string> {
  const identity = new Map<IdentityColumn, string>();
  const parts = row.name.split('/');
  const special = SPECIAL.find((name) => parts.includes(name));
  const isNamed = IDENTITY_COLUMNS.some((name) => row.texts.has(name));
  const places =
    special === IDLE ? parts.slice(0, -1) : parts.length === NAME_PARTS.length ? parts : [];
  if (!isNamed) places.forEach((part, i) => identity.set(NAME_PARTS[i] ?? 'cluster', part));
  for (const name of IDENTITY_COLUMNS) {
    const text = row.texts.get(name);
    if (text !== undefined) identity.set(name, text);
  }
  // Answers whose provider ids are short tell the whole beside them.
  const whole = row.texts.get('providerIDFull');
  if (whole !== undefined) identity.set('providerID', whole);
  if (special !== undefined) identity.set('container', special);
  return identity;
}

function sortedJson(pairs: ReadonlyMap<string, string>): string {
  return pairsJson(new Map([...pairs].toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

function volumesJson(volumes: readonly SavedVolume[]): string {
  const members = volumes.map(({ key, numbers, providerID }) => {
    const number = (name: string): string => JSON.stringify(numbers.get(name) ?? 0);
    return (
      `${JSON.stringify(key)}:{"byteHours":${number('byteHours')},"cost":${number('cost')},` +
      `"providerID":${JSON.stringify(providerID)},"adjustment":${number('adjustment')}}`
    );
  });
  return members.length === 0 ? '' : `{${members.join(',')}}`;
}

function balancersJson(balancers: readonly SavedBalancer[]): string {
  const members = balancers.map(({ key, numbers, texts }) => {
    const text = (name: string): string => texts.get(name) ?? '';
    const balancer = {
      service: text('service'),
      cost: numbers.get('cost') ?? 0,
      private: text('private') === 'true',
      ip: text('ip'),
    };
    return `${JSON.stringify(key)}:${JSON.stringify(balancer)}`;
  });
  return members.length === 0 ? '' : `{${members.join(',')}}`;
}
