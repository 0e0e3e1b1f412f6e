/**
 * What every metrics store reader offers: given a metric, matchers and a time range, batches of
 * series with their samples, with backpressure (the next batch is made when it is asked for) and an
 * abort signal. A reader that cannot give the whole answer throws `Unavailable` naming the store;
 * it never ends early as if there were no more data.
 */
export interface MetricsSource {
  /** For messages: what and where, such as `Prometheus at http://localhost:9090`. */
  readonly name: string;
  /** How many reads may run at once without hurting the store. */
  readonly concurrentReads: number;
  /**
   * @param onWarning gets what the store says of its own answer, such as that a part is missing
   * @param room where batches are written, if the reader can choose; by default memory of their own
   */
  read(
    selection: Selection,
    range: TimeRange,
    signal: AbortSignal,
    onWarning?: OnWarning,
    room?: Room,
  ): AsyncIterable<Batch>;
  /**
   * How several metrics are read at once; undefined where each is to be read by itself. Readers of
   * which that is always so leave the method out. @throws {Unavailable} when no store answers
   */
  together?(signal: AbortSignal): Promise<ReadTogether | undefined>;
  /**
   * The time of the oldest sample the store holds, for saying that a window lies beyond it;
   * undefined when the store does not tell. Readers that cannot know leave the method out.
   */
  earliestSampleMs?(signal: AbortSignal): Promise<number | undefined>;
}

/** As `read` does, all series of these metrics, which their `__name__` tells apart, in any order. */
export type ReadTogether = (
  metrics: readonly string[],
  range: TimeRange,
  signal: AbortSignal,
  onWarning?: OnWarning,
  room?: Room,
) => AsyncIterable<Batch>;

/** Called while a read runs, perhaps with the same text more than once. */
export type OnWarning = (warning: string) => void;

/** Memory for a batch of at most so many bytes, which may be cut shorter. */
export type Room = (bytes: number) => Uint8Array;

export interface Selection {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

/** All series of several metrics. */
export interface Together {
  readonly metrics: readonly string[];
}

export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

/** Unix milliseconds, both inclusive. A store may send samples outside it: who reads them clips. */
export interface TimeRange {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Whole frames of one of two encodings, about 1 MiB or one frame:
 *
 * - `chunked-read`: frames of Prometheus' streamed remote read (prompb ChunkedReadResponse), each
 *   `uvarint length, u32be CRC-32C of the message, message`
 *   (https://prometheus.io/docs/prometheus/latest/querying/remote_read_api/).
 * - `samples`: blocks, 8-byte aligned from the start of the batch: `u32le labelBytes,
 *   u32le samples, labels (repeated prompb Label as field 1: tag 0x0a, length, message), zero
 *   padding to 8, f64le timestampMs × samples, f64le value × samples`.
 *
 * Within one read a series' samples come in order of time; a series may be continued in the frames
 * that follow its first.
 */
export interface Batch {
  readonly encoding: 'chunked-read' | 'samples';
  readonly bytes: Uint8Array;
}
