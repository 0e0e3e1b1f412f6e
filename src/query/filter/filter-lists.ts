/**
 * Filters with a parameter for each field: comma lists of alternatives, blanks around items and empty
 * items ignored. A `*` at the end of an item stands for any rest; nothing else is special.
 */
import { storeName } from './aggregate.ts';
import { refuse } from '../fault.ts';
import { allOf, anyOf, type Comparison, type Filter } from './filter.ts';
import { listItems } from '../text/words.ts';

/** `a,b*`: the field is a, or starts with b. @returns null without items: everything */
export function listFilter(text: string, field: string): Filter | null {
  return anyItem(text, (item) => compare(field, null, item));
}

/**
 * `app:web,team:data*`: any of the names of a map has such a value. The value begins after the first
 * colon and may have further ones.
 *
 * @throws Fault naming the parameter and the item that has no name or no value
 */
export function pairsFilter(text: string, parameter: string, field: string): Filter | null {
  return anyItem(text, (item) => {
    const colon = item.indexOf(':');
    const name = item.slice(0, Math.max(0, colon)).trim();
    const value = item.slice(colon + 1).trim();
    if (name === '' || value === '') {
      throw refuse(parameter, item, 'of the form name:value', 'app:web,team:data*');
    }
    return compare(field, storeName(name), value);
  });
}

/**
 * `web,deployment:api*`: names, or kinds and names.
 *
 * @throws Fault naming the parameter and the item that has a colon but no kind or no name
 */
export function controllersFilter(
  text: string,
  parameter: string,
  fields: { readonly kind: string; readonly name: string },
): Filter | null {
  const byKind = new Map<string | null, Filter[]>();
  for (const item of listItems(text)) {
    const [kind, name] = splitController(item, parameter);
    const names = byKind.get(kind) ?? [];
    names.push(compare(fields.name, null, name));
    byKind.set(kind, names);
  }
  const parts = [...byKind].map(([kind, names]) =>
    kind === null ? anyOf(names) : allOf([equal(fields.kind, null, kind), anyOf(names)]),
  );
  return parts.length === 0 ? null : anyOf(parts);
}

function splitController(item: string, parameter: string): [kind: string | null, name: string] {
  const colon = item.indexOf(':');
  if (colon < 0) return [null, item];
  const [kind, name] = [item.slice(0, colon).trim(), item.slice(colon + 1).trim()];
  if (kind !== '' && name !== '') return [kind, name];
  throw refuse(parameter, item, 'a name or kind:name', 'web,deployment:api*');
}

function anyItem(text: string, read: (item: string) => Filter): Filter | null {
  const items = listItems(text);
  return items.length === 0 ? null : anyOf(items.map(read));
}

function compare(field: string, name: string | null, item: string): Comparison {
  if (!item.endsWith('*')) return equal(field, name, item);
  return { ...equal(field, name, item.slice(0, -1)), operator: 'startsWith' };
}

function equal(field: string, name: string | null, value: string): Comparison {
  return { kind: 'comparison', field, name, operator: 'equals', isNegated: false, values: [value] };
}
