/**
 * Rows of a set that a filter means. A row's field has texts: one, or as many as it has services,
 * labels or annotations of that name. What it has none of is the empty text, so that
 *
 * - `__unallocated__` (and `""` with `:`) means rows that have no such field, with every operator;
 * - `*` alone, and an empty text with `~:`, `<~:`, `~>:`, means every row;
 * - a negated comparison means all rows but those it would mean otherwise: rows without the field
 *   are among them.
 *
 * Case matters in values, except in kinds of controllers. Idle, unmounted and external rows are rows
 * as others: a filter sees the identity they have (container `__idle__`, a cluster, perhaps a node),
 * and who wants them told apart does so before.
 */
import { RowSet, rowsWhere, type Table } from '../columnar/index.ts';
import {
  allOf,
  anyOf,
  complement,
  textTest,
  type Comparison,
  type Filter,
} from '../query/index.ts';
import { ALLOCATION_FIELDS, type AllocationField } from './filter-fields.ts';
import { UNALLOCATED } from './label-properties.ts';

const FIELDS: ReadonlyMap<string, AllocationField> = new Map(
  ALLOCATION_FIELDS.map((field) => [field.name, field]),
);

/**
 * Each different text is read once; rows are told by codes, 32 at a time.
 *
 * @param filter of ALLOCATION_FIELDS
 * @returns a new set, which the caller may change
 */
export function select(table: Table, filter: Filter): RowSet {
  if (filter.kind === 'comparison') return selectComparison(table, filter);
  const [first, ...rest] = filter.parts.map((part) => select(table, part));
  if (first === undefined) throw new Error('BUG: a combination of nothing');
  for (const rows of rest) {
    if (filter.kind === 'all') first.and(rows);
    else first.or(rows);
  }
  return first;
}

function selectComparison(table: Table, comparison: Comparison): RowSet {
  const source = FIELDS.get(comparison.field)?.source;
  if (source === undefined) throw new Error(`BUG: allocations have no field ${comparison.field}`);
  if ('label' in source) return select(table, labelOrAnnotation(comparison, source.label));
  const test = valueTest(comparison, source.isFolded ?? false);
  const accepts = (cell: string): boolean => {
    const texts = source.texts(cell, comparison.name);
    return (texts.length === 0 ? test('') : texts.some(test)) !== comparison.isNegated;
  };
  const column = table.text(source.column);
  if (column) return rowsWhere(column, accepts);
  const none = new RowSet(table.rows);
  return accepts('') ? none.addAll() : none;
}

function valueTest(comparison: Comparison, isFolded: boolean): (text: string) => boolean {
  const asked = comparison.values.filter((value) => value !== UNALLOCATED);
  const values = isFolded ? asked.map((value) => value.toLowerCase()) : asked;
  const isMissingMeant = asked.length < comparison.values.length;
  const test = values.length === 0 ? () => false : textTest(comparison.operator, values);
  return isMissingMeant ? (text) => text === '' || test(text) : test;
}

/** The annotation counts where there is no label, as where rows are grouped. */
function labelOrAnnotation(comparison: Comparison, name: string): Filter {
  const { values, operator } = comparison;
  const label: Comparison = {
    kind: 'comparison',
    field: 'label',
    name,
    operator,
    isNegated: false,
    values,
  };
  const noLabel: Comparison = { ...label, operator: 'equals', values: [''] };
  const either = anyOf([
    allOf([complement(noLabel), label]),
    allOf([noLabel, { ...label, field: 'annotation' }]),
  ]);
  return comparison.isNegated ? complement(either) : either;
}
