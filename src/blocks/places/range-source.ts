/** Where files of blocks are: below a prefix of a bucket, or in a folder. */

/** A file, by its place below the source's own: `01HX…/meta.json`. */
export interface StoredFile {
  readonly key: string;
  /** Another text once its content is another. */
  readonly version: string;
  readonly bytes: number;
  /** When it was written, Unix ms by the clock of whoever stores it. */
  readonly changedMs: number;
}

export interface FileList {
  readonly files: readonly StoredFile[];
  /** The clock of whoever stores them, Unix ms. */
  readonly nowMs: number;
}

export interface RangeSource {
  /** As it is told: `s3://metrics/prod`, `file:///var/lib/prometheus`. */
  readonly name: string;
  /**
   * All files below a folder, '' for all there are, whose key is accepted.
   * @throws {Unavailable} naming the place and the reason
   */
  list(folder: string, isWanted: (key: string) => boolean, signal: AbortSignal): Promise<FileList>;
  /**
   * Bytes [at, at + bytes) of a file, fewer where it ends before.
   * @returns undefined where there is no such file
   * @throws {Unavailable} also when it is another version by now
   */
  read(
    file: Pick<StoredFile, 'key' | 'version'>,
    at: number,
    bytes: number,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>;
}
