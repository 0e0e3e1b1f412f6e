/** What a question asks of a store that adds up rows where they are. */
import { UNALLOCATED, type Filter } from '../../query/index.ts';
import type { Condition, Reduction } from '../../storage/index.ts';
import { ALLOCATION_FIELDS } from '../row/filter-fields.ts';
import { EXTERNAL, IDLE, UNMOUNTED } from '../row/row-kinds.ts';
import {
  END_SOURCES,
  IDENTITY_COLUMNS,
  MEASURES,
  PAID_COLUMNS,
  PRICE_SOURCE,
} from '../row/schema.ts';
import type { SetQuery } from '../query/set-query.ts';
import { reductionOf } from './reduction-of.ts';

const SUMS: ReadonlySet<string> = foldedBy('sum');
const GREATEST: ReadonlySet<string> = new Set([...foldedBy('max'), 'endMs', 'endUncertaintyMs']);
const LEAST: ReadonlySet<string> = new Set(['startMs']);
const EACH: ReadonlySet<string> = new Set(PAID_COLUMNS);
const ALIKE: ReadonlySet<string> = new Set([...IDENTITY_COLUMNS, 'services']);

function foldedBy(fold: 'sum' | 'max'): Set<string> {
  return new Set(MEASURES.filter((each) => each.fold === fold).map(({ column }) => column));
}

/** @returns undefined where the rows themselves are needed */
export function storeReduction(query: SetQuery, columns: readonly string[]): Reduction | undefined {
  // What a filter leaves of idle is nothing where there is none.
  const isOfIdle = query.filter !== null && query.idle;
  const reduction = reductionOf(isOfIdle ? { ...query, idle: false } : query);
  if ('because' in reduction) return undefined;
  const { apart, idleApart } = reduction;
  const others = columns.filter((name) => !apart.includes(name));
  const of = (known: ReadonlySet<string>): string[] => others.filter((name) => known.has(name));
  const own = {
    sums: of(SUMS),
    greatest: of(GREATEST),
    least: of(LEAST),
    alike: of(ALIKE),
    alikeWhereKnown: others.filter((name) => name === PRICE_SOURCE),
    each: of(EACH),
  };
  const ends = others.filter((name) => name === 'endSource');
  if (Object.values(own).flat().length + ends.length < others.length) return undefined;
  const lastEnd = END_SOURCES.length - 1;
  return {
    ...own,
    apart,
    apartWhere: [
      { column: 'container', texts: [IDLE, UNMOUNTED, EXTERNAL] },
      { column: 'container', texts: [IDLE], by: idleApart },
    ],
    ranked: ends.map((column) => ({ column, order: END_SOURCES, ofEmpty: lastEnd })),
    only: query.filter === null ? [] : conditionsOf(query.filter),
    without: isOfIdle ? { column: 'container', text: IDLE } : null,
  };
}

/** Parts of the filter that whole texts of a column decide: all rows that it selects meet them. */
function conditionsOf(filter: Filter): Condition[] {
  if (filter.kind === 'all') return filter.parts.flatMap(conditionsOf);
  if (filter.kind !== 'comparison' || filter.operator !== 'equals') return [];
  const { field, values, isNegated } = filter;
  const source = ALLOCATION_FIELDS.find(({ name }) => name === field)?.source;
  if (source === undefined || !('column' in source) || !PLAIN.has(source.column)) return [];
  const texts = values.map((value) => (value === UNALLOCATED ? '' : value));
  return [{ column: source.column, texts, isNegated }];
}

/** Columns whose cells are compared as they are. */
const PLAIN: ReadonlySet<string> = new Set(
  IDENTITY_COLUMNS.filter((name) => name !== 'controllerKind' && name !== 'providerID'),
);
