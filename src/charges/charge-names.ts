/** What groups of charges are called: values of their keys, joined by `/`. */
import { numbersOf, type DictionaryBuilder, type Table } from '../columnar/index.ts';
import { labelValues, UNALLOCATED } from '../query/index.ts';
import { chargeColumn, type ChargeField } from './charge-field.ts';
import type { ChargeKey } from './charge-keys.ts';

/**
 * Codes of names, one a row: `name=value` for a label, `__unallocated__` for what a charge has not.
 * @param keys one or more
 */
export function nameCharges(
  table: Table,
  keys: readonly ChargeKey[],
  fields: ReadonlyMap<string, ChargeField>,
  texts: DictionaryBuilder,
): Uint32Array {
  const parts = keys.map((key) => partColumn(table, key, fields, texts));
  const [first = new Uint32Array(table.rows), ...rest] = parts;
  return rest.reduce((lefts, rights) => joinPairs(lefts, rights, texts), first);
}

function partColumn(
  table: Table,
  { field, label }: ChargeKey,
  fields: ReadonlyMap<string, ChargeField>,
  texts: DictionaryBuilder,
): Uint32Array {
  const known = fields.get(field);
  if (known === undefined) throw new Error(`BUG: charges have no field ${field}`);
  return numbersOf(chargeColumn(table, known.column), (cell) => {
    if (label === null) return texts.code(cell || UNALLOCATED);
    const [value] = labelValues(cell, label);
    return texts.code(value ? `${label}=${value}` : UNALLOCATED);
  });
}

/** Each different pair is joined once. */
function joinPairs(lefts: Uint32Array, rights: Uint32Array, texts: DictionaryBuilder): Uint32Array {
  const pairs = new Map<number, number>();
  return lefts.map((left, row) => {
    const right = rights[row] ?? 0;
    const pair = left * 2 ** 26 + right;
    const known = pairs.get(pair) ?? texts.code(`${texts.text(left)}/${texts.text(right)}`);
    pairs.set(pair, known);
    return known;
  });
}
