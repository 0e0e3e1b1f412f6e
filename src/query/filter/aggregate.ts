/** The `aggregate` parameter: the keys that rows are grouped by. */
import { type Fault, refuse } from '../fault.ts';
import { nearest } from '../text/nearest.ts';
import { listItems } from '../text/words.ts';

/** All properties that rows can be grouped by; an endpoint offers some of them. */
const PROPERTIES = [
  'cluster',
  'node',
  'namespace',
  'controllerKind',
  'controller',
  'service',
  'pod',
  'container',
  'providerID',
  'instanceType',
  'region',
  'zone',
  'nodePool',
  'deployment',
  'statefulset',
  'daemonset',
  'job',
  'department',
  'environment',
  'owner',
  'product',
  'team',
  'all',
] as const;

export type Property = (typeof PROPERTIES)[number];

/** Names that an endpoint may offer: properties, and two maps, written as `label:<name>`. */
export type AggregateName = Property | 'label' | 'annotation';

/** All names. */
export const AGGREGATE_NAMES: readonly AggregateName[] = [...PROPERTIES, 'label', 'annotation'];

export type AggregateKey =
  | { readonly kind: 'property'; readonly property: Property }
  | { readonly kind: 'label' | 'annotation'; readonly name: string };

/** The name of rows without the property, also accepted in filters. */
export const UNALLOCATED = '__unallocated__';

/** Each key is a segment of all rows' names and a column to group by. */
const MAX_KEYS = 32;

const UNAGGREGATED: ReadonlySet<string> = new Set(['none', 'unaggregated']);

const NAMES: ReadonlyMap<string, AggregateName> = new Map(
  AGGREGATE_NAMES.map((name) => [name.toLowerCase(), name]),
);

/**
 * Reads a comma list such as `namespace,label:app`: names in any case, blanks around items and
 * empty items ignored, repeats dropped, order unchanged. Label and annotation names are as the metrics
 * store writes them (see `storeName`). Empty, `none` and `unaggregated` mean not aggregated;
 * `all` is one row of all.
 *
 * @param allowed what the endpoint offers
 * @throws Fault naming the item that is unknown or not offered, or above 32 keys
 */
export function parseAggregate(text: string, allowed: readonly AggregateName[]): AggregateKey[] {
  const keys = new Map<string, AggregateKey>();
  for (const part of text.split(',')) {
    const item = part.trim();
    if (item === '') continue;
    const key = readKey(item, allowed);
    if (key === undefined && isUnaggregated(text)) return [];
    if (key === undefined) throw notOffered(item, allowed);
    keys.set(key.kind === 'property' ? key.property : `${key.kind}:${key.name}`, key);
    if (keys.size > MAX_KEYS) throw tooMany(text);
  }
  return [...keys.values()];
}

/**
 * A label's name as the metrics store writes it: all but `[a-zA-Z0-9_]` becomes `_`, so
 * `app.kubernetes.io/name` and `app_kubernetes_io_name` are the same.
 */
export function storeName(label: string): string {
  return label.replace(/[^a-zA-Z0-9_]/g, '_');
}

function isUnaggregated(text: string): boolean {
  return listItems(text).every((item) => UNAGGREGATED.has(item.toLowerCase()));
}

function readKey(item: string, allowed: readonly AggregateName[]): AggregateKey | undefined {
  const colon = item.indexOf(':');
  const typed = colon === -1 ? item : item.slice(0, colon).trimEnd();
  const known = NAMES.get(typed.toLowerCase());
  if (known === undefined || !allowed.includes(known)) return undefined;
  const label = colon === -1 ? '' : storeName(item.slice(colon + 1).trim());
  if (known === 'label' || known === 'annotation') {
    return label === '' ? undefined : { kind: known, name: label };
  }
  return colon === -1 ? { kind: 'property', property: known } : undefined;
}

function notOffered(item: string, allowed: readonly AggregateName[]): Fault {
  const offered = allowed.map((name) => (isMap(name) ? `${name}:<name>` : name));
  const [typed = '', name = 'app'] = item.split(':', 2);
  const near = nearest(typed, [...allowed, ...UNAGGREGATED]);
  const meant = near === undefined ? [] : isMap(near) ? `${near}:${name}` : near;
  return refuse('aggregate', item, `one of ${offered.join(', ')}`, 'namespace,label:app', meant);
}

function isMap(name: string): boolean {
  return name === 'label' || name === 'annotation';
}

function tooMany(text: string): Fault {
  const accepted = `a list of at most ${MAX_KEYS} different keys`;
  return refuse('aggregate', text, accepted, 'cluster,namespace');
}
