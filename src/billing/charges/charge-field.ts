/**
 * Fields of a charge, which is a row of a bill, to filter and to group by. A charge has texts by column
 * (billing/focus/columns.ts), a label for each of its tags, and numbers: its time [startMs, endMs) and
 * its costs.
 */
import { textColumn, type Table, type TextColumn } from '../../columnar/index.ts';
import {
  labelValues,
  parseLabels,
  storeName,
  type FieldCells,
  type FilterField,
} from '../../query/index.ts';

export type ChargeField = FilterField & FieldCells;

/** A field that is its column. @param column where its name differs */
export function plainField(name: string, column: string = name): ChargeField {
  return { name, column, texts: (cell) => [cell] };
}

/** A field like `plainField`, compared without regard to case. */
export function foldedField(name: string, column: string = name): ChargeField {
  return { name, column, texts: (cell) => [cell.toLowerCase()], isFolded: true };
}

/** Tags: `label[app]`. Either spelling of a name is accepted, `app.io/x` and `app_io_x`. */
export const LABEL_FIELD: ChargeField = {
  name: 'label',
  isMap: true,
  column: 'tags',
  texts: (cell, name) =>
    name === null ? Array.from(parseLabels(cell).keys(), storeName) : labelValues(cell, name),
};

/** The location of a charge: its zone, or else its region. Made of two columns. */
export const ZONE = 'zone';
const ZONE_COLUMNS = ['availabilityZone', 'regionID'] as const;

/** The stored columns that columns of a charge are made of. */
export function storedColumns(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => (name === ZONE ? ZONE_COLUMNS : [name])))];
}

/** A column of texts by name. */
export function chargeColumn(table: Table, name: string): TextColumn {
  if (name !== ZONE) return textColumn(table, name);
  const [zones, regions] = ZONE_COLUMNS.map((column) => textColumn(table, column));
  if (zones === undefined || regions === undefined) throw new Error('BUG: a zone of two columns');
  const text = (code: number): string =>
    code < zones.texts.size ? zones.texts.text(code) : regions.texts.text(code - zones.texts.size);
  const isZone = Array.from(
    { length: zones.texts.size },
    (_, code) => zones.texts.text(code) !== '',
  );
  return {
    codes: zones.codes.map((zone, row) =>
      isZone[zone] === true ? zone : zones.texts.size + (regions.codes[row] ?? 0),
    ),
    texts: { size: zones.texts.size + regions.texts.size, text },
  };
}
