/**
 * The collections there are, and what of idle they bear. Changes come one after the other: each is
 * checked against what the one before left, kept on disk, and only then seen.
 */
import { randomUUID } from 'node:crypto';
import { Fault, refuse } from '../query/index.ts';
import type { Checked, Collection } from './collection.ts';
import type { Idle } from './idle.ts';
import type { Keeper } from './keeper.ts';
import type { Known, State } from './state.ts';

const COLLECTIONS_MAX = 10_000;
/** Of all as JSON: the main thread lists and keeps them at once. */
const TEXT_MAX = 4 * 2 ** 20;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class Registry {
  readonly #keeper: Keeper;
  #state: State;
  #last: Promise<unknown> = Promise.resolve();

  /** @param keeper keeps changes; `state` is what it had */
  constructor(keeper: Keeper, state: State) {
    this.#keeper = keeper;
    this.#state = state;
  }

  get idle(): Idle {
    return this.#state.idle;
  }

  /** @param category undefined: all */
  list(category?: string): readonly Known[] {
    const all = [...this.#state.known.values()];
    return category === undefined
      ? all
      : all.filter(({ collection }) => collection.category === category);
  }

  /** @throws {Fault} 404 for a category without collections */
  ofCategory(category: string): readonly Known[] {
    const found = this.list(category);
    if (found.length > 0) return found;
    const names = [...new Set(this.list().map(({ collection }) => collection.category))];
    const told = names.filter((name) => name !== '').slice(0, 10);
    throw new Fault(`there is no category '${category.slice(0, 80)}'`, {
      status: 404,
      parameter: 'category',
      hint: told.length > 0 ? `there are ${told.join(', ')}` : 'no collection has a category yet',
    });
  }

  /** @throws {Fault} 400 for what is no UUID, 404 for an id that nobody has */
  get(id: string): Known {
    return this.#found(readId(id));
  }

  /** @throws {Fault} 409 for a name that its category has already */
  create(checked: Checked): Promise<Collection> {
    return this.#change((known) => {
      if (known.size >= COLLECTIONS_MAX) throw full();
      return this.#put(known, randomUUID(), checked);
    });
  }

  /** @param id as `readId` has it @throws {Fault} likewise, and 404 */
  replace(id: string, checked: Checked): Promise<Collection> {
    return this.#change((known) => {
      this.#found(id);
      return this.#put(known, id, checked);
    });
  }

  /** @returns what it was @throws {Fault} 404 */
  remove(id: string): Promise<Collection> {
    const own = readId(id);
    return this.#change((known) => {
      const { collection } = this.#found(own);
      known.delete(own);
      return collection;
    });
  }

  setIdle(idle: Idle): Promise<Idle> {
    return this.#commit(() => [{ ...this.#state, idle }, idle]);
  }

  #found(id: string): Known {
    const found = this.#state.known.get(id);
    if (found) return found;
    throw new Fault(`there is no collection ${id}`, {
      status: 404,
      parameter: 'id',
      hint: 'GET /collections lists them',
    });
  }

  #put(known: Map<string, Known>, id: string, { draft, groups }: Checked): Collection {
    for (const { collection } of known.values()) {
      if (collection.id !== id && isAlike(collection, draft)) throw taken(collection);
    }
    const collection = { id, ...draft };
    known.set(id, { collection, groups, json: JSON.stringify(collection) });
    let characters = 0;
    for (const { json } of known.values()) characters += json.length;
    if (characters > TEXT_MAX) throw tooLong();
    return collection;
  }

  #change<Result>(apply: (known: Map<string, Known>) => Result): Promise<Result> {
    return this.#commit(() => {
      const known = new Map(this.#state.known);
      const result = apply(known);
      return [{ ...this.#state, known }, result];
    });
  }

  #commit<Result>(make: () => readonly [State, Result]): Promise<Result> {
    const done = this.#last.then(async () => {
      const [state, result] = make();
      await this.#keeper.keep(state);
      this.#state = state;
      return result;
    });
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** @throws {Fault} 400 for what is no UUID */
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

function isAlike(a: Pick<Collection, 'name' | 'category'>, b: typeof a): boolean {
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
