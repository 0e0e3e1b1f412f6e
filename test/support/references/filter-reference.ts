/** Whether a filter means an allocation: one row at a time, straight from the sentences of select.ts. */
import { storeName, type Comparison, type Filter } from '../../../src/query/index.ts';

/** A row as objects; what is not there is unknown. */
export interface PlainRow {
  readonly texts: ReadonlyMap<string, string>;
  readonly services: readonly string[];
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
}

const LABELS: ReadonlyMap<string, string> = new Map([
  ['department', 'department'],
  ['environment', 'env'],
  ['owner', 'owner'],
  ['product', 'app'],
  ['team', 'team'],
]);

export function means(filter: Filter, row: PlainRow): boolean {
  if (filter.kind !== 'comparison') {
    const parts = filter.parts.map((part) => means(part, row));
    return filter.kind === 'all' ? !parts.includes(false) : parts.includes(true);
  }
  const texts = textsOf(filter, row);
  const isMeant = (texts.length === 0 ? [''] : texts).some((text) =>
    filter.values.some((value) => meets(filter, text, value)),
  );
  return isMeant !== filter.isNegated;
}

function meets({ field, operator }: Comparison, text: string, value: string): boolean {
  if (value === '__unallocated__') return text === '';
  const wanted = field === 'controllerKind' ? value.toLowerCase() : value;
  switch (operator) {
    case 'equals':
      return text === wanted;
    case 'contains':
      return text.includes(wanted);
    case 'startsWith':
      return text.startsWith(wanted);
    case 'endsWith':
      return text.endsWith(wanted);
  }
}

function textsOf({ field, name }: Comparison, row: PlainRow): string[] {
  const label = LABELS.get(field);
  if (label !== undefined) return [row.labels.get(label) || row.annotations.get(label) || ''];
  if (field === 'services') return [...row.services];
  if (field === 'label') return ofMap(row.labels, name);
  if (field === 'annotation') return ofMap(row.annotations, name);
  const text = row.texts.get(field === 'controllerName' ? 'controller' : field) ?? '';
  return [field === 'controllerKind' ? text.toLowerCase() : text];
}

function ofMap(map: ReadonlyMap<string, string>, name: string | null): string[] {
  const pairs = [...map].map(([key, value]) => [storeName(key), value] as const);
  if (name === null) return pairs.map(([key]) => key);
  return pairs.filter(([key]) => key === name).map(([, value]) => value);
}
