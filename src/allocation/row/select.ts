/**
 * Rows of a set that a filter matches, by query/select-rows.ts. Idle, unmounted and external rows are
 * matched by their identity (container `__idle__`, a cluster, perhaps a node) like all others.
 */
import type { RowSet, Table } from '../../columnar/index.ts';
import {
  allOf,
  anyOf,
  compareRows,
  complement,
  selectRows,
  type Comparison,
  type Filter,
} from '../../query/index.ts';
import { ALLOCATION_FIELDS, type AllocationField } from './filter-fields.ts';

const FIELDS: ReadonlyMap<string, AllocationField> = new Map(
  ALLOCATION_FIELDS.map((field) => [field.name, field]),
);

/**
 * @param filter of ALLOCATION_FIELDS
 * @returns a new set, which the caller may change
 */
export function select(table: Table, filter: Filter): RowSet {
  return selectRows(filter, (comparison) => selectComparison(table, comparison));
}

function selectComparison(table: Table, comparison: Comparison): RowSet {
  const source = FIELDS.get(comparison.field)?.source;
  if (source === undefined) throw new Error(`BUG: allocations have no field ${comparison.field}`);
  if ('label' in source) return select(table, labelOrAnnotation(comparison, source.label));
  return compareRows(table, comparison, source);
}

/** Rows that lack a label. */
export function withoutLabel(name: string): Comparison {
  return {
    kind: 'comparison',
    field: 'label',
    name,
    operator: 'equals',
    isNegated: false,
    values: [''],
  };
}

/** The annotation counts where there is no label, as where rows are grouped. */
function labelOrAnnotation(comparison: Comparison, name: string): Filter {
  const { values, operator } = comparison;
  const noLabel = withoutLabel(name);
  const label: Comparison = { ...noLabel, operator, values };
  const either = anyOf([
    allOf([complement(noLabel), label]),
    allOf([noLabel, { ...label, field: 'annotation' }]),
  ]);
  return comparison.isNegated ? complement(either) : either;
}
