/**
 * What the rows of an answer must be, worked out from the generator's own rows with plain maps and
 * loops: no code of the server is used, so that its faults cannot be in both.
 */
import { IDLE, type Day, type Pairs, type Row } from './days.ts';

export const AGGREGATES = ['none', 'pod', 'controller', 'namespace', 'label:app'] as const;
export type Aggregate = (typeof AGGREGATES)[number];

export const IDENTITY = [
  'cluster', 'node', 'container', 'controller', 'controllerKind', 'namespace', 'pod', 'providerID',
] as const; // prettier-ignore
type Identity = (typeof IDENTITY)[number];

const OBJECTS = ['labels', 'annotations', 'namespaceLabels', 'namespaceAnnotations'] as const;
type Objects = (typeof OBJECTS)[number];

/** Least sure last. */
export const END_SOURCES: readonly string[] = ['completionTime', 'running', 'staleMarker', 'lastSample']; // prettier-ignore
const MAXIMA: ReadonlySet<string> = new Set(['cpuCoreUsageMax', 'ramByteUsageMax']);

/** A row of an answer. */
export interface Shown {
  readonly name: string;
  /** The parts of the name, a column each in tables. */
  readonly parts: readonly string[];
  readonly isIdle: boolean;
  readonly identity: Readonly<Record<Identity, string>>;
  /** JSON texts, '' for none. */
  readonly objects: Readonly<Record<Objects, string>>;
  readonly services: string;
  readonly pvs: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly endUncertaintyMs: number;
  /** '' where no row has one, `mixed` where they differ. */
  readonly priceSource: string;
  /** A place in END_SOURCES. */
  readonly endSource: number;
  readonly measures: Readonly<Record<string, number>>;
}

/** Properties that an aggregate shows: others are not read. */
const SHOWN_OF: Readonly<Record<Exclude<Aggregate, 'none'>, readonly string[]>> = {
  pod: ['pod', 'node', 'controller', 'controllerKind', 'providerID'],
  controller: ['controller', 'controllerKind'],
  namespace: [],
  'label:app': ['labels'],
};
const SHOWN_ALWAYS: readonly string[] = ['cluster', 'namespace', 'container'];

/** The rows of one set over the days, idle first, then by name. */
export function expectedRows(days: readonly Day[], aggregate: Aggregate): Shown[] {
  const groups = new Map<string, Row[]>();
  for (const { rows } of days) {
    for (const row of rows) {
      // No name of a row begins with the mark.
      const key = row.container === IDLE ? '\u0000idle' : partsOf(row, aggregate).join('/');
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [row]);
      else group.push(row);
    }
  }
  const shown = [...groups.values()].map((rows) => shownOf(rows, aggregate));
  return shown.sort((a, b) => Number(b.isIdle) - Number(a.isIdle) || (a.name < b.name ? -1 : 1));
}

function partsOf(row: Row, aggregate: Aggregate): string[] {
  switch (aggregate) {
    case 'none':
      return [row.cluster, row.node, row.namespace, row.pod, row.container];
    case 'pod':
    case 'namespace':
      return [row[aggregate] || '__unallocated__'];
    case 'controller': {
      const { controller, controllerKind } = row;
      if (controller === '') return ['__unallocated__'];
      return [controllerKind === '' ? controller : `${controllerKind}:${controller}`];
    }
    case 'label:app': {
      const app = new Map(row.labels).get('app') ?? '';
      return [app === '' ? '__unallocated__' : `app=${app}`];
    }
  }
}

function shownOf(rows: readonly Row[], aggregate: Aggregate): Shown {
  const [first] = rows;
  if (first === undefined) throw new Error('BUG: a group without rows');
  const isIdle = first.container === IDLE;
  const parts = partsOf(first, aggregate);
  const isShown = (name: string): boolean =>
    aggregate === 'none' || SHOWN_ALWAYS.includes(name) || SHOWN_OF[aggregate].includes(name);
  const common = (name: string, textOf: (row: Row) => string): string =>
    isShown(name) ? same(rows.map(textOf)) : '';
  const pairs = (name: Objects): string =>
    isShown(name) && name !== 'namespaceAnnotations'
      ? commonPairs(rows.map((row) => row[name]))
      : '';
  return {
    name: isIdle ? IDLE : parts.join('/'),
    parts: isIdle ? parts.map((_, i) => (i === 0 ? IDLE : '')) : parts,
    isIdle,
    identity: record(IDENTITY, (name) => common(name, (row) => row[name])),
    objects: record(OBJECTS, pairs),
    services: common('services', (row) => listJson(row.services)),
    pvs: summedPvs(rows),
    startMs: rows.reduce((least, row) => Math.min(least, row.startMs), Infinity),
    endMs: rows.reduce((most, row) => Math.max(most, row.endMs), -Infinity),
    endUncertaintyMs: rows.reduce((most, row) => Math.max(most, row.endUncertaintyMs), 0),
    priceSource: sourceOf(rows),
    endSource: rows.reduce((most, row) => Math.max(most, END_SOURCES.indexOf(row.endSource)), 0),
    measures: foldedMeasures(rows),
  };
}

/** The members of all rows, of one key added up, in the order of keys. */
function summedPvs(rows: readonly Row[]): string {
  const texts = rows.map(({ pvs }) => pvs).filter((text) => text !== '');
  if (texts.length < 2) return texts[0] ?? '';
  const sums = new Map<string, Record<string, number>>();
  for (const text of texts) {
    for (const [key, volume] of Object.entries(JSON.parse(text) as Volumes)) {
      const sum = sums.get(key) ?? {};
      for (const [name, value] of Object.entries(volume)) sum[name] = (sum[name] ?? 0) + value;
      sums.set(key, sum);
    }
  }
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted));
}

type Volumes = Readonly<Record<string, Readonly<Record<string, number>>>>;

function sourceOf(rows: readonly Row[]): string {
  const known = rows.map(({ priceSource }) => priceSource).filter((source) => source !== '');
  return known.length === 0 ? '' : same(known) || 'mixed';
}

/** The sums are exact, as the generator's numbers are multiples of one grain. */
function foldedMeasures(rows: readonly Row[]): Readonly<Record<string, number>> {
  const [first, ...others] = rows.map(({ measures }) => measures);
  const folded: Record<string, number> = { ...first };
  for (const measures of others) {
    for (const name in measures) {
      const [known, value] = [folded[name] ?? 0, measures[name] ?? 0];
      folded[name] = MAXIMA.has(name) ? Math.max(known, value) : known + value;
    }
  }
  return folded;
}

function record<Name extends string>(
  names: readonly Name[],
  of: (name: Name) => string,
): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, string>;
}

function same(values: readonly string[]): string {
  const [first = ''] = values;
  return values.every((value) => value === first) ? first : '';
}

function commonPairs(all: readonly Pairs[]): string {
  const [first = [], ...others] = all;
  const maps = others.map((pairs) => new Map(pairs));
  const kept = first.filter(([name, value]) => maps.every((map) => map.get(name) === value));
  return kept.length === 0 ? '' : JSON.stringify(Object.fromEntries(kept));
}

function listJson(list: readonly string[]): string {
  return list.length === 0 ? '' : JSON.stringify(list);
}
