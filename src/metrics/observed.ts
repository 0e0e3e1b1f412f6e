/** A source that tells what passes through it, for people who wait. */
import type { Batch, MetricsSource } from './source.ts';

/** One read of a metric. */
export interface ReadEvent {
  readonly metric: string;
  /** Of this batch. */
  readonly bytes: number;
  /** In this batch; a series that was continued in a further block or frame counts again. */
  readonly series: number;
  readonly isDone: boolean;
}

/**
 * The same source; `tell` hears of each batch and of each read's end. Each metric is read by itself,
 * so that people hear of each.
 */
export function observed(source: MetricsSource, tell: (event: ReadEvent) => void): MetricsSource {
  return {
    get name() {
      return source.name;
    },
    get concurrentReads() {
      return source.concurrentReads;
    },
    earliestSampleMs: async (signal) => source.earliestSampleMs?.(signal),
    async *read(selection, ...rest) {
      const { metric } = selection;
      for await (const batch of source.read(selection, ...rest)) {
        tell({ metric, bytes: batch.bytes.length, series: countSeries(batch), isDone: false });
        yield batch;
      }
      tell({ metric, bytes: 0, series: 0, isDone: true });
    },
  };
}

/** Blocks or frames: each holds one series or a part of one. */
function countSeries({ encoding, bytes }: Batch): number {
  const after = encoding === 'samples' ? afterBlock : afterFrame;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  // A damaged batch is the reader's to refuse: here it only ends the count.
  for (let at = 0; at + 8 <= bytes.length; count++) at = after(view, at);
  return count;
}

function afterBlock(view: DataView, at: number): number {
  const labelBytes = view.getUint32(at, true);
  const samples = view.getUint32(at + 4, true);
  return at + 8 + Math.ceil(labelBytes / 8) * 8 + 16 * samples;
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
