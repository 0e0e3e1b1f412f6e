/**
 * The receiver: a store of samples that others send by remote write. It answers reads as any other metrics store,
 * so that queries do not tell them apart.
 */
import type { MetricsSource } from '../metrics/index.ts';

/** What became of one request. */
export type WriteOutcome =
  /** All of it is durable. */
  | {
      readonly kind: 'stored';
      readonly samples: number;
      readonly histograms: number;
      readonly exemplars: number;
    }
  /** Part of it is refused for good, such as samples that are too old; the rest, `samples`, is durable. */
  | { readonly kind: 'refused'; readonly samples: number; readonly reasons: readonly string[] }
  /** It cannot be read: nothing is stored, and it is not to be sent again. */
  | { readonly kind: 'malformed'; readonly reason: string }
  /** A limit is reached: of the rate, nothing is stored; of series, those that are known are. It is to be sent again later. */
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number; readonly reason: string }
  /** Such as a full disk: nothing is stored, and it is to be sent again. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Versions of remote write: https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/ */
export type WriteVersion = '1.0' | '2.0';

/** How it is with a receiver now, and has been since its thread began. */
export interface ReceiverFigures {
  /** Samples that are durable, those that were there already among them. */
  readonly samples: number;
  /** Samples that were refused for good, by reason: a few short names, the same in every process. */
  readonly refused: Readonly<Record<string, number>>;
  /** Series that samples were written to lately, as many as count against the limit. */
  readonly series: number;
  readonly blocks: number;
  readonly blockBytes: number;
  /** Blocks that cannot be read, wholly or in part, as far as is known. */
  readonly damagedBlocks: number;
  /** Bytes on disk of what no block holds yet. */
  readonly logBytes: number;
  readonly commits: number;
  /** How long commits took in all. */
  readonly commitSeconds: number;
  /** Unix ms of the samples at both ends, of blocks the bounds of their times; undefined: there are none. */
  readonly oldestMs: number | undefined;
  readonly newestMs: number | undefined;
  /** Why nothing is stored at the moment, such as a full disk or a thread that ended; undefined: it is. */
  readonly failing: string | undefined;
}

export interface Receiver {
  readonly source: MetricsSource;
  /**
   * Resolves when what it took is durable. How much waits at a time, the caller bounds.
   * @param body as it came, compressed. A view on a part of a larger buffer is copied; a whole buffer is taken over.
   */
  write(body: Uint8Array, version: WriteVersion): Promise<WriteOutcome>;
  figures(): ReceiverFigures;
}
