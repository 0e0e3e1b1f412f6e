/** The keys that assets are grouped by, and the names of the groups. */
import { numbersOf, type DictionaryBuilder, type Table } from '../columnar/index.ts';
import { LABEL_OF, labelValues, listItems, refuse, storeName } from '../query/index.ts';
import { assetColumn } from './fields.ts';

/** A column, or a label: `name=value` in the group's name, or the bare value of a well-known label. */
export type AssetKey =
  | { readonly column: string }
  | { readonly label: string; readonly isBare: boolean };

/** Stands for a part of a name that is not known. */
export const UNDEFINED = '__undefined__';

/** The name of an asset that is not grouped (core/pkg/opencost/asset.go, `key`). */
export const DEFAULT_KEYS: readonly AssetKey[] = [
  'provider',
  'account',
  'project',
  'category',
  'cluster',
  'type',
  'service',
  'providerID',
  'name',
].map((column) => ({ column }));

/** Names of keys in lower case. */
const COLUMNS: ReadonlyMap<string, string> = new Map([
  ...['account', 'category', 'cluster', 'name', 'project', 'provider', 'service', 'type'].map(
    (name) => [name, name] as const,
  ),
  ['providerid', 'providerID'],
  ['assettype', 'type'],
]);
/** Well-known labels of organisations. */
const LABELS: ReadonlyMap<string, string> = new Map(Object.entries(LABEL_OF));
const KEY_NAMES = [...new Set(COLUMNS.values()), ...LABELS.keys(), 'label:<name>'].join(', ');
const KEYS_MAX = 32;

/**
 * Reads a comma list such as `cluster,label:team`: names in any case, blanks and empty items ignored,
 * repeats dropped.
 * @throws {Fault} naming the item that is no key, or too many
 */
export function readKeys(text: string): readonly AssetKey[] {
  const keys = new Map(
    listItems(text).map((item) => {
      const key = readKey(item);
      return [JSON.stringify(key), key] as const;
    }),
  );
  if (keys.size > KEYS_MAX) throw refuse('aggregate', text, `at most ${KEYS_MAX} keys`, 'type');
  return keys.size === 0 ? DEFAULT_KEYS : [...keys.values()];
}

function readKey(item: string): AssetKey {
  const column = COLUMNS.get(item.toLowerCase());
  if (column !== undefined) return { column };
  const known = LABELS.get(item.toLowerCase());
  if (known !== undefined) return { label: known, isBare: true };
  const [, label = ''] = /^label:(.+)$/is.exec(item) ?? [];
  if (label.trim() !== '') return { label: storeName(label.trim()), isBare: false };
  const names = [...COLUMNS.values(), ...LABELS.keys(), 'label:<name>'];
  throw refuse('aggregate', item, `one of ${KEY_NAMES}`, 'cluster,type', names);
}

/** The name of each row's group as codes of `names`: parts joined by `/`. */
export function namesOf(
  table: Table,
  keys: readonly AssetKey[],
  names: DictionaryBuilder,
): Uint32Array {
  const parts = keys.map((key) => partOf(table, key, names));
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return Uint32Array.from({ length: table.rows }, (_, row) =>
    names.code(parts.map((codes) => names.text(codes[row] ?? 0)).join('/')),
  );
}

/** A label is `name=value`, as in allocations. */
function partOf(table: Table, key: AssetKey, names: DictionaryBuilder): Uint32Array {
  if ('column' in key) {
    const { column } = key;
    return numbersOf(assetColumn(table, column), (text) => names.code(text || UNDEFINED));
  }
  const { label, isBare } = key;
  return numbersOf(assetColumn(table, 'labels'), (cell) => {
    const [value = ''] = labelValues(cell, label);
    return names.code(value === '' ? UNDEFINED : isBare ? value : `${label}=${value}`);
  });
}
