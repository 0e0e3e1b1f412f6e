/** Objects that several writers change, as far as a lease needs them of a bucket, and texts as their bytes. */

/** A bucket has these calls, and promises the same of them. */
export interface SharedObjects {
  /** @returns undefined where there is none @throws {Unavailable} */
  fetch(
    key: string,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly version: string } | undefined>;
  /**
   * Two writers of equal contents may both be told that they wrote it.
   * @returns the new version; undefined where the condition does not hold, and nothing is changed
   * @throws {Unavailable} and it may be written or not, also later
   */
  write(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    condition: 'absent' | { readonly version: string },
    signal: AbortSignal,
  ): Promise<string | undefined>;
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text));
}
