/** Blocks of a source, read in the test's own thread. */
import { Catalogues } from '../../../src/blocks/catalogue/catalogue.ts';
import { FetchGate } from '../../../src/blocks/places/fetch-gate.ts';
import type { RangeSource } from '../../../src/blocks/places/range-source.ts';
import { BlockHeaders } from '../../../src/blocks/reading/block-header.ts';
import { IndexWindows } from '../../../src/blocks/reading/index-windows.ts';
import { readBlocks, type BlocksRead } from '../../../src/blocks/reading/read-blocks.ts';
import type { Batch, TimeRange } from '../../../src/metrics/index.ts';
import { storedBatches, type BlockQuery } from '../../../src/tsdb/index.ts';
import { numberOf, readBatches } from '../references/read-batches.ts';
import { labelKey, type plainSamples } from './block-samples.ts';

const SIGNAL = new AbortController().signal;

export interface Opened extends BlocksRead {
  /** Keys and lengths of what was read of files. */
  readonly reads: (readonly [key: string, bytes: number])[];
}

interface OpenedOptions {
  readonly replicaLabels?: readonly string[];
  readonly tenant?: string;
  /** Series that are told at once; by default one by one. */
  readonly portionSeries?: number;
}

export function opened(
  source: RangeSource,
  { replicaLabels = ['replica'], tenant = '', portionSeries = 1 }: OpenedOptions = {},
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
    windows: new IndexWindows({ source: counted, gate, budgetBytes: 1 << 20 }),
    portionSeries,
  };
}

/**
 * Samples by label texts, all that blocks tell, as batches have them.
 * @param wants.isChecked whether damage is looked for, as it is once whoever decodes chunks met some
 */
export async function readAll(
  blocks: BlocksRead,
  query: BlockQuery,
  range: TimeRange,
  wants: { readonly warnings?: string[]; readonly isChecked?: boolean } = {},
): Promise<ReturnType<typeof plainSamples>> {
  const { warnings = [], isChecked = true } = wants;
  const batches: Batch[] = [];
  const onWarning = (text: string): void => void warnings.push(text);
  const asked = { query, range, isChecked, signal: SIGNAL, onWarning };
  for await (const series of readBlocks(blocks, asked)) batches.push(...storedBatches(series));
  const found: ReturnType<typeof plainSamples> = new Map();
  for (const { labels, timestampsMs, valueBits } of (await readBatches(batches)).values()) {
    const samples = timestampsMs
      .map((ms, i) => [ms, numberOf(valueBits[i] ?? 0n)] as const)
      .filter(([ms]) => ms >= range.startMs && ms <= range.endMs);
    if (samples.length > 0) found.set(labelKey(labels), samples);
  }
  return found;
}
