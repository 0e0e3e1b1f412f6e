/** Warnings of nodes by their types: which are named, and in which order. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { namedTypes } from '../../../src/allocation/compute/named-types.ts';

type Counts = readonly (readonly [name: string, nodes: number])[];

// prettier-ignore
const ROWS: readonly (readonly [what: string, counts: Counts, texts: readonly string[]])[] = [
  ['nothing of no nodes', [], []],
  ['one type', [['AWS x', 7]], ['nodes of 1 type with no price (AWS x (7)): 7; so be it']],
  ['the most frequent first, then by name', [['b', 1], ['c', 2], ['a', 1]], ['nodes of 3 types with no price (c (2), a (1), b (1)): 4; so be it']],
  ['five types, and how many more there are', [['a', 1], ['b', 1], ['c', 1], ['d', 1], ['e', 1], ['f', 1], ['g', 9]], ['nodes of 7 types with no price (g (9), a (1), b (1), c (1), d (1) and 2 more): 15; so be it']],
];

describe('a warning of types tells', () => {
  for (const [what, counts, texts] of ROWS) {
    test(what, () => {
      assert.deepEqual(namedTypes(counts, 'no price', 'so be it'), texts);
    });
  }
});
