/** The `aggregate` parameter: what rows are grouped by. */
import { type Fault, refuse } from './fault.ts';
import { nearest } from './nearest.ts';

/** Every property a row can be grouped by; an endpoint offers some. */
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
  'deployment',
  'statefulset',
  'daemonset',
  'job',
  'department',
  'environment',
  'owner',
  'product',
  'team',
] as const;

export type Property = (typeof PROPERTIES)[number];

/** What an endpoint may offer: properties, and the two maps, asked for as `label:<name>`. */
export type AggregateName = Property | 'label' | 'annotation';

/** All there are. */
export const AGGREGATE_NAMES: readonly AggregateName[] = [...PROPERTIES, 'label', 'annotation'];

export type AggregateKey =
  | { readonly kind: 'property'; readonly property: Property }
  | { readonly kind: 'label' | 'annotation'; readonly name: string };

/** Shown for rows without the property, and asked for in filters. */
export const UNALLOCATED = '__unallocated__';

/** Each key is a segment of every row's name and a column to group by. */
const MAX_KEYS = 32;

const NAMES: ReadonlyMap<string, AggregateName> = new Map(
  AGGREGATE_NAMES.map((name) => [name.toLowerCase(), name]),
);

/**
 * Reads a comma list such as `namespace,label:app`: names in any case, blanks around items and
 * empty items ignored, repeats dropped, order kept. Label and annotation names are as the metrics
 * store writes them (see `storeName`). Empty and `none` mean not aggregated.
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
    if (key === undefined && text.trim().toLowerCase() === 'none') return [];
    if (key === undefined) throw notOffered(item, allowed);
    keys.set(key.kind === 'property' ? key.property : `${key.kind}:${key.name}`, key);
    if (keys.size > MAX_KEYS) throw tooMany(text);
  }
  return [...keys.values()];
}

/**
 * A label's name as the metrics store has it: all but `[a-zA-Z0-9_]` becomes `_`, so
 * `app.kubernetes.io/name` and `app_kubernetes_io_name` are the same.
 */
export function storeName(label: string): string {
  return label.replace(/[^a-zA-Z0-9_]/g, '_');
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
  const near = nearest(item, allowed);
  const example = near === undefined ? 'namespace,label:app' : isMap(near) ? `${near}:app` : near;
  return refuse('aggregate', item, `one of ${offered.join(', ')}`, example);
}

function isMap(name: string): boolean {
  return name === 'label' || name === 'annotation';
}

function tooMany(text: string): Fault {
  const accepted = `a list of at most ${MAX_KEYS} different keys`;
  return refuse('aggregate', text, accepted, 'cluster,namespace');
}
