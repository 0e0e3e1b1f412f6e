/** A filter as the text that filter-parse.ts reads. */
import type { Comparison, Filter, Operator } from './filter.ts';

/** The symbol of each operator; a `!` before it negates. */
export const OPERATORS: readonly (readonly [symbol: string, operator: Operator])[] = [
  ['<~:', 'startsWith'],
  ['~>:', 'endsWith'],
  ['~:', 'contains'],
  [':', 'equals'],
];

/** The canonical text of a filter: values quoted, parentheses only where they are needed. */
export function formatFilter(filter: Filter): string {
  if (filter.kind === 'comparison') return formatComparison(filter);
  const parts = filter.parts.map((part) =>
    part.kind === 'comparison' ? formatComparison(part) : `(${formatFilter(part)})`,
  );
  return parts.join(filter.kind === 'all' ? '+' : '|');
}

function formatComparison({ field, name, operator, isNegated, values }: Comparison): string {
  const [symbol] = OPERATORS.find((row) => row[1] === operator) ?? [':'];
  const key = name === null ? field : `${field}[${name}]`;
  return `${key}${isNegated ? '!' : ''}${symbol}${values.map(quoted).join(',')}`;
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
