import type { Unavailable } from '../query/index.ts';

/**
 * The interface of all readers of metrics stores: for a metric, matchers and a time range it yields
 * batches of series with their samples, with backpressure (the next batch is made on request) and an
 * abort signal. A reader that cannot give the complete answer throws `Unavailable` naming the store; it
 * never ends early as if there were no more data.
 */
export interface MetricsSource {
  /** Product and address for messages, such as `Prometheus at http://localhost:9090`. */
  readonly name: string;
  /** The number of reads at once that the store can stand. */
  readonly concurrentReads: number;
  /**
   * @param onWarning called with the store's notes on its answer, such as a missing part
   * @param room memory for batches, if the reader can choose; by default each has its own
   */
  read(
    selection: Selection,
    range: TimeRange,
    signal: AbortSignal,
    onWarning?: OnWarning,
    room?: Room,
  ): AsyncIterable<Batch>;
  /** How it is read, for counts: one of a few names; absent: the demo. */
  readonly readerName?: string;
  /** Who walks its batches tells how many samples they have; absent: nobody counts. */
  countSamples?(samples: number): void;
  /**
   * A function that reads several metrics at once; undefined if each has to be read separately. Readers
   * that can never do it leave the method out. @throws {Unavailable} when no store answers
   */
  together?(signal: AbortSignal): Promise<ReadTogether | undefined>;
  /**
   * The time of the oldest sample in the store, for a warning about windows before it; undefined when the
   * store does not show it. Readers that cannot know it leave the method out.
   */
  earliestSampleMs?(signal: AbortSignal): Promise<number | undefined>;
  /**
   * Looks for damage in what reads of these metrics gave, once a batch did not decode: the failure that names its
   * place, undefined when there is none. Readers that cannot know more than the batch leave the method out.
   */
  findDamage?(
    metrics: readonly string[],
    range: TimeRange,
    signal: AbortSignal,
  ): Promise<Unavailable | undefined>;
  /**
   * Up to where samples are there in a store that gets them hours later; undefined while it has none. Stores
   * that have each sample at once leave the method out.
   */
  reachMs?(signal: AbortSignal): Promise<number | undefined>;
  /** Where it is several stores: those of each cluster, which have its samples together. */
  readonly clusters?: readonly (readonly MetricsSource[])[];
  /** Several series may tell of one thing, as the same is scraped twice on purpose. */
  readonly hasReplicas?: boolean;
  /** Where it is several stores: what there is without the one that failed, undefined where nothing is left. */
  without?(error: unknown): Remaining | undefined;
}

/** Some of several stores. */
export interface Remaining {
  readonly source: MetricsSource;
  /** Says what is missing, and why. */
  readonly warning: string;
}

/** Like `read`, for all series of these metrics in any order; `__name__` tells them apart. */
export type ReadTogether = (
  metrics: readonly string[],
  range: TimeRange,
  signal: AbortSignal,
  onWarning?: OnWarning,
  room?: Room,
) => AsyncIterable<Batch>;

/** Called during a read, perhaps several times with the same text. */
export type OnWarning = (warning: string) => void;

/** Allocates memory for a batch of at most this many bytes. */
export type Room = (bytes: number) => Uint8Array;

export interface Selection {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

/** All series of several metrics that match. */
export interface Together {
  readonly metrics: readonly string[];
  readonly matchers?: readonly Matcher[];
}

export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

/** Unix milliseconds, both inclusive. A store may send samples outside, which the reader must clip. */
export interface TimeRange {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Whole frames of one of three encodings, about 1 MiB or one frame:
 *
 * - `chunked-read`: frames of Prometheus' streamed remote read (prompb ChunkedReadResponse), each
 *   `uvarint length, u32be CRC-32C of the message, message`
 *   (https://prometheus.io/docs/prometheus/latest/querying/remote_read_api/).
 * - `samples`: blocks, 8-byte aligned from the start of the batch: `u32le labelBytes,
 *   u32le samples, labels (repeated prompb Label as field 1: tag 0x0a, length, message), zero
 *   padding to 8, f64le timestampMs × samples, f64le value × samples`.
 * - `stored-chunks`: series, 8-byte aligned from the start of the batch: `u32le labelBytes, u32le
 *   chunkBytes, f64le ms of the first and of the last sample, labels, chunks, zero padding to 8`, each
 *   chunk as it stands in a file of Prometheus: `uvarint length, u8 encoding, data, u32be CRC-32C of
 *   encoding and data`. No chunk is checked before it is decoded.
 *
 * Within one read a series' samples are in order of time; a series may continue in frames after its
 * first.
 */
export interface Batch {
  readonly encoding: 'chunked-read' | 'samples' | 'stored-chunks';
  readonly bytes: Uint8Array;
}
