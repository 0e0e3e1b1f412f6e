import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  compileKernels,
  createEngine,
  createMeter,
  indexKeys,
  type KeyLabels,
} from '../../../src/columnar/index.ts';
import { METER } from '../../../src/columnar/faces/layout/meter.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { placeBatch } from '../../support/references/arena-batch.ts';
import { placeKeys, type Key } from '../../support/references/meter-ledger.ts';
import { encodeLabels, type TestSeries } from '../../support/stores/samples-encoding.ts';

const engine = createEngine(compileKernels(), dirtyMemory(8 << 20), 1);
const { arena, kernels } = engine;
const OWNER = 2;
const NOT_FOUND = -11;
const DAMAGED = -1;
/** Offset of the index inside a meter, by createMeter (src/columnar/faces/meter.ts). */
const INDEX_AT = METER.bytes;
const THREE: KeyLabels = {
  parts: [['cluster'], ['pod', 'pod_name'], ['container']],
  fallbacks: ['one', '', ''],
};

type Labels = TestSeries['labels'];

/** Enters `keys`, then finds the key of each series. */
function found(
  keys: readonly Key[],
  series: readonly Labels[],
  keyLabels: KeyLabels = THREE,
): number[] {
  const index = indexOf(keys, keyLabels);
  const numbers = series.map((labels) => find(index, encodeLabels(labels)));
  arena.release(OWNER);
  return numbers;
}

function indexOf(keys: readonly Key[], keyLabels: KeyLabels): number {
  const placed = placeKeys(engine, OWNER, keys);
  const none = { identities: 0, identityCount: 0, segments: 0, runs: 0, sets: 0, setCount: 0 };
  const tables = {
    ...none,
    ...placed,
    ...indexKeys(engine, OWNER, { ...placed, count: keys.length }),
  };
  const meter = createMeter(arena, OWNER, tables, 0, {
    resource: 'cpu',
    isCounter: false,
    gapMs: 0,
    maxRate: 0,
    keyLabels,
  });
  return meter + INDEX_AT;
}

function find(index: number, labels: Uint8Array): number {
  const { address, bytes } = placeBatch(engine, OWNER, labels, 'samples');
  const key = kernels.findKey(index, address, address + bytes);
  arena.free(address, bytes + 16);
  return key;
}

function labelsOf(key: readonly string[]): Labels {
  const [cluster = '', pod = '', container = ''] = key;
  return [
    ['cluster', cluster],
    ['pod', pod],
    ['container', container],
  ];
}

const part = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'aa', 'ab', 'ÿ', '\u{10ffff}', 'one'),
  fc.string({ unit: 'grapheme', maxLength: 5 }).map((text) => text.replaceAll('\0', '')),
  fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 300 }),
);
const anyKey = fc.tuple(part, part, part);
const spelling = (key: readonly string[]): string => [key[0] || 'one', key[1], key[2]].join('\0');

test('each key is found by its labels, and no other series finds one', () => {
  const distinct = { selector: spelling, maxLength: 60 };
  fc.assert(
    fc.property(fc.uniqueArray(anyKey, distinct), fc.array(anyKey), (keys, strangers) => {
      const filled = keys.map(([cluster, pod, container]) => [cluster || 'one', pod, container]);
      const numbers = new Map(keys.map((key, i) => [spelling(key), i]));
      const expected = [...keys, ...strangers].map((k) => numbers.get(spelling(k)) ?? NOT_FOUND);
      assert.deepEqual(found(filled, [...keys, ...strangers].map(labelsOf)), expected);
    }),
    { numRuns: 300 },
  );
});

test('keys whose parts concatenate to the same text are told apart', () => {
  const keys = [
    ['a', 'bc', ''],
    ['ab', 'c', ''],
    ['abc', 'x', ''],
    ['a', 'b', 'c'],
    ['a', '', 'bc'],
    ['abc', '', 'x'],
    ['abc', '', ''],
  ];
  assert.deepEqual(found(keys, keys.map(labelsOf)), [0, 1, 2, 3, 4, 5, 6]);
});

