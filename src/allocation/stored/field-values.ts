/** The distinct values of a field: in all rows of a set, or in those that a filter matches. */
import { labelValues } from '../../query/index.ts';
import { spendHeap, type RowSet, type Table, type TextColumn } from '../../columnar/index.ts';
import type { ValuesQuery } from '../params/autocomplete-params.ts';
import { ALLOCATION_FIELDS, type FieldSource } from '../row/filter-fields.ts';
import { IDLE } from '../row/row-kinds.ts';
import { select, withoutLabel } from '../row/select.ts';
import { columnsOfField, columnsOfFilter } from '../query/stored-columns.ts';

/**
 * The only column that has to be read.
 * @returns undefined: rows decide which texts count
 */
export function onlyColumn(request: ValuesQuery): string | undefined {
  const source = sourceOf(request);
  return request.filter === null && 'column' in source ? source.column : undefined;
}

/** Columns that `valuesInRows` looks at. */
export function columnsOfValues({ field, filter }: ValuesQuery): readonly string[] {
  return [...columnsOfField(field), ...(filter === null ? [] : columnsOfFilter(filter))];
}

/** @param texts of the column that `onlyColumn` named */
export function valuesInTexts(texts: Iterable<string>, request: ValuesQuery): string[] {
  const source = sourceOf(request);
  if (!('column' in source)) throw new Error(`BUG: ${request.field} is of two columns`);
  return firstOf(
    valuesOf(texts, (cell) => (source.values ?? source.texts)(cell, request.name)),
    request,
  );
}

export function valuesInRows(table: Table, request: ValuesQuery): string[] {
  const rows = request.filter === null ? null : select(table, request.filter);
  const source = sourceOf(request);
  if ('label' in source) return firstOf(labelOrAnnotation(table, source.label, rows), request);
  const cells = cellsOf(table.text(source.column), rows);
  return firstOf(
    valuesOf(cells, (cell) => (source.values ?? source.texts)(cell, request.name)),
    request,
  );
}

function sourceOf({ field }: ValuesQuery): FieldSource {
  const found = ALLOCATION_FIELDS.find(({ name }) => name === field);
  if (!found) throw new Error(`BUG: allocations have no field ${field}`);
  return found.source;
}

/** The annotation counts where there is no label, as where rows are filtered and grouped. */
function labelOrAnnotation(table: Table, label: string, rows: RowSet | null): Set<string> {
  const unlabelled = select(table, withoutLabel(label));
  if (rows) unlabelled.and(rows);
  const read = (cell: string): readonly string[] => labelValues(cell, label);
  const labels = valuesOf(cellsOf(table.text('labels'), rows), read);
  return new Set([...labels, ...valuesOf(cellsOf(table.text('annotations'), unlabelled), read)]);
}

/** Heap that a value takes. */
const VALUE_BYTES = 64;

function valuesOf(
  cells: Iterable<string>,
  texts: (cell: string) => readonly string[],
): Set<string> {
  const values = new Set<string>();
  for (const cell of cells) {
    for (const text of texts(cell)) {
      values.add(text);
      spendHeap(VALUE_BYTES);
    }
  }
  return values;
}

/** The different texts that rows have; null: all rows. */
function cellsOf(column: TextColumn | undefined, rows: RowSet | null): string[] {
  if (column === undefined) return [];
  const { codes, texts } = column;
  const isUsed = new Uint8Array(texts.size);
  for (let row = 0; row < codes.length; row++) {
    if (rows === null || rows.has(row)) isUsed[codes[row] ?? 0] = 1;
  }
  const cells: string[] = [];
  isUsed.forEach((used, code) => {
    if (used === 1) cells.push(texts.text(code));
  });
  return cells;
}

/**
 * The first values in order. For several sets, the first of all are among the first of each. Missing
 * texts are no values, nor is idle: a filter that names it matches no workload.
 * @param values each once
 */
export function firstOf(
  values: Iterable<string>,
  { search, limit }: Pick<ValuesQuery, 'search' | 'limit'>,
): string[] {
  // Of many values few are among the first: the others are not sorted.
  const first: string[] = [];
  for (const value of values) {
    if (first.length === limit && value >= (first.at(-1) ?? '')) continue;
    if (value === '' || value === IDLE || !value.toLowerCase().includes(search)) continue;
    first.splice(placeIn(first, value), 0, value);
    if (first.length > limit) first.pop();
  }
  return first;
}

/** Where it belongs among texts in order. */
function placeIn(ordered: readonly string[], text: string): number {
  let from = 0;
  let to = ordered.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ordered[middle] ?? '') < text) from = middle + 1;
    else to = middle;
  }
  return from;
}
