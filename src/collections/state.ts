/** The state of all collections: immutable, replaced as a whole. */
import type { Collection } from './collection.ts';
import type { Idle } from './idle.ts';
import type { Selection } from './selection.ts';

/** A collection, and the selection of each of its groups. */
export interface StoredCollection {
  readonly collection: Collection;
  readonly groups: readonly Selection[];
  /** The collection as JSON, made once, as all are stored and listed often. */
  readonly json: string;
}

export interface State {
  readonly idle: Idle;
  /** By id, in order of creation. */
  readonly known: ReadonlyMap<string, StoredCollection>;
}

export const NO_COLLECTIONS: State = { idle: 'hide', known: new Map() };
