/** A cache within a budget: recently used values stay, and concurrent callers share one making. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Cache } from '../../src/cache/index.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e'];
const BUDGET = 10;

function sized(entriesMax: number = Infinity): Cache<string> {
  return new Cache({
    budget: BUDGET,
    entriesMax,
    sizeOf: (value) => value.length,
    isCacheable: (value) => !value.startsWith('-'),
  });
}

/** Lets the handlers of settled promises run. */
const promisesRun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('values that are left after some were set and got', () => {
  /** Values of so many characters; a key alone is got. */
  const cases: readonly (readonly [name: string, steps: string, expected: string])[] = [
    ['all that fits', 'a4 b4 c2', 'abc'],
    ['not the one that was set longest ago', 'a4 b4 c4', 'bc'],
    ['what was got since, not what was set after it', 'a4 b4 a c4', 'ac'],
    ['what was set again', 'a4 b4 a4 c4', 'ac'],
    ['the size of the newest value of a key alone', 'a9 a1 b9', 'ab'],
    ['as many as have to go, and no more', 'a2 b2 c2 d2 e5', 'cde'],
    ['no value larger than the budget, and all others', 'a5 b5 c11', 'ab'],
    ['no older value of a key whose new value is too large', 'a5 b5 a11', 'b'],
    ['not more than there may be, however small', 'a1 b1 c1 d1', 'bcd'],
    ['not more than there may be, however empty', 'a0 b0 c0 d0', 'bcd'],
  ];
  for (const [name, steps, expected] of cases) {
    test(`${name}: ${steps}`, () => {
      const cache = sized(3);
      for (const [key = '', ...digits] of steps.split(' ')) {
        if (digits.length === 0) cache.get(key);
        else cache.set(key, 'x'.repeat(Number(digits.join(''))));
      }
      assert.equal(KEYS.filter((key) => cache.has(key)).join(''), expected);
    });
  }
});

describe('a value that is made', () => {
  test('is made once for all callers of one tick, and for later callers', async () => {
    const cache = sized();
    let made = 0;
    const make = (): Promise<string> => Promise.resolve(`${++made}`);
    const open = (): Promise<string> => cache.open('a', make);
    assert.deepEqual(await Promise.all([open(), open()]), ['1', '1']);
    assert.equal(await open(), '1');
  });

  test('is not made if one was set', async () => {
    const cache = sized();
    cache.set('a', 'set');
    assert.equal(await cache.open('a', () => Promise.reject(new Error('no'))), 'set');
  });

  test('all callers get a failure, and the next one makes the value again', async () => {
    const cache = sized();
    const fail = (): Promise<string> => cache.open('a', () => Promise.reject(new Error('no')));
    for (const result of await Promise.allSettled([fail(), fail()])) {
      assert.equal(result.status, 'rejected');
    }
    assert.equal(await cache.open('a', () => Promise.resolve('yes')), 'yes');
  });

  test('an immediate throw is a failure too, and the next caller makes the value again', async () => {
    const cache = sized();
    const fail = (): Promise<string> => {
      throw new Error('no');
    };
    await assert.rejects(cache.open('a', fail), /no/);
    assert.equal(await cache.open('a', () => Promise.resolve('yes')), 'yes');
  });

  for (const value of ['-', 'x'.repeat(BUDGET + 1)]) {
    test(`is only returned when it must not be cached: ${value}`, async () => {
      const cache = sized();
      const open = (): Promise<string> => cache.open('a', () => Promise.resolve(value));
      assert.deepEqual(await Promise.all([open(), open()]), [value, value]);
      assert.equal(cache.has('a'), false);
    });
  }
});

type Step =
  | { readonly do: 'get' | 'delete' | 'open'; readonly key: string }
  | { readonly do: 'set'; readonly key: string; readonly size: number }
  | { readonly do: 'make'; readonly key: string; readonly size: number; readonly how: string };

