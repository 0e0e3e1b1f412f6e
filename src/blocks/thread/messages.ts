/** What the main thread and the thread that reads blocks tell each other. */
import type { CloudOptions } from '../../buckets/index.ts';
import type { TimeRange } from '../../metrics/index.ts';
import type { BlockQuery } from '../../tsdb/index.ts';
import type { BlocksPlace } from '../places/blocks-url.ts';

/** Begins the thread. */
export interface ThreadStart {
  readonly place: BlocksPlace;
  /** The folder of a tenant below it; '' where there are none. */
  readonly tenant: string;
  readonly replicaLabels: readonly string[];
  readonly cloud: Pick<CloudOptions, 'aws' | 'google' | 'azure' | 'firstPauseMs'>;
  /** Room for texts and places of series. */
  readonly headerBytes: number;
  /** Room for chunks that are fetched before they are needed. */
  readonly aheadBytes: number;
  /** The deadline of one read, from request to last byte. */
  readonly totalTimeoutMs: number;
}

export type Request =
  | {
      readonly kind: 'read';
      readonly id: number;
      readonly query: BlockQuery;
      readonly range: TimeRange;
      /** Whether all chunks are checked, so that damage is named. */
      readonly isChecked: boolean;
    }
  /** The next batch of a read. */
  | { readonly kind: 'next'; readonly id: number }
  /** No more of a read is wanted, and nobody looks at its batches any more. */
  | { readonly kind: 'end'; readonly id: number }
  /** Which times blocks have. */
  | { readonly kind: 'times'; readonly id: number };

/** From the thread; whatever has an id is answered, in any order. */
export type Answer =
  /** Undefined: there is no more. Shared memory, which is the next batch's but one. */
  | {
      readonly kind: 'batch';
      readonly id: number;
      readonly bytes: Uint8Array | undefined;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'times'; readonly id: number; readonly times: Times }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure };

export interface Times {
  readonly startMs: number | undefined;
  /** Up to where the blocks of all origins are there. */
  readonly reachMs: number | undefined;
}

/** An error as it crosses threads. */
export interface Failure {
  /** The caller's mistake, and no failure of the blocks. */
  readonly isFault: boolean;
  readonly message: string;
  readonly status: number;
  readonly hint?: string;
}