test('a key is not found by a prefix of it, nor by a longer key', () => {
  const keys = [['a', 'pod-1', 'app']];
  const rows = [['a', 'pod-', 'app'], ['a', 'pod-11', 'app'], ['a', 'pod-1', ''], ['', '', '']];
  assert.deepEqual(found(keys, rows.map(labelsOf)), rows.map(() => NOT_FOUND));
}); // prettier-ignore

test('values may hold any byte but zero', () => {
  const bytes = (...values: number[]): Buffer => Buffer.from(values);
  const values = [bytes(255), bytes(255, 255), bytes(254), bytes(1, 255, 128)];
  const keys = values.map((value) => [Buffer.from('one'), value, bytes()]);
  const index = indexOf(keys, THREE);
  values.forEach((value, i) => {
    const pod = Buffer.concat([bytes(10, 3), Buffer.from('pod'), bytes(18, value.length), value]);
    assert.equal(find(index, Buffer.concat([bytes(10, pod.length), pod])), i);
  });
  arena.release(OWNER);
});

test('a part without its label has its fallback, and an empty label is none', () => {
  const keys = [['one', '', ''], ['one', 'a', ''], ['two', 'a', 'x']]; // prettier-ignore
  const rows: [Labels, number][] = [
    [[], 0],
    [[['pod', 'a']], 1],
    [[['pod', 'a'], ['cluster', '']], 1],
    [[['pod', 'a'], ['cluster', 'two'], ['container', 'x']], 2],
    [[['pod', 'a'], ['cluster', 'two']], NOT_FOUND],
    [[['Pod', 'a'], ['po', 'b'], ['pods', 'c'], ['__proto__', 'd']], 0],
  ]; // prettier-ignore
  for (const [labels, expected] of rows) {
    assert.deepEqual(found(keys, [labels]), [expected], JSON.stringify(labels));
  }
});

test('the first in the list of the labels that fill one part wins, in any order of labels', () => {
  const keys = [['one', 'new', ''], ['one', 'old', '']]; // prettier-ignore
  const rows: [Labels, number][] = [
    [[['pod', 'new'], ['pod_name', 'old']], 0],
    [[['pod_name', 'old'], ['pod', 'new']], 0],
    [[['pod_name', 'old']], 1],
    [[['pod_name', 'old'], ['pod', '']], 1],
    [[['pod', ''], ['pod_name', 'old']], 1],
  ]; // prettier-ignore
  for (const [labels, expected] of rows) {
    assert.deepEqual(found(keys, [labels]), [expected], JSON.stringify(labels));
  }
});

test('one part and eight parts make keys, and no keys find nothing', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const eight: KeyLabels = { parts: names.map((name) => [name]), fallbacks: names.map(() => '-') };
  const one: KeyLabels = { parts: [['a']], fallbacks: [''] };
  const all = names.map((name): [string, string] => [name, name.repeat(3)]);
  assert.deepEqual(found([all.map(([, value]) => value)], [all, []], eight), [0, NOT_FOUND]);
  assert.deepEqual(found([['aaa']], [all, []], one), [0, NOT_FOUND]);
  assert.deepEqual(found([], [all, []], one), [NOT_FOUND, NOT_FOUND]);
});

test('labels cut off anywhere but between two of them are damaged', () => {
  const labels = labelsOf(['one', 'pod', 'x'.repeat(130)]);
  const whole = encodeLabels(labels);
  const ends = [0, 1, 2, 3].map((count) => encodeLabels(labels.slice(0, count)).length);
  const index = indexOf([], THREE);
  for (let length = 0; length <= whole.length; length++) {
    const expected = ends.includes(length) ? NOT_FOUND : DAMAGED;
    assert.equal(find(index, whole.subarray(0, length)), expected, `${length} bytes`);
  }
  arena.release(OWNER);
});

test('a hundred thousand keys are all found', () => {
  const keys = Array.from({ length: 100_000 }, (_, i) => ['one', `pod-${i}`, i % 2 ? 'app' : '']);
  const index = indexOf(keys, THREE);
  const wrong = keys.filter((key, i) => find(index, encodeLabels(labelsOf(key))) !== i);
  assert.deepEqual(wrong, []);
  arena.release(OWNER);
});
