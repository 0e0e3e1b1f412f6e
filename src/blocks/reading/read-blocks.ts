/**
 * Reads series of all blocks of a place: origin by origin, and of each in the order that Prometheus has, every series
 * once with the chunks of all blocks. Where a block is deleted meanwhile, the blocks are listed again, and the read goes on
 * behind the last series that it told.
 */
import type { OnWarning, Selection, TimeRange } from '../../metrics/index.ts';
import { Unavailable } from '../../query/index.ts';
import {
  compareLabels,
  DamagedBlock,
  type BlockQuery,
  type LabelBytes,
  type StoredSeries,
} from '../../tsdb/index.ts';
import type { Catalogue, Catalogues } from '../catalogue/catalogue.ts';
import { textOf, type Origin, type OriginBlock } from '../catalogue/choose-blocks.ts';
import { warningsOf } from '../catalogue/warnings.ts';
import type { RangeSource } from '../places/range-source.ts';
import { ahead, Begun } from './ahead.ts';
import { BlockGone } from './block-gone.ts';
import type { BlockHeaders } from './block-header.ts';
import { portionsOf } from './block-walk.ts';
import type { FetchGate } from '../places/fetch-gate.ts';
import { labelAdder } from './final-labels.ts';
import type { IndexWindows } from './index-windows.ts';
import { mergeStreams } from './merge-streams.ts';
import { readPortion, type ReadSeries } from './read-portion.ts';

export interface BlocksRead {
  readonly source: RangeSource;
  readonly gate: FetchGate;
  readonly catalogues: Catalogues;
  readonly headers: BlockHeaders;
  readonly windows: IndexWindows;
  /** Series that are told at once; absent: as many as suit. */
  readonly portionSeries?: number;
}

export interface BlocksAsked {
  readonly query: BlockQuery;
  readonly range: TimeRange;
  /** Whether chunks that nobody merges are checked, too, so that damage is named. */
  readonly isChecked: boolean;
  readonly signal: AbortSignal;
  readonly onWarning?: OnWarning;
}

/** A compactor deletes at its pace: more often is no compaction. */
const LISTS_MAX = 5;
/** What the portions of all blocks of a read take, of which one of each block is in memory… */
const PORTIONS_BYTES = 16 << 20;
/** …and the least and the most of one. */
const PORTION_BYTES_MIN = 64 * 1024;
const PORTION_BYTES_MAX = 1 << 20;

/** What was told: all of the origins before, and of this one the series up to `labels`, as blocks have them. */
interface Told {
  readonly origin: string;
  readonly labels: LabelBytes | undefined;
}

/**
 * Series with whole chunks that overlap the range, for those who check chunks when they decode them.
 * @throws {Unavailable} when a block is damaged or cannot be read, naming the file
 */
export async function* readBlocks(
  read: BlocksRead,
  asked: BlocksAsked,
): AsyncGenerator<readonly StoredSeries[], void> {
  let told: Told = { origin: '', labels: undefined };
  let gone: BlockGone | undefined;
  for (let lists = 0; ; lists++) {
    const catalogue =
      gone === undefined
        ? await read.catalogues.current(asked.signal)
        : await read.catalogues.listed(asked.signal);
    requireGone(catalogue, gone, lists);
    const [damage] = catalogue.damages;
    if (damage !== undefined) throw damage;
    for (const warning of warningsOf(read.source.name, catalogue, asked.range))
      asked.onWarning?.(warning);
    try {
      for (const origin of catalogue.origins) {
        if (textOf(origin.labels) < told.origin) continue;
        for await (const { series, last } of afterTold(read, asked, origin, told)) {
          yield series;
          told = last;
        }
      }
      return;
    } catch (error) {
      if (error instanceof DamagedBlock) read.windows.forget();
      if (!(error instanceof BlockGone)) throw error;
      gone = error;
      read.headers.forget(gone.ulid);
    }
  }
}

/** @throws {Unavailable} where a block is listed of which a file is missing */
function requireGone({ origins }: Catalogue, gone: BlockGone | undefined, lists: number): void {
  if (gone === undefined) return;
  const { ulid, path } = gone;
  const isListed = origins.some(({ blocks }) => blocks.some(({ block }) => block.ulid === ulid));
  if (isListed) throw new DamagedBlock(path, 0, 'the file is missing');
  if (lists > LISTS_MAX)
    throw new Unavailable(`cannot read ${path}: blocks are deleted faster than they are read`);
}

/** Series of an origin behind those that were told, with its labels. */
async function* afterTold(
  read: BlocksRead,
  asked: BlocksAsked,
  origin: Origin,
  told: Told,
): AsyncGenerator<{ readonly series: readonly StoredSeries[]; readonly last: Told }, void> {
  const key = textOf(origin.labels);
  const before = key === told.origin ? told.labels : undefined;
  const add = labelAdder(origin.labels);
  for await (const portion of ofOrigin(read, asked, origin)) {
    const fresh = withoutTold(portion, before);
    const labels = fresh.at(-1)?.labels;
    if (labels === undefined) continue;
    const series = fresh.map((each) => ({ labels: add(each.labels), spans: each.spans }));
    yield { series, last: { origin: key, labels } };
  }
}

/** Portions come in order. */
function withoutTold(
  portion: readonly StoredSeries[],
  told: LabelBytes | undefined,
): readonly StoredSeries[] {
  const [first] = portion;
  if (told === undefined || first === undefined || compareLabels(first.labels, told) > 0)
    return portion;
  return portion.filter(({ labels }) => compareLabels(labels, told) > 0);
}

function ofOrigin(
  read: BlocksRead,
  asked: BlocksAsked,
  origin: Origin,
): AsyncIterable<readonly StoredSeries[]> {
  const { range } = asked;
  const blocks = origin.blocks.filter(
    ({ startMs, endMs }) => startMs <= range.endMs && endMs > range.startMs,
  );
  const portionBytes = Math.max(
    PORTION_BYTES_MIN,
    Math.min(PORTION_BYTES_MAX, PORTIONS_BYTES / blocks.length),
  );
  const streams = blocks.map((block) => ({
    replica: block.replica,
    portions: new Begun(ofBlock(read, asked, origin, block, portionBytes)),
  }));
  const [only] = streams;
  return only !== undefined && streams.length === 1 ? only.portions : mergeStreams(streams);
}

// oxlint-disable-next-line max-params
async function* ofBlock(
  read: BlocksRead,
  { query, range, isChecked, signal }: BlocksAsked,
  { labels }: Origin,
  { block }: OriginBlock,
  portionBytes: number,
): AsyncGenerator<readonly ReadSeries[], void> {
  const { source, gate, headers, windows, portionSeries } = read;
  const header = await headers.open(block.ulid, signal);
  const portions = portionsOf({
    source,
    gate,
    windows,
    header,
    signal,
    ...asOne(query),
    portionBytes,
    portionSeries,
    others: Object.fromEntries(labels),
    range,
  });
  yield* ahead(
    portions,
    gate,
    ({ bytes }) => bytes,
    (portion) => readPortion({ source, gate, header, isChecked, signal }, portion),
  );
}

function asOne(query: BlockQuery): {
  readonly metrics: readonly string[];
  readonly matchers: Selection['matchers'];
} {
  if ('metrics' in query) return { metrics: query.metrics, matchers: [] };
  return { metrics: [query.metric], matchers: query.matchers };
}
