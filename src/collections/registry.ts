/**
 * All collections, and how they are charged for idle. Changes run in sequence: each is checked against
 * the result of the one before, stored, and only then visible.
 */
import { randomUUID } from 'node:crypto';
import type { Change, Visit } from '../http/index.ts';
import { Fault, refuse } from '../query/index.ts';
import type { Checked, Collection } from './collection.ts';
import type { Idle } from './idle.ts';
import type { CollectionStore } from './collection-store.ts';
import type { StoredCollection, State } from './state.ts';

const COLLECTIONS_MAX = 10_000;
/** Characters of all collections as JSON: the main thread lists and stores them in one go. */
const TEXT_MAX = 4 * 2 ** 20;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Called before a change is written. @throws when the change must not be made */
type Record = Visit['record'];
const unrecorded: Record = () => Promise.resolve();

/** Whether a change is meant for the collection as it is, as JSON. */
export type IsExpected = (json: string) => boolean;
const anything: IsExpected = () => true;

interface Changed<Result> extends Change {
  readonly result: Result;
}

export class Registry {
  readonly #store: CollectionStore;

  constructor(store: CollectionStore) {
    this.#store = store;
  }

  get idle(): Idle {
    return this.#store.value.idle;
  }

  /** @param category undefined: all */
  list(category?: string): readonly StoredCollection[] {
    const all = [...this.#store.value.known.values()];
    return category === undefined
      ? all
      : all.filter(({ collection }) => collection.category === category);
  }

  /** @throws {Fault} 404 for a category without collections */
  ofCategory(category: string): readonly StoredCollection[] {
    const found = this.list(category);
    if (found.length > 0) return found;
    const names = [...new Set(this.list().map(({ collection }) => collection.category))];
    const listed = names.filter((name) => name !== '').slice(0, 10);
    throw new Fault(`there is no category '${category.slice(0, 80)}'`, {
      status: 404,
      parameter: 'category',
      hint:
        listed.length > 0 ? `there are ${listed.join(', ')}` : 'no collection has a category yet',
    });
  }

  /** @throws {Fault} 400 for a malformed UUID, 404 for an unknown id */
  get(id: string): StoredCollection {
    return foundIn(this.#store.value.known, readId(id));
  }

  /** @throws {Fault} 409 for a name that the category already has */
  create(checked: Checked, record: Record = unrecorded): Promise<Collection> {
    const id = randomUUID();
    return this.#change(record, (known) => {
      if (known.size >= COLLECTIONS_MAX) throw full();
      const after = put(known, id, checked);
      return { of: id, before: null, after, result: after };
    });
  }

  /** @param id as `readId` returns it @throws {Fault} likewise, 404, and 412 where another was expected */
  replace(
    id: string,
    checked: Checked,
    record: Record = unrecorded,
    isExpected: IsExpected = anything,
  ): Promise<Collection> {
    return this.#change(record, (known) => {
      const before = expectedIn(known, id, isExpected).collection;
      const after = put(known, id, checked);
      return { of: id, before, after, result: after };
    });
  }

  /** @returns the removed collection @throws {Fault} 404, and 412 where another was expected */
  remove(
    id: string,
    record: Record = unrecorded,
    isExpected: IsExpected = anything,
  ): Promise<Collection> {
    const own = readId(id);
    return this.#change(record, (known) => {
      const { collection } = expectedIn(known, own, isExpected);
      known.delete(own);
      return { of: own, before: collection, after: null, result: collection };
    });
  }

  setIdle(idle: Idle, record: Record = unrecorded): Promise<Idle> {
    return this.#commit(record, (state) => {
      const change = { of: 'idle', before: state.idle, after: idle, result: idle };
      return [{ ...state, idle }, change];
    });
  }

  #change<Result>(
    record: Record,
    apply: (known: Map<string, StoredCollection>) => Changed<Result>,
  ): Promise<Result> {
    return this.#commit(record, (state) => {
      const known = new Map(state.known);
      const changed = apply(known);
      return [{ ...state, known }, changed];
    });
  }

  async #commit<Result>(
    record: Record,
    make: (state: State) => readonly [State, Changed<Result>],
  ): Promise<Result> {
    const made: { result?: Result; recorded?: string } = {};
    await this.#store.change(async (state) => {
      const [next, { result, ...change }] = make(state);
      // Made anew, as another server changed something else, it is the same as a rule.
      const recorded = JSON.stringify(change);
      if (recorded !== made.recorded) await record(change);
      Object.assign(made, { result, recorded });
      return next;
    });
    if (made.result === undefined) throw new Error('BUG: a change was not made');
    return made.result;
  }
}

/** @throws {Fault} 400 for a malformed UUID */
export function readId(text: string): string {
  const id = text.trim().toLowerCase();
  if (UUID.test(id)) return id;
  throw refuse(
    'id',
    text,
    'the id of a collection, a UUID',
    '7b2f6a2e-6d0c-4f0e-9a51-2f3c5c0d9e11',
  );
}

function foundIn(known: State['known'], id: string): StoredCollection {
  const found = known.get(id);
  if (found) return found;
  throw new Fault(`there is no collection ${id}`, {
    status: 404,
    parameter: 'id',
    hint: 'GET /collections lists them',
  });
}

function expectedIn(known: State['known'], id: string, isExpected: IsExpected): StoredCollection {
  const found = foundIn(known, id);
  if (isExpected(found.json)) return found;
  throw new Fault(`collection ${id} was changed since you read it`, {
    status: 412,
    parameter: 'if-match',
    hint: `GET /collection?id=${id} gives it as it is now, with its ETag`,
  });
}

function put(
  known: Map<string, StoredCollection>,
  id: string,
  { draft, groups }: Checked,
): Collection {
  for (const { collection } of known.values()) {
    if (collection.id !== id && isSameName(collection, draft)) throw taken(collection);
  }
  const collection = { id, ...draft };
  known.set(id, { collection, groups, json: JSON.stringify(collection) });
  let characters = 0;
  for (const { json } of known.values()) characters += json.length;
  if (characters > TEXT_MAX) throw tooLong();
  return collection;
}

function isSameName(a: Pick<Collection, 'name' | 'category'>, b: typeof a): boolean {
  return a.name === b.name && a.category === b.category;
}

function taken({ id, name, category }: Collection): Fault {
  const where = category === '' ? 'without a category' : `of category '${category}'`;
  return new Fault(`there is a collection '${name}' ${where} already: ${id}`, {
    status: 409,
    parameter: 'name',
    hint: `PUT /collection?id=${id} changes it`,
  });
}

function tooLong(): Fault {
  return new Fault(`all collections together have more than ${TEXT_MAX} characters`, {
    status: 409,
    hint: 'name what is meant by a label, a prefix or a namespace instead of one by one',
  });
}

function full(): Fault {
  return new Fault(`there are ${COLLECTIONS_MAX} collections, and no more are kept`, {
    status: 409,
    hint: 'remove some: DELETE /collection?id=…',
  });
}
