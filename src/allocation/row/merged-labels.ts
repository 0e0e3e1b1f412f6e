/** Label names that a metrics store would have merged: `a-b` and `a_b` are the same to queries. */
import { numbersOf, textColumn, type Table } from '../../columnar/index.ts';
import { parseLabels, storeName } from '../../query/index.ts';

const COLUMNS = ['labels', 'annotations'] as const;
/** How many names a warning lists. */
const SHOWN = 5;

/** A sentence for each kind of name that rows of the table spell in several ways. */
export function mergedLabels(table: Table): string[] {
  return COLUMNS.flatMap((column) => {
    const merged = [...spellings(table, column)].filter((names) => names.size > 1);
    if (merged.length === 0) return [];
    const shown = merged.slice(0, SHOWN).map((names) => [...names].toSorted().join(' and '));
    const others = merged.length > SHOWN ? `, and ${merged.length - SHOWN} more` : '';
    return [
      `${column} ${shown.join(', ')}${others} differ only in characters that metrics stores write as _: ` +
        'a query by one of them finds them all',
    ];
  });
}

function spellings(table: Table, column: string): Iterable<ReadonlySet<string>> {
  const byName = new Map<string, Set<string>>();
  numbersOf(textColumn(table, column), (json) => {
    for (const name of parseLabels(json).keys()) {
      const stored = storeName(name);
      byName.set(stored, (byName.get(stored) ?? new Set()).add(name));
    }
    return 0;
  });
  return byName.values();
}
