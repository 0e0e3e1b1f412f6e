/** What is known of a kind's objects, by uid: turns lists and events into changes. */
import type { WatchEvent } from './api.ts';
import type { ClusterObject } from './objects.ts';

/** @typeParam T what is kept of each object */
export interface Change<T> {
  /** `present`: it was there when following began. */
  readonly type: 'present' | 'add' | 'update' | 'delete';
  readonly uid: string;
  /** As it is now; of a deleted one, as it was last seen. */
  readonly value: T;
}

interface Entry<T> {
  readonly place: string;
  readonly version: string;
  readonly value: T;
}

type Fresh<T> = ReadonlyMap<string, Entry<T>>;

export class KnownObjects<T> {
  readonly #keep: (object: ClusterObject) => T;
  #byUid: Map<string, Entry<T>> = new Map();
  #uidByPlace: Map<string, string> = new Map();
  #hasList = false;

  constructor(keep: (object: ClusterObject) => T) {
    this.#keep = keep;
  }

  entryOf(object: ClusterObject): Entry<T> {
    const { namespace, name, resourceVersion } = object.metadata;
    return { place: `${namespace}/${name}`, version: resourceVersion, value: this.#keep(object) };
  }

  /** A whole list takes the place of what was known: what it lacks is deleted. */
  *replace(fresh: Fresh<T>): Generator<Change<T>, void> {
    for (const [uid, { value }] of this.#byUid) {
      if (fresh.has(uid)) continue;
      this.#forget(uid);
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
    else if (this.#forget(uid)) yield { type: 'delete', uid, value: entry.value };
  }

  *#take(uid: string, entry: Entry<T>, added: 'add' | 'present'): Generator<Change<T>, void> {
    const before = this.#byUid.get(uid);
    if (before?.version === entry.version) return;
    // Another object of the same name can only be there when that one is gone.
    const other = this.#uidByPlace.get(entry.place);
    const gone = other === undefined || other === uid ? undefined : this.#byUid.get(other);
    if (other !== undefined && gone !== undefined) {
      this.#forget(other);
      yield { type: 'delete', uid: other, value: gone.value };
    }
    this.#byUid.set(uid, entry);
    this.#uidByPlace.set(entry.place, uid);
    yield { type: before === undefined ? added : 'update', uid, value: entry.value };
  }

  /** @returns whether it was known */
  #forget(uid: string): boolean {
    const entry = this.#byUid.get(uid);
    if (entry === undefined) return false;
    this.#byUid.delete(uid);
    if (this.#uidByPlace.get(entry.place) === uid) this.#uidByPlace.delete(entry.place);
    return true;
  }
}
