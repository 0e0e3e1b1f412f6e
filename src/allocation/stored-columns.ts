/** Which columns of a stored set a query reads: reading only these is most of its speed. */
import type { AggregateKey, Filter } from '../query/index.ts';
import { ALLOCATION_FIELDS } from './filter-fields.ts';
import { LABEL_OF } from './label-properties.ts';
import { IDENTITY_COLUMNS, MEASURES, TEXT_COLUMNS } from './schema.ts';
import type { SetQuery } from './set-query.ts';
import type { View } from './view.ts';

/** Of a grouped row, what names it, what it costs and when it ran. */
const ALWAYS: readonly string[] = [
  ...MEASURES.map(({ column }) => column),
  ...IDENTITY_COLUMNS,
  'startMs',
  'endMs',
  'endSource',
  'endUncertaintyMs',
];

/** Labels that organisations name costs by may be annotations. */
const OF_ALIAS: readonly string[] = ['labels', 'annotations'];

/**
 * Labels, annotations and services are read for rows that are not aggregated, else only where the
 * query is about them. Summaries do not show them.
 * @returns null: all that the set has
 */
export function columnsNeeded(
  { keys, filter, share }: Pick<SetQuery, 'keys' | 'filter' | 'share'>,
  view: View,
): readonly string[] | null {
  if (keys.length === 0 && view === 'allocations') return null;
  const asked = [
    ...keys.flatMap(columnsOfKey),
    ...[filter, share].flatMap((each) => (each === null ? [] : columnsOfFilter(each))),
  ];
  return [...ALWAYS, ...TEXT_COLUMNS.filter((name) => asked.includes(name))];
}

function columnsOfKey(key: AggregateKey): readonly string[] {
  if (key.kind !== 'property') return [key.kind === 'label' ? 'labels' : 'annotations'];
  if (key.property === 'service') return ['services'];
  return LABEL_OF[key.property] === undefined ? [] : OF_ALIAS;
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
