/**
 * `sharedCostBreakdown`: how much of a group's shared cost comes from which source, by kind. Amounts
 * are columns of the grouped frame, so that they add up like others; the text is written last.
 */
import { columnSpecs, type ColumnSpec, type Frame } from '../../columnar/index.ts';
import type { GroupedAnew } from './aggregate.ts';
import { SHARE } from './distribute.ts';
import { SHARED_KINDS, type SharedCosts } from './shared-costs.ts';
import { TENANCY_SOURCES } from './share-sources.ts';

/** Column of codes of JSON objects; '' where nothing is shared. */
export const BREAKDOWN = 'sharedCostBreakdown';

const PARTS: readonly string[] = ['totalCost', ...SHARED_KINDS.map(([kind]) => kind)];

/** Columns of a grouped frame: amounts of one source after the other, tenancy costs, and the text. */
export function breakdownColumns(sources: number): ColumnSpec[] {
  const amounts = Array.from({ length: sources }, (_, source) =>
    PARTS.map((part) => columnOf(source, part)),
  );
  const tenancy = TENANCY_SOURCES.map(({ column }) => column);
  return columnSpecs({ texts: [BREAKDOWN], numbers: [SHARE, ...amounts.flat(), ...tenancy] });
}

function columnOf(source: number, part: string): string {
  return `shared:${source}:${part}`;
}

/** Each group's amounts: its fraction of each source. */
export function fillBreakdown({ frame }: GroupedAnew, shared: readonly SharedCosts[]): void {
  const fractions = frame.f64(SHARE);
  shared.forEach(({ total, byKind }, source) => {
    [total, ...byKind].forEach((usd, i) => {
      const column = frame.f64(columnOf(source, PARTS[i] ?? ''));
      for (let row = 0; row < frame.rows; row++) column[row] = (fractions[row] ?? 0) * usd;
    });
  });
}

/** Writes the texts. @param names of the sources, in their order; equal names are added up */
export function writeBreakdown({ frame, texts }: GroupedAnew, names: readonly string[]): void {
  const byName = [
    ...[...new Set(names)].map((name) => ({ name, amounts: amountsOf(frame, names, name) })),
    ...TENANCY_SOURCES.map(({ name, column }) => ({ name, amounts: [frame.f64(column)] })),
  ];
  const written = Array.from({ length: frame.rows }, (_, row) => {
    const members = byName.flatMap(({ name, amounts }) => {
      const values = amounts.map((column) => column[row] ?? 0);
      if (values.every((usd) => usd === 0)) return [];
      const pairs = PARTS.map((part, i) => `"${part}":${JSON.stringify(values[i] ?? 0)}`);
      const text = JSON.stringify(name);
      return [`${text}:{"name":${text},${pairs.join(',')}}`];
    });
    return members.length === 0 ? '' : `{${members.join(',')}}`;
  });
  frame.u32(BREAKDOWN).set(texts.codes(written));
}

/** For each of PARTS the sum of its columns, of the sources of that name. */
function amountsOf(frame: Frame, names: readonly string[], name: string): Float64Array[] {
  return PARTS.map((part) => {
    const sum = new Float64Array(frame.rows);
    names.forEach((other, source) => {
      if (other !== name) return;
      frame.f64(columnOf(source, part)).forEach((usd, row) => {
        sum[row] = (sum[row] ?? 0) + usd;
      });
    });
    return sum;
  });
}
