/** The distinct values of a field of assets. */
import type { Table } from '../columnar/index.ts';
import type { FieldQuery, Filter } from '../query/index.ts';
import { ASSET_COLUMNS } from './columns.ts';
import { ASSET_FIELDS, assetColumn } from './fields.ts';
import { select } from './groups.ts';

/** Which values are requested: plain data, sent to workers. */
export interface AssetValues extends FieldQuery {
  /** In lower case; '' is in all. */
  readonly search: string;
  readonly filter: Filter | null;
}

/** The columns that are read: filters look at texts only. */
export const VALUE_COLUMNS: readonly string[] = ASSET_COLUMNS.texts;

export function valuesIn(table: Table, { field, name, search, filter }: AssetValues): string[] {
  const of = ASSET_FIELDS.find((each) => each.name === field);
  if (!of) throw new Error(`BUG: assets have no field ${field}`);
  const rows = filter === null ? null : select(table, filter);
  const { codes, texts } = assetColumn(table, of.column);
  const cells = new Set<number>();
  codes.forEach((code, row) => {
    if (rows === null || rows.has(row)) cells.add(code);
  });
  // Fields in any case are compared in lower case, and listed as they are.
  const values = [...cells].flatMap((code) => {
    const cell = texts.text(code);
    return of.isMap === true ? of.texts(cell, name) : [cell];
  });
  return values.filter((value) => value !== '' && value.toLowerCase().includes(search));
}
