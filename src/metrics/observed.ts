/** A source that reports its reads, for showing progress. */
import { blockPlaces, SAMPLES_BLOCK, STORED_SERIES, storedPlaces } from '../columnar/index.ts';
import type { Batch, MetricsSource } from './source.ts';

/** One read of a metric. */
export interface ReadEvent {
  readonly metric: string;
  /** Bytes of this batch. */
  readonly bytes: number;
  /** Series in this batch; a series that continues in a further block or frame counts again. */
  readonly series: number;
  readonly isDone: boolean;
}

/**
 * The same source; `onEvent` is called for each batch and each read's end. Each metric is read separately,
 * so that progress can show it.
 */
export function observed(
  source: MetricsSource,
  onEvent: (event: ReadEvent) => void,
): MetricsSource {
  return {
    get name() {
      return source.name;
    },
    get concurrentReads() {
      return source.concurrentReads;
    },
    get hasReplicas() {
      return source.hasReplicas === true;
    },
    earliestSampleMs: async (signal) => source.earliestSampleMs?.(signal),
    findDamage: async (...asked) => source.findDamage?.(...asked),
    async *read(selection, ...rest) {
      const { metric } = selection;
      for await (const batch of source.read(selection, ...rest)) {
        onEvent({ metric, bytes: batch.bytes.length, series: countSeries(batch), isDone: false });
        yield batch;
      }
      onEvent({ metric, bytes: 0, series: 0, isDone: true });
    },
  };
}

/** Where a block or frame ends. */
const AFTER: Readonly<Record<Batch['encoding'], (view: DataView, at: number) => number>> = {
  samples: afterBlock,
  'chunked-read': afterFrame,
  'stored-chunks': afterStored,
};

/** Counts blocks or frames: each has one series or a part of one. */
function countSeries({ encoding, bytes }: Batch): number {
  const after = AFTER[encoding];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  // A damaged batch only ends the count here; its reader will refuse it.
  for (let at = 0; at + SAMPLES_BLOCK.bytes <= bytes.length; count++) at = after(view, at);
  return count;
}

function afterBlock(view: DataView, at: number): number {
  const { labelBytes, samples } = SAMPLES_BLOCK.u32;
  return blockPlaces(at, view.getUint32(at + labelBytes, true), view.getUint32(at + samples, true))
    .end;
}

/** `uvarint length, 4 bytes of checksum, message` */
function afterFrame(view: DataView, at: number): number {
  let length = 0;
  for (let shift = 0; shift < 35 && at < view.byteLength; shift += 7) {
    const byte = view.getUint8(at++);
    length += (byte & 127) * 2 ** shift;
    if (byte < 128) break;
  }
  return at + 4 + length;
}

function afterStored(view: DataView, at: number): number {
  if (at + STORED_SERIES.bytes > view.byteLength) return view.byteLength;
  const { labelBytes, chunkBytes } = STORED_SERIES.u32;
  return storedPlaces(
    at,
    view.getUint32(at + labelBytes, true),
    view.getUint32(at + chunkBytes, true),
  ).end;
}
