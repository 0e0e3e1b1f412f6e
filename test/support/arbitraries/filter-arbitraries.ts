/** Random filters, of allocations unless other fields are given, and random texts they often mean. */
import fc from 'fast-check';
import { ALLOCATION_FIELDS } from '../../../src/allocation/row/filter-fields.ts';
import {
  allOf,
  anyOf,
  snakeName,
  storeName,
  type Comparison,
  type Filter,
  type FilterField,
  type Operator,
} from '../../../src/query/index.ts';

/** Few letters, so that values meet texts. */
const short = fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'é', '💰'), maxLength: 3 });

export const texts: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: short },
  { weight: 1, arbitrary: fc.constantFrom('', '__unallocated__', '__idle__', 'constructor') },
);

const NAMES = ['a-b', 'a_b', 'a.b', 'app', 'env', 'team', '__proto__', 'constructor'];
export const labelNames: fc.Arbitrary<string> = fc.constantFrom(...NAMES);

/** @param values texts that values may be */
export function filters(
  values: fc.Arbitrary<string> = texts,
  fields: readonly FilterField[] = ALLOCATION_FIELDS,
): fc.Arbitrary<Filter> {
  const comparison = comparisons(values, fields);
  return fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      comparison,
      fc
        .tuple(fc.boolean(), fc.array(tie('filter'), { minLength: 1, maxLength: 4 }))
        .map(([isAll, parts]) => (isAll ? allOf(parts) : anyOf(parts))),
    ),
  })).filter;
}

function comparisons(
  values: fc.Arbitrary<string>,
  fields: readonly FilterField[],
): fc.Arbitrary<Comparison> {
  return fc
    .record({
      field: fc.constantFrom(...fields),
      name: fc.option(labelNames.map(storeName)),
      operator: fc.constantFrom<Operator>('equals', 'contains', 'startsWith', 'endsWith'),
      isNegated: fc.boolean(),
      values: fc.uniqueArray(values, { minLength: 1, maxLength: 4 }),
    })
    .map(({ field, name, values: typed, ...rest }) => {
      const isOfNames = field.isMap === true && name === null;
      return {
        kind: 'comparison',
        field: field.name,
        name: field.isMap === true ? name : null,
        ...rest,
        values: isOfNames ? spellings(typed) : typed,
      };
    });
}

/** Names as a filter has them: as stores have each, and as kube-state-metrics writes it. */
function spellings(names: readonly string[]): string[] {
  return [...new Set(names.map(storeName).flatMap((name) => [name, snakeName(name)]))];
}
