/** Series of several sources, each in order, as one list in order. */
import { compareLabels } from './label-scan.ts';
import { mergeChunks } from './merge-chunks.ts';
import type { BlockSeries } from './series.ts';

interface Source {
  readonly series: Iterator<BlockSeries>;
  next: BlockSeries;
}

/** @param sources each in the order of `compareLabels`, every series once */
export function* mergeSeries(
  sources: readonly Iterable<BlockSeries>[],
): Generator<BlockSeries, void> {
  let open: Source[] = [];
  const iterators = sources.map((source) => source[Symbol.iterator]());
  try {
    open = iterators.flatMap((series) => {
      const { done, value } = series.next();
      return done === true ? [] : [{ series, next: value }];
    });
    while (open.length > 0) {
      const first = open.reduce((least, one) =>
        compareLabels(one.next.labels, least.next.labels) < 0 ? one : least,
      );
      const { labels } = first.next;
      const same = open.filter(({ next }) => compareLabels(next.labels, labels) === 0);
      const lists = same.map(({ next }) => next.chunks);
      const chunks = lists.length === 1 ? first.next.chunks : mergeChunks(lists);
      yield { labels, chunks };
      open = open.filter((source) => !same.includes(source) || advance(source));
    }
  } finally {
    for (const series of iterators) series.return?.();
  }
}

/** @returns whether there is a next one */
function advance(source: Source): boolean {
  const { done, value } = source.series.next();
  if (done === true) return false;
  source.next = value;
  return true;
}
