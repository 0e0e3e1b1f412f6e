/** Rows by names that are joined of several columns: their order, and which have one name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  ALIKE,
  alikeJoined,
  compileKernels,
  createEngine,
  DictionaryBuilder,
  orderOfJoined,
  type StoredTexts,
} from '../../src/columnar/index.ts';
import { dirtyMemory } from '../support/dirty-memory.ts';

const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(256 << 20), 1);

/** As short as they may be, on both sides of `/`, alike for longer than eight bytes, beyond ASCII. */
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

function alike(names: Names): number[] | undefined {
  return plain(alikeJoined({ engine, owner: TASK }, columnsOf(names)));
}

function plain(told: Uint32Array | undefined): number[] | undefined {
  const given = told && [...told];
  engine.arena.release(TASK);
  return given;
}

test('rows are in the order of their names, byte by byte, those of one name as they came', () => {
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

test('thousands of names that begin alike are put in order', () => {
  const pods = Array.from({ length: 5000 }, (_, i) => `pod-${(i * 7919) % 5000}`);
  const found = order(pods.map((pod) => ['cluster', 'node-1', pod]));
  assert.deepEqual(
    found?.map((row) => pods[row]),
    pods.toSorted(),
  );
});

test('rows in order are told whether others have their name', () => {
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
        if (names[i - 1]?.equals(name)) return ALIKE.other;
        return names[i + 1]?.equals(name) ? ALIKE.first : ALIKE.none;
      });
      assert.deepEqual(alike(rows), isInOrder ? expected : undefined);
    }),
  );
});
