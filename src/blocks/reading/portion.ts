/** Some series of a block, with the ranges of its files that have their chunks. */
import type { IndexedChunk } from '../../tsdb/index.ts';
import type { ByteSpan } from './byte-ranges.ts';

export interface SeriesPlan {
  readonly number: number;
  /** Symbols of names and values in turn. */
  readonly labels: readonly number[];
  /** Those that are wanted. */
  readonly chunks: readonly IndexedChunk[];
  /** The end of the chunk before them and the beginning of the one after them; infinite without one. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Where its chunks stand, as numbers of chunks are; of several files: where they begin. */
  readonly from: number;
  readonly to: number;
  /** The chunk that stands behind the last one, where that is known. */
  endsBefore: number | undefined;
}

export interface FileRange {
  /** The place of a chunk file, from 0. */
  readonly file: number;
  readonly span: ByteSpan;
}

export interface Portion {
  readonly ulid: string;
  readonly series: readonly SeriesPlan[];
  /** In order within each file. */
  readonly ranges: readonly FileRange[];
  readonly bytes: number;
}
