/** All that is kept of collections: immutable, replaced as a whole. */
import type { Collection } from './collection.ts';
import type { Idle } from './idle.ts';
import type { Selection } from './selection.ts';

/** A collection, and the rows that each of its groups means. */
export interface Known {
  readonly collection: Collection;
  readonly groups: readonly Selection[];
  /** The collection as JSON, made once: all are written and listed again and again. */
  readonly json: string;
}

export interface State {
  readonly idle: Idle;
  /** By id, in the order in which they were made. */
  readonly known: ReadonlyMap<string, Known>;
}
