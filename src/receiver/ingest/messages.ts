/** What the main thread and the thread of the receiver tell each other. */
import type { Selection, TimeRange, Together } from '../../metrics/index.ts';
import type { ReceiverFigures, WriteOutcome, WriteVersion } from '../receiver.ts';
import type { StoreOptions } from './receiver-store.ts';

/** Begins the thread. */
export interface ThreadStart {
  readonly options: StoreOptions;
  readonly nowMs: number;
}

/** Bytes whose memory can be given away with a message. */
export type OwnBytes = Uint8Array<ArrayBuffer>;

/** To the thread; whatever has an id is answered, in any order. */
export type Request =
  | {
      readonly kind: 'write';
      readonly id: number;
      readonly body: OwnBytes;
      readonly version: WriteVersion;
      readonly nowMs: number;
    }
  | {
      readonly kind: 'read';
      readonly id: number;
      readonly what: Selection | Together;
      readonly range: TimeRange;
      /** Whether chunks are checked as they are read, so that damage is named. */
      readonly isChecked: boolean;
    }
  /** The next batch of a read. */
  | { readonly kind: 'next'; readonly id: number; readonly memory: Spent }
  /** No more of a read is wanted. */
  | { readonly kind: 'end'; readonly id: number; readonly memory: Spent }
  /** Time passes without requests. */
  | { readonly kind: 'tick'; readonly nowMs: number }
  | { readonly kind: 'close' };

/** Memory of a batch that was copied, given back for another: new memory for each would be collected as garbage. */
export type Spent = ArrayBuffer | undefined;

/** From the thread. */
export type Answer =
  /** With what is lost of what was stored before. */
  | { readonly kind: 'ready'; readonly figures: ReceiverFigures; readonly notes: readonly string[] }
  | {
      readonly kind: 'outcomes';
      readonly outcomes: readonly (readonly [id: number, outcome: WriteOutcome])[];
      readonly figures: ReceiverFigures;
    }
  /** Undefined: there is no more. */
  | { readonly kind: 'batch'; readonly id: number; readonly bytes: OwnBytes | undefined }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure }
  /** What could not be done now, and is tried again. */
  | { readonly kind: 'note'; readonly text: string }
  /** It could not begin. */
  | { readonly kind: 'broken'; readonly failure: Failure };

/** An error as it crosses threads. */
export interface Failure {
  /** The caller's mistake, and no failure of the store. */
  readonly isFault: boolean;
  readonly message: string;
  readonly hint?: string;
}
