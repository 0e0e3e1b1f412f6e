/** Labels or annotations of one thing, as one or several series tell them over time. */
import type { SeriesRecord } from '../../columnar/index.ts';

/** Labels or annotations that count, and when they were seen: Unix ms. */
export interface Texts {
  readonly pairs: readonly [string, string][];
  readonly firstMs: number;
  readonly lastMs: number;
  /** When they took the place of others; NaN when they did not. */
  readonly changedMs: number;
}

/** Adds the labels of `record` that begin with `prefix`, without it, as `mergedTexts` does. */
export function textsOf(record: SeriesRecord, prefix: string, before: Texts | undefined): Texts {
  const pairs = record.labels(prefix);
  const { firstMs, lastMs } = record;
  // Only an end marker was seen: anything else was there later.
  const isSeen = firstMs === firstMs;
  const seen = isSeen ? { firstMs, lastMs } : { firstMs: -Infinity, lastMs: -Infinity };
  return mergedTexts(before, { pairs, ...seen, changedMs: NaN });
}

/**
 * Merges labels. The later of series that follow one another counts, as labels were changed; series seen at the same
 * time are of several exporters, of which one may show less: their names add up, and the later seen
 * decides a value.
 */
export function mergedTexts(before: Texts | undefined, next: Texts): Texts {
  if (!before) return next;
  const { pairs, firstMs, lastMs } = next;
  if (lastMs === -Infinity) return before;
  const hull = {
    firstMs: Math.min(before.firstMs, firstMs),
    lastMs: Math.max(before.lastMs, lastMs),
  };
  if (isSame(before.pairs, pairs)) return { ...before, ...hull };
  if (firstMs > before.lastMs) return { pairs, firstMs, lastMs, changedMs: firstMs };
  if (lastMs < before.firstMs) return { ...before, changedMs: before.changedMs || before.firstMs };
  const [less, more] = lastMs >= before.lastMs ? [before.pairs, pairs] : [pairs, before.pairs];
  return { pairs: [...new Map([...less, ...more])], ...hull, changedMs: before.changedMs };
}

/** Stores send labels in order of name. */
function isSame(some: Texts['pairs'], others: Texts['pairs']): boolean {
  return (
    some.length === others.length &&
    some.every(([name, value], i) => name === others[i]?.[0] && value === others[i][1])
  );
}
