/** An arena cache against a model, a plain list of all values, on any order of steps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ArenaCache, type Held } from '../../src/cache/index.ts';
import { Arena, Owners, type Owner } from '../../src/columnar/index.ts';
import { dirtyMemory } from '../support/references/dirty-memory.ts';

const PAGE = 65_536;
const BUDGET = 6;
const ENTRY_MAX = 4;

const arena = new Arena(dirtyMemory(512 * PAGE));
const owners = new Owners(arena);

const allocated = (owner: Owner, pages: number): number => arena.allocate(pages * PAGE, owner);
const usedPages = (): number => arena.usedBytes / PAGE;

const KEYS = ['a', 'b', 'c', 'd'];
type Step =
  | { readonly do: 'open'; readonly key: string }
  | { readonly do: 'make'; readonly key: string; readonly pages: number; readonly fails: boolean }
  | { readonly do: 'release' | 'forget' | 'late'; readonly nth: number }
  | { readonly do: 'add'; readonly nth: number; readonly pages: number }
  | { readonly do: 'clear' };

const key = fc.constantFrom(...KEYS);
const pages = fc.integer({ min: 1, max: 5 });
const nth = fc.nat(7);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('open' as const), key }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('make' as const), key, pages, fails: fc.boolean() }),
    },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('release' as const), nth }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), nth }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('late' as const), nth }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('add' as const), nth, pages }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const) }) },
  ),
  { maxLength: 50, size: 'max' },
);

/** A value in the model. */
interface Made {
  readonly key: string;
  pages: number;
  users: number;
  isMade: boolean;
  isFound: boolean;
  usedAt: number;
}

/** The model: a list of all values that are not freed, searched from its start each time. */
class Reference {
  all: Made[] = [];
  #now = 0;

  found(wanted: string): Made | undefined {
    return this.all.find((each) => each.isFound && each.key === wanted);
  }

  open(wanted: string): Made {
    const known = this.found(wanted);
    const made = known ?? {
      key: wanted,
      pages: 0,
      users: 0,
      isMade: false,
      isFound: true,
      usedAt: 0,
    };
    if (!known) this.all.push(made);
    made.users++;
    made.usedAt = ++this.#now;
    return made;
  }

  release(made: Made): void {
    made.users--;
    const isStaying = made.isFound && made.pages <= ENTRY_MAX;
    if (made.users === 0 && !isStaying) this.drop(made);
    this.evict();
  }

  evict(): void {
    const total = this.all.reduce((sum, each) => sum + each.pages, 0);
    const [oldest] = this.all
      .filter(({ users }) => users === 0)
      .toSorted((a, b) => a.usedAt - b.usedAt);
    if (total <= BUDGET || !oldest) return;
    this.drop(oldest);
    this.evict();
  }

  drop(made: Made): void {
    this.all = this.all.filter((each) => each !== made);
  }
}

interface Making {
  readonly made: Made;
  readonly end: (pages: number, fails: boolean) => void;
  readonly waiting: Promise<Held<Place>>[];
}

interface Place {
  readonly owner: Owner;
  readonly address: number;
  readonly made: Made;
}

class Tried {
  readonly cache: ArenaCache<Place> = new ArenaCache({
    arena,
    owners,
    budgetBytes: BUDGET * PAGE,
    entryMaxBytes: ENTRY_MAX * PAGE,
  });
  readonly reference: Reference = new Reference();
  readonly makings: Map<string, Making> = new Map();
  held: Held<Place>[] = [];
  released: Held<Place>[] = [];

  async run(step: Step): Promise<void> {
    if (step.do === 'open') await this.#open(step.key);
    if (step.do === 'make') await this.#make(step.key, step.pages, step.fails);
    if (step.do === 'clear') this.#clear();
    if (step.do === 'late') this.#late(this.released[step.nth]);
    const held = 'nth' in step ? this.held[step.nth] : undefined;
    if (!held) return;
    const { made, owner } = held.value;
    if (step.do === 'forget') {
      held.forget();
      made.isFound = false;
    } else if (step.do === 'add') {
      allocated(owner, step.pages);
      held.measure();
      made.pages += step.pages;
      this.reference.evict();
    } else if (step.do === 'release') {
      held.release();
      this.released.unshift(held);
      this.held = this.held.filter((each) => each !== held);
      this.reference.release(made);
    }
  }

  /** Uses of a released value have no effect. */
  #late(released: Held<Place> | undefined): void {
    released?.measure();
    released?.forget();
    released?.release();
  }

  async #open(wanted: string): Promise<void> {
    const known = this.reference.found(wanted);
    const made = this.reference.open(wanted);
    let isBegun = false;
    const opening = this.cache.open(wanted, (owner) => {
      isBegun = true;
      return new Promise((resolve, reject) => {
        const end = (size: number, fails: boolean): void => {
          const address = allocated(owner, size);
          if (fails) reject(new Error('no'));
          else resolve({ owner, address, made });
        };
        this.makings.set(wanted, { made, end, waiting: [] });
      });
    });
    assert.equal(
      isBegun,
      known === undefined,
      'made only where it is neither there nor being made',
    );
    if (!made.isMade) this.makings.get(wanted)?.waiting.push(opening);
    else this.held.push(await opening);
    opening.catch(() => undefined);
  }

  async #make(wanted: string, size: number, fails: boolean): Promise<void> {
    const making = this.makings.get(wanted);
    if (!making) return;
    const { made, waiting } = making;
    this.makings.delete(wanted);
    making.end(size, fails);
    made.isMade = true;
    if (fails) this.reference.drop(made);
    else made.pages = size;
    this.reference.evict();
    for (const result of await Promise.allSettled(waiting)) {
      assert.equal(result.status, fails ? 'rejected' : 'fulfilled');
      if (result.status === 'fulfilled') this.held.push(result.value);
    }
  }

  #clear(): void {
    this.cache.clear();
    for (const made of this.reference.all) if (made.users === 0) this.reference.drop(made);
  }

  check(): void {
    const { all } = this.reference;
    const there = KEYS.filter((each) => this.cache.has(each));
    const expected = all.filter(({ isFound }) => isFound).map((made) => made.key);
    assert.deepEqual(there, expected.toSorted());
    const total = all.reduce((sum, made) => sum + made.pages, 0);
    assert.equal(usedPages(), total);
    assert.ok(total <= BUDGET || all.every(({ users }) => users > 0), 'beyond the budget, unused');
    for (const { value } of this.held) arena.u8(value.address, PAGE);
  }

  /** Ends all makings. */
  async end(): Promise<void> {
    for (const each of this.makings.keys()) await this.#make(each, 1, false);
    for (const { release } of this.held) release();
    this.cache.clear();
    assert.equal(usedPages(), 0);
  }
}

test('an arena cache agrees with its model after any steps', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const tried = new Tried();
      for (const step of all) {
        await tried.run(step);
        tried.check();
      }
      await tried.end();
    }),
    { numRuns: 500 },
  );
});
