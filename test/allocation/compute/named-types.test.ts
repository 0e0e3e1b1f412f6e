/** Warnings of nodes by their types: which are named, and in which order. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { namedTypes } from '../../../src/allocation/compute/named-types.ts';

type Counts = readonly (readonly [name: string, nodes: number])[];

const MANY: Counts = Array.from({ length: 22 }, (_, i) => [`t${i + 10}`, 1]);

// prettier-ignore
const ROWS: readonly (readonly [what: string, counts: Counts, texts: readonly string[]])[] = [
  ['nothing of no nodes', [], []],
  ['one type', [['AWS x', 7]], ['nodes of 1 type with no price (AWS x (7)): 7; so be it']],
  ['the most frequent first, then by name', [['b', 1], ['c', 2], ['a', 1]], ['nodes of 3 types with no price (c (2), a (1), b (1)): 4; so be it']],
  ['twenty types, and how many more there are', [...MANY, ['z', 9]], [`nodes of 23 types with no price (z (9), ${MANY.slice(0, 19).map(([name]) => `${name} (1)`).join(', ')} and 3 more): 31; so be it`]],
];

describe('a warning of types tells', () => {
  for (const [what, counts, texts] of ROWS) {
    test(what, () => {
      const messages = namedTypes(counts, 'no price', 'so be it').map(({ message }) => message);
      assert.deepEqual(messages, texts);
    });
  }
});
