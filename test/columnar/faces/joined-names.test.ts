/** Order and repeats of rows by names joined from several columns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  REPEATS,
  repeatsOfJoined,
  compileKernels,
  createEngine,
  DictionaryBuilder,
  orderOfJoined,
  type StoredTexts,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(256 << 20), 1);

/** Short texts, texts on both sides of `/`, with long common prefixes, and beyond ASCII. */
const text = fc.oneof(
  fc.constantFrom('', 'a', 'a-b', 'a.b', 'a/b', 'ab', 'é', '\uffff', '😀', 'alike-for-long', 'a\0'),
  fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 20 }),
);
const rows = fc.array(fc.tuple(fc.constantFrom('cluster-one', 'cluster-one-b'), text, text), {
  maxLength: 200,
});

type Names = readonly (readonly string[])[];

function columnsOf(names: Names): StoredTexts[] {
  const builder = new DictionaryBuilder();
  const codes = [0, 1, 2].map((part) =>
    Uint32Array.from(names, (name) => builder.code(name[part] ?? '')),
  );
  const texts = builder.store(engine.arena, TASK);
  // The kernels read codes from the arena.
  return codes.map((own) => {
    const placed = engine.arena.u32(engine.arena.allocate(4 * own.length + 4, TASK), own.length);
    placed.set(own);
    return { codes: placed, texts };
  });
}

function order(names: Names): number[] | undefined {
  return plain(orderOfJoined({ engine, owner: TASK }, columnsOf(names)));
}

function repeats(names: Names): number[] | undefined {
  const found = repeatsOfJoined({ engine, owner: TASK }, columnsOf(names));
  const repeated = found?.marks.filter((mark) => mark === REPEATS.first);
  assert.equal(found?.names, repeated?.length, 'names of several rows');
  return plain(found?.marks);
}

function plain(result: Uint32Array | undefined): number[] | undefined {
  const given = result && [...result];
  engine.arena.release(TASK);
  return given;
}

test('rows are in the order of their names, byte by byte, and rows of one name as they came', () => {
  fc.assert(
    fc.property(rows, (all) => {
      const names = all.map((parts) => Buffer.from(parts.join('/')));
      const none = Buffer.alloc(0);
      const byName = (a: number, b: number): number =>
        Buffer.compare(names[a] ?? none, names[b] ?? none) || a - b;
      const expected = [...names.keys()].sort(byName);
      const isAscending = names.every(
        (name, i) => i === 0 || Buffer.compare(names[i - 1] ?? none, name) < 0,
      );
      assert.deepEqual(order(all), isAscending ? undefined : expected);
    }),
  );
});

test('no rows and one row are in order', () => {
  assert.equal(order([]), undefined);
  assert.equal(order([['a', 'b', 'c']]), undefined);
});

test('thousands of names with a common prefix are put in order', () => {
  const pods = Array.from({ length: 5000 }, (_, i) => `pod-${(i * 7919) % 5000}`);
  const found = order(pods.map((pod) => ['cluster', 'node-1', pod]));
  assert.deepEqual(
    found?.map((row) => pods[row]),
    pods.toSorted(),
  );
});

test('rows in order are marked by whether other rows have their name', () => {
  const few = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y', ''), text));
  fc.assert(
    fc.property(few, fc.boolean(), (all, isOrdered) => {
      const bytes = (parts: readonly string[]): Buffer => Buffer.from(parts.join('/'));
      const rows = isOrdered ? all.toSorted((a, b) => bytes(a).compare(bytes(b))) : all;
      const names = rows.map(bytes);
      const isInOrder = names.every(
        (name, i) => i === 0 || (names[i - 1]?.compare(name) ?? 0) <= 0,
      );
      const expected = names.map((name, i) => {
        if (names[i - 1]?.equals(name)) return REPEATS.other;
        return names[i + 1]?.equals(name) ? REPEATS.first : REPEATS.none;
      });
      assert.deepEqual(repeats(rows), isInOrder ? expected : undefined);
    }),
  );
});
