/** A file of a bill that is elsewhere. */

/** What is there now. */
export interface RemoteContent {
  readonly headers: { get(name: string): string | null };
  /** Null: empty. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

export interface RemoteFile {
  /** As it is told. */
  readonly name: string;
  /** Files of one group are a delivery: the folder of a billing period, or empty. */
  readonly group: string;
  /** Another text once the content is another. */
  readonly version: string;
  /** When it was written, Unix ms; absent: unknown. */
  readonly changedMs?: number;
  /** Bytes that were listed; absent: unknown. */
  readonly bytes?: number;
  /** Whether it has not changed for a while; absent: it counts as complete. */
  readonly isSettled?: boolean;
  /** @throws {Unavailable} */
  read(signal: AbortSignal): Promise<RemoteContent>;
}
