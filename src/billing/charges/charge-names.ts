/** Names of groups of charges: values of their keys, joined by `/`. */
import {
  numberPairs,
  numbersIn,
  type DictionaryBuilder,
  type Workspace,
} from '../../columnar/index.ts';
import type { Table } from '../../columnar/index.ts';
import { labelValues, UNALLOCATED } from '../../query/index.ts';
import { chargeColumn, type ChargeField } from './charge-field.ts';
import type { ChargeKey } from './charge-keys.ts';

/** Names by number: charges of one number have one name; two numbers may have the same name. */
export interface ChargeNames {
  /** The number of each row. */
  readonly numbers: Uint32Array;
  /** Numbers are below it. */
  readonly count: number;
  readonly nameOf: (row: number) => string;
}

interface Part {
  readonly codes: Uint32Array;
  /** Codes are below it. */
  readonly count: number;
  /** The text of a code. */
  readonly text: (code: number) => string;
}

/**
 * `name=value` for a label, `__unallocated__` for a value that a charge does not have.
 * @param keys one or more
 * @param texts for values of labels
 */
export function nameCharges(
  space: Workspace,
  table: Table,
  keys: readonly ChargeKey[],
  { fields, texts }: { fields: ReadonlyMap<string, ChargeField>; texts: DictionaryBuilder },
): ChargeNames {
  const parts = keys.map((key): Part => {
    const field = fields.get(key.field);
    if (field === undefined) throw new Error(`BUG: charges have no field ${key.field}`);
    const column = chargeColumn(table, field.column);
    const { label } = key;
    if (label !== null) {
      const codes = numbersIn(space, column, (cell) => texts.code(labelText(cell, label)));
      return { codes, count: texts.size, text: (code) => texts.text(code) };
    }
    const { codes, texts: own } = column;
    return { codes, count: own.size, text: (code) => own.text(code) || UNALLOCATED };
  });
  const [first, ...rest] = parts;
  if (first === undefined) throw new Error('BUG: charges are grouped by nothing');
  let { codes: numbers, count } = first;
  for (const { codes } of rest) {
    const { rows, pairs } = numberPairs(space, numbers, codes);
    numbers = rows;
    count = pairs.length / 2;
  }
  const nameOf = (row: number): string =>
    parts.map(({ codes, text }) => text(codes[row] ?? 0)).join('/');
  return { numbers, count, nameOf };
}

function labelText(cell: string, label: string): string {
  const [value] = labelValues(cell, label);
  return value ? `${label}=${value}` : UNALLOCATED;
}
