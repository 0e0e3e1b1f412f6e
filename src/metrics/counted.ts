/** A source whose reads are counted. */
import type { Batch, MetricsSource } from './source.ts';

export interface ReadCounts {
  /** Reads that have begun. */
  reads: number;
  /** Those of them that failed; a read that was given up is no failure. */
  errors: number;
  /** Further tries of calls. */
  retries: number;
  bytes: number;
  /** Samples that were walked, by reader. */
  readonly samples: Map<string, number>;
  /** How long all reads took, with the pace of who reads. */
  seconds: number;
  underWay: number;
}

export function noReads(): ReadCounts {
  return { reads: 0, errors: 0, retries: 0, bytes: 0, samples: new Map(), seconds: 0, underWay: 0 };
}

/** The same source; each read is added to `counts`. */
export function counted<Source extends MetricsSource>(source: Source, counts: ReadCounts): Source {
  const read: Source['read'] = (selection, range, signal, ...rest) =>
    countedRead(source.read(selection, range, signal, ...rest), counts, signal);
  const together: NonNullable<MetricsSource['together']> = async (signal) => {
    const reader = await source.together?.(signal);
    if (reader === undefined) return undefined;
    return (metrics, range, until, ...rest) =>
      countedRead(reader(metrics, range, until, ...rest), counts, until);
  };
  const countSamples = (samples: number): void => {
    const reader = source.readerName ?? 'demo';
    counts.samples.set(reader, (counts.samples.get(reader) ?? 0) + samples);
  };
  const without: MetricsSource['without'] = (error) => {
    const rest = source.without?.(error);
    return rest === undefined ? undefined : { ...rest, source: counted(rest.source, counts) };
  };
  const own =
    source.together === undefined
      ? { read, countSamples, without }
      : { read, together, countSamples, without };
  return Object.assign(Object.create(source) as Source, own);
}

async function* countedRead(
  batches: AsyncIterable<Batch>,
  counts: ReadCounts,
  signal: AbortSignal,
): AsyncGenerator<Batch, void> {
  const beganMs = performance.now();
  counts.reads++;
  counts.underWay++;
  try {
    for await (const batch of batches) {
      counts.bytes += batch.bytes.length;
      yield batch;
    }
  } catch (error) {
    if (!signal.aborted) counts.errors++;
    throw error;
  } finally {
    counts.underWay--;
    counts.seconds += (performance.now() - beganMs) / 1000;
  }
}
