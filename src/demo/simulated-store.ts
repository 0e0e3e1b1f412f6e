/**
 * The objects of a simulated cluster, and the history of their changes, as etcd keeps them behind an
 * API server: one counter of versions for all, history that can be lost.
 */
import type { Kind, Place } from '../cluster/index.ts';
import type { ClusterObject } from '../cluster/index.ts';

/** An object as it is put: identity and versions are the store's to give. */
export interface SimulatedObject extends Omit<ClusterObject, 'metadata'> {
  readonly metadata: Place & Partial<ClusterObject['metadata']>;
}

export interface StoredChange {
  readonly version: number;
  readonly kind: Kind;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ClusterObject;
}

export interface SimulatedStoreOptions {
  readonly nowMs: () => number;
  /** How many changes are remembered. */
  readonly historyChanges?: number;
}

type Listener = () => void;

export class SimulatedStore {
  readonly #options: SimulatedStoreOptions;
  readonly #objects: Map<Kind, Map<string, ClusterObject>> = new Map();
  readonly #listeners: Set<Listener> = new Set();
  #history: StoredChange[] = [];
  #version = 1;
  /** The last version of which history tells nothing. */
  #compactedTo = 0;
  #made = 0;

  constructor(options: SimulatedStoreOptions) {
    this.#options = options;
  }

  get version(): number {
    return this.#version;
  }

  get compactedTo(): number {
    return this.#compactedTo;
  }

  /** By namespace and name. */
  list(kind: Kind): ClusterObject[] {
    const ofKind = [...(this.#objects.get(kind) ?? [])];
    return ofKind.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  get(kind: Kind, place: Place): ClusterObject | undefined {
    return this.#objects.get(kind)?.get(keyOf(place));
  }

  /** Makes the object, or changes the one of its name: `generation` grows with its spec. */
  put(kind: Kind, object: SimulatedObject): ClusterObject {
    const before = this.get(kind, object.metadata);
    const generation = before?.metadata.generation ?? 0;
    const isSpecNew = JSON.stringify(before?.spec) !== JSON.stringify(object.spec);
    const version = ++this.#version;
    const stored: ClusterObject = {
      ...object,
      metadata: {
        ...object.metadata,
        uid: before?.metadata.uid ?? object.metadata.uid ?? this.#newUid(),
        resourceVersion: String(version),
        generation: isSpecNew ? generation + 1 : generation,
        creationTimestamp:
          before?.metadata.creationTimestamp ??
          object.metadata.creationTimestamp ??
          new Date(this.#options.nowMs()).toISOString().replace(/\.\d+/, ''),
      },
    };
    const ofKind = this.#objects.get(kind) ?? new Map<string, ClusterObject>();
    this.#objects.set(kind, ofKind.set(keyOf(object.metadata), stored));
    this.#remember({ version, kind, type: before ? 'MODIFIED' : 'ADDED', object: stored });
    return stored;
  }

  /** An object that is not there is no error. */
  remove(kind: Kind, place: Place): void {
    const before = this.get(kind, place);
    if (before === undefined) return;
    this.#objects.get(kind)?.delete(keyOf(place));
    const version = ++this.#version;
    const metadata = { ...before.metadata, resourceVersion: String(version) };
    this.#remember({ version, kind, type: 'DELETED', object: { ...before, metadata } });
  }

  /** Forgets all history: who watches from before must list anew. */
  compact(): void {
    this.#history = [];
    this.#compactedTo = this.#version;
  }

  /** Changes of a kind after `version`. */
  changesAfter(kind: Kind, version: number): readonly StoredChange[] {
    return this.#history.filter((change) => change.kind === kind && change.version > version);
  }

  /** Settles at the next change of any kind, or when the signal is aborted. */
  async changed(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#listeners.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#listeners.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }

  /** Wakes who waits for a change, though there is none: watches tell how far they are. */
  wake(): void {
    for (const listener of this.#listeners) listener();
  }

  #remember(change: StoredChange): void {
    this.#history.push(change);
    const over = this.#history.length - (this.#options.historyChanges ?? 10_000);
    if (over > 0) this.#compactedTo = this.#history.splice(0, over).at(-1)?.version ?? 0;
    this.wake();
  }

  #newUid(): string {
    return `00000000-0000-4000-8000-${String(++this.#made).padStart(12, '0')}`;
  }
}

function keyOf({ namespace, name }: Place): string {
  return `${namespace}/${name}`;
}
