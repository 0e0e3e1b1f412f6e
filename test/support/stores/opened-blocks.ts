/** Blocks of a source, read in the test's own thread. */
import { Catalogues } from '../../../src/blocks/catalogue/catalogue.ts';
import { FetchGate } from '../../../src/blocks/places/fetch-gate.ts';
import type { RangeSource } from '../../../src/blocks/places/range-source.ts';
import { BlockHeaders } from '../../../src/blocks/reading/block-header.ts';
import { readBlocks, type BlocksRead } from '../../../src/blocks/reading/read-blocks.ts';
import type { TimeRange } from '../../../src/metrics/index.ts';
import type { BlockQuery, BlockSeries } from '../../../src/tsdb/index.ts';
import { plainSamples } from './block-samples.ts';

const SIGNAL = new AbortController().signal;

export interface Opened extends BlocksRead {
  /** Keys and lengths of what was read of files. */
  readonly reads: (readonly [key: string, bytes: number])[];
}

interface OpenedOptions {
  readonly replicaLabels?: readonly string[];
  readonly tenant?: string;
}

export function opened(
  source: RangeSource,
  { replicaLabels = ['replica'], tenant = '' }: OpenedOptions = {},
): Opened {
  const reads: (readonly [string, number])[] = [];
  const counted: RangeSource = {
    ...source,
    read: (file, at, bytes, signal) => {
      reads.push([file.key, bytes]);
      return source.read(file, at, bytes, signal);
    },
  };
  const gate = new FetchGate(4, 1 << 20);
  const elapsedMs = (): number => performance.now();
  return {
    reads,
    source: counted,
    gate,
    catalogues: new Catalogues({ source: counted, tenant, replicaLabels, gate, elapsedMs }),
    headers: new BlockHeaders({ source: counted, tenant, gate, budgetBytes: 1 << 20 }),
    portionSeries: 1,
  };
}

/** Samples by label texts, all that blocks tell. */
export async function readAll(
  blocks: BlocksRead,
  query: BlockQuery,
  range: TimeRange,
  warnings: string[] = [],
): Promise<ReturnType<typeof plainSamples>> {
  const all: BlockSeries[] = [];
  const onWarning = (text: string): void => void warnings.push(text);
  const asked = { query, range, signal: SIGNAL, onWarning };
  for await (const series of readBlocks(blocks, asked)) all.push(...series);
  return plainSamples(all, range);
}
