/** Which columns of a stored set a query reads: reading only these is most of its speed. */
import { LABEL_OF, type AggregateKey, type Filter } from '../../query/index.ts';
import { ALLOCATION_FIELDS } from '../row/filter-fields.ts';
import {
  IDENTITY_COLUMNS,
  type IdentityColumn,
  MEASURES,
  NAME_PARTS,
  PAID_COLUMNS,
  PRICE_SOURCE,
  SAMPLED_BOUNDS,
} from '../row/schema.ts';
import type { SetQuery } from './set-query.ts';

/** How endpoints show stored sets: whole rows, their summaries, or one summary of all. */
export type View = 'allocations' | 'summary' | 'topline';

/** Columns that no grouped row of a stored set shows. */
const NEVER_GROUPED: readonly string[] = SAMPLED_BOUNDS;

/** Columns of every grouped row: costs, times, and what distinguishes idle and external rows. */
const ALWAYS: readonly string[] = [
  ...MEASURES.filter(({ fold }) => fold === 'sum').map(({ column }) => column),
  'startMs',
  'endMs',
  'endSource',
  PRICE_SOURCE,
  'endUncertaintyMs',
  'cluster',
  'namespace',
  'container',
].filter((name) => !NEVER_GROUPED.includes(name));

/** Columns shown with a name, beside its cluster and namespace. */
const SHOWN_WITH: Readonly<Partial<Record<IdentityColumn, readonly IdentityColumn[]>>> = {
  controller: ['controllerKind'],
  node: ['providerID', 'instanceType', 'region', 'zone', 'nodePool'],
  providerID: ['node'],
  pod: ['node', 'controller', 'controllerKind', 'providerID'],
};

/** Labels that organisations name costs by may be annotations. */
const OF_ALIAS: readonly string[] = ['labels', 'annotations'];

/**
 * Rows that are not aggregated need all columns; others only those that the query uses, as most bytes
 * of a set are names of pods and labels. The same query always reads the same columns, so that the
 * properties it shows do not depend on earlier queries.
 * @returns null: all columns of the set
 */
export function columnsNeeded(
  { keys, filter, share, idleByNode, showsPaid, showsAssetShares }: ColumnsQuery,
  view: View,
): readonly string[] | null {
  if (keys.length === 0 && view === 'allocations') return null;
  const queried = [
    ...(keys.length === 0 ? NAME_PARTS : keys.flatMap(columnsOfKey)),
    ...[filter, share].flatMap((each) => (each === null ? [] : columnsOfFilter(each))),
    ...(idleByNode ? ['node'] : []),
    ...(idleByNode && showsAssetShares ? ['providerID'] : []),
    ...(showsPaid ? PAID_COLUMNS : []),
  ];
  return [...new Set([...ALWAYS, ...queried])];
}

type ColumnsQuery = Pick<
  SetQuery,
  'keys' | 'filter' | 'share' | 'idleByNode' | 'showsPaid' | 'showsAssetShares'
>;

function columnsOfKey(key: AggregateKey): readonly string[] {
  if (key.kind !== 'property') return [key.kind === 'label' ? 'labels' : 'annotations'];
  const { property } = key;
  if (property === 'all') return [];
  if (property === 'service') return ['services'];
  if (LABEL_OF[property] !== undefined) return OF_ALIAS;
  const column = IDENTITY_COLUMNS.find((name) => name === property) ?? 'controller';
  return [column, ...(SHOWN_WITH[column] ?? [])];
}

/** Columns of the fields that a filter compares. */
export function columnsOfFilter(filter: Filter): readonly string[] {
  if (filter.kind !== 'comparison') return filter.parts.flatMap(columnsOfFilter);
  return columnsOfField(filter.field);
}

/** @param name of ALLOCATION_FIELDS */
export function columnsOfField(name: string): readonly string[] {
  const field = ALLOCATION_FIELDS.find((each) => each.name === name);
  if (!field) throw new Error(`BUG: a filter by ${name}`);
  return 'label' in field.source ? OF_ALIAS : [field.source.column];
}