const key = fc.constantFrom(...KEYS);
const size = fc.integer({ min: 0, max: BUDGET + 2 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom('get' as const, 'delete' as const, 'open' as const), key }),
    fc.record({ do: fc.constant('set' as const), key, size }),
    fc.record({
      do: fc.constant('make' as const),
      key,
      size,
      how: fc.constantFrom('cached', 'uncached', 'fails'),
    }),
  ),
  { maxLength: 40, size: 'max' },
);

/** The model of a cache: a list in order of use, shortened from its start. */
class Reference {
  list: (readonly [key: string, value: string])[] = [];

  get(wanted: string): string | undefined {
    const found = this.list.find(([each]) => each === wanted);
    if (found) this.list = [...this.list.filter((each) => each !== found), found];
    return found?.[1];
  }

  delete(wanted: string): void {
    this.list = this.list.filter(([each]) => each !== wanted);
  }

  set(wanted: string, value: string): void {
    this.delete(wanted);
    if (value.length > BUDGET) return;
    this.list.push([wanted, value]);
    while (this.list.reduce((sum, [, { length }]) => sum + length, 0) > BUDGET) this.list.shift();
    if (this.list.length > 3) this.list.shift();
  }
}

interface Making {
  readonly end: (value: string | undefined) => void;
  readonly waiting: Promise<string>[];
}

/** Runs steps on a cache and on its model; a making ends when a step says so. */
class ModelCheck {
  readonly cache: Cache<string> = sized(3);
  readonly reference: Reference = new Reference();
  readonly makings: Map<string, Making> = new Map();
  #made = 0;

  async run(step: Step): Promise<void> {
    const { cache, reference } = this;
    if (step.do === 'get') assert.equal(cache.get(step.key), reference.get(step.key));
    if (step.do === 'delete') cache.delete(step.key);
    if (step.do === 'delete') reference.delete(step.key);
    if (step.do === 'open') await this.#open(step.key);
    if (step.do === 'make') await this.#make(step);
    if (step.do === 'set') {
      const value = this.#value('', step.size);
      cache.set(step.key, value);
      reference.set(step.key, value);
    }
  }

  /** A new value of this length. */
  #value(prefix: string, length: number): string {
    return `${prefix}${++this.#made}`.padEnd(length, '.').slice(0, length);
  }

  async #open(wanted: string): Promise<void> {
    const known = this.reference.get(wanted);
    const making = this.makings.get(wanted);
    let isBegun = false;
    const opened = this.cache.open(wanted, () => {
      isBegun = true;
      return new Promise((resolve, reject) => {
        const end: Making['end'] = (value) =>
          value === undefined ? reject(new Error('no')) : resolve(value);
        this.makings.set(wanted, { end, waiting: [] });
      });
    });
    opened.catch(() => undefined);
    const isNew = known === undefined && making === undefined;
    assert.equal(isBegun, isNew, 'made only where it is neither there nor being made');
    if (known !== undefined) assert.equal(await opened, known);
    else this.makings.get(wanted)?.waiting.push(opened);
  }

  async #make(step: Extract<Step, { do: 'make' }>): Promise<void> {
    const making = this.makings.get(step.key);
    if (!making) return;
    const value = this.#value(step.how === 'uncached' ? '-' : '', step.size);
    this.makings.delete(step.key);
    making.end(step.how === 'fails' ? undefined : value);
    await promisesRun();
    const expected = step.how === 'fails' ? 'rejected' : 'fulfilled';
    for (const result of await Promise.allSettled(making.waiting)) {
      assert.equal(result.status, expected);
      if (result.status === 'fulfilled') assert.equal(result.value, value);
    }
    const isCached = step.how !== 'fails' && !value.startsWith('-');
    if (isCached) this.reference.set(step.key, value);
  }

  check(): void {
    const there = KEYS.filter((each) => this.cache.has(each));
    const expected = [...this.reference.list.map(([each]) => each), ...this.makings.keys()];
    assert.deepEqual(there, [...new Set(expected)].toSorted());
  }
}

test('a cache agrees with its model after any steps', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const tried = new ModelCheck();
      for (const step of all) {
        await tried.run(step);
        tried.check();
      }
    }),
    { numRuns: 500 },
  );
});
