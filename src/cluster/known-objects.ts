/** The known objects of a kind, by uid: turns lists and events into changes. */
import type { WatchEvent } from './api.ts';
import type { ClusterObject } from './objects.ts';

/** @typeParam T the part of each object that is held */
export interface Change<T> {
  /** `present`: it was there when following began. */
  readonly type: 'present' | 'add' | 'update' | 'delete';
  readonly uid: string;
  /** The current state; the last one seen if deleted. */
  readonly value: T;
}

interface Entry<T> {
  readonly version: string;
  readonly value: T;
}

export class KnownObjects<T> {
  readonly #valueOf: (object: ClusterObject) => T;
  readonly #byUid: Map<string, Entry<T>> = new Map();
  #hasList = false;

  constructor(valueOf: (object: ClusterObject) => T) {
    this.#valueOf = valueOf;
  }

  /** The held entry where its version is known: a list of what is held takes no more memory. */
  entryOf(object: ClusterObject): Entry<T> {
    const { uid, resourceVersion: version } = object.metadata;
    const known = this.#byUid.get(uid);
    return known?.version === version ? known : { version, value: this.#valueOf(object) };
  }

  /** Replaces the known objects by a complete list, by uid: objects that it lacks are deleted. */
  *replace(fresh: ReadonlyMap<string, Entry<T>>): Generator<Change<T>, void> {
    for (const [uid, { value }] of this.#byUid) {
      if (fresh.has(uid)) continue;
      this.#byUid.delete(uid);
      yield { type: 'delete', uid, value };
    }
    const added = this.#hasList ? 'add' : 'present';
    this.#hasList = true;
    for (const [uid, entry] of fresh) yield* this.#take(uid, entry, added);
  }

  *apply({ type, object }: Exclude<WatchEvent, { type: 'BOOKMARK' }>): Generator<Change<T>, void> {
    const { uid } = object.metadata;
    const entry = this.entryOf(object);
    if (type !== 'DELETED') yield* this.#take(uid, entry, 'add');
    else if (this.#byUid.delete(uid)) yield { type: 'delete', uid, value: entry.value };
  }

  *#take(uid: string, entry: Entry<T>, added: 'add' | 'present'): Generator<Change<T>, void> {
    const before = this.#byUid.get(uid);
    if (before?.version === entry.version) return;
    this.#byUid.set(uid, entry);
    yield { type: before === undefined ? added : 'update', uid, value: entry.value };
  }
}
