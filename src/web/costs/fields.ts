/** What rows can be grouped by, how one goes down a level, and the filter that means one row. */
import type { Crumb } from '../url.ts';
import { own } from './own.ts';

/** The way down: what a row of each is made of. */
const LEVELS = ['cluster', 'namespace', 'controller', 'pod', 'container'] as const;

interface AggregateWord {
  readonly field: string;
  readonly says: string;
}

/** What rows can be grouped by; labels and annotations besides. */
export const AGGREGATES: readonly AggregateWord[] = [
  { field: 'cluster', says: 'cluster' },
  { field: 'namespace', says: 'namespace' },
  { field: 'controller', says: 'controller' },
  { field: 'controllerKind', says: 'kind of controller' },
  { field: 'pod', says: 'pod' },
  { field: 'container', says: 'container' },
  { field: 'service', says: 'service' },
  { field: 'node', says: 'node' },
  { field: 'instanceType', says: 'type of node' },
  { field: 'nodePool', says: 'pool of nodes' },
  { field: 'region', says: 'region' },
  { field: 'zone', says: 'zone' },
  { field: 'team', says: 'team' },
  { field: 'department', says: 'department' },
  { field: 'environment', says: 'environment' },
  { field: 'owner', says: 'owner' },
  { field: 'product', says: 'product' },
];

/** What rows are grouped by one level below `field`; undefined: there is none. */
export function levelBelow(field: string): string | undefined {
  const at = (LEVELS as readonly string[]).indexOf(field);
  if (at < 0) return field === 'node' ? 'pod' : 'controller';
  return LEVELS[at + 1];
}

/** Rows that the API makes: nothing is below them. */
const MADE = new Set(['__idle__', '__unmounted__', '__external__']);

export function isMade(name: string): boolean {
  return name.split('/').some((part) => MADE.has(part));
}

export function isIdle(name: string): boolean {
  return name === '__idle__' || name.endsWith('/__idle__');
}

/** Names as people read them. */
export function shownName(name: string): string {
  const said = name.split('/').map((part) => own(SAID, part) ?? part);
  return said.join('/');
}

const KIND = /(^|\/)(?:deployment|statefulset|daemonset|replicaset|cronjob|job):/g;

/** Where there is little room: without the kind of a controller. */
export function shortName(name: string): string {
  return shownName(name).replace(KIND, '$1');
}

const SAID: Readonly<Record<string, string>> = {
  __idle__: 'idle',
  __unmounted__: 'volumes without a pod',
  __external__: 'external',
  __unallocated__: 'none',
};

/**
 * The values of a row that is grouped by several fields.
 * @param firsts names of the first field, which may have slashes
 */
export function valuesOf(
  name: string,
  by: readonly string[],
  firsts: ReadonlySet<string> = new Set(),
): string[] {
  if (by.length < 2) return [name];
  const parts = name.split('/');
  if (parts.length <= by.length) return parts;
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) {
    if (firsts.has(name.slice(0, at))) return [name.slice(0, at), name.slice(at + 1)];
  }
  const [first = '', ...rest] = parts;
  return [first, rest.join('/')];
}

/** In quotes as filters read them. */
export function quoted(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Fields of filters by fields of rows, where they are called differently. */
const FILTERED: Readonly<Record<string, string>> = {
  service: 'services',
  controller: 'controllerName',
};
const KINDS = new Set(['deployment', 'statefulset', 'daemonset', 'job']);

/** The rows of one value of a field, as a filter. */
export function filterOf({ field, value: shown }: Crumb): string {
  const value = shown === '__unallocated__' ? '' : shown;
  const [, kind, name = ''] = /^(label|annotation):(.+)$/.exec(field) ?? [];
  if (kind !== undefined) {
    const rest = value.startsWith(`${name}=`) ? value.slice(name.length + 1) : value;
    return `${kind}[${name}]:${quoted(rest)}`;
  }
  if (field === 'controller') {
    const [, of, rest] = /^([a-zA-Z]+):([^]*)$/.exec(value) ?? [];
    if (of === undefined || rest === undefined) return `controllerName:${quoted(value)}`;
    return `controllerKind:${quoted(of)}+controllerName:${quoted(rest)}`;
  }
  if (KINDS.has(field)) {
    if (value === '') return `controllerKind!:${quoted(field)}`;
    return `controllerKind:${quoted(field)}+controllerName:${quoted(value)}`;
  }
  return `${own(FILTERED, field) ?? field}:${quoted(value)}`;
}

/** Filters that must all be met. */
export function allOf(filters: readonly string[]): string {
  const parts = filters.filter((filter) => filter.trim() !== '');
  if (parts.length < 2) return parts.join('');
  return parts.map((filter) => (/^[^|+() ]*$/.test(filter) ? filter : `(${filter})`)).join('+');
}
