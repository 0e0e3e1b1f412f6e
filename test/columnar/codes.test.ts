import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  bytesOfRows,
  codesIn,
  commonCodes,
  compileKernels,
  createEngine,
  greatestValues,
  mapCodes,
  mapKeptCodes,
  MIXED_CODES,
  NO_CODE,
  noCodes,
  numberPairs,
  RowSet,
  rowsOfValue,
} from '../../src/columnar/index.ts';
import { dirtyMemory } from '../support/dirty-memory.ts';

const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(256 << 20), 1);
const space = { engine, owner: TASK };

/** Codes in [0, 40) and groups in [0, 12), a row; some counts of rows are not a multiple of four. */
const rows = fc
  .array(fc.tuple(fc.nat(39), fc.nat(11), fc.nat(1)), { maxLength: 300 })
  .map((list) => ({
    codes: Uint32Array.from(list, ([code]) => code),
    groups: Uint32Array.from(list, ([, group]) => group),
    kept: Uint8Array.from(list, ([, , kept]) => kept),
  }));
const table = Uint32Array.from({ length: 40 }, (_, code) => 1000 - 7 * code);

type Rows = typeof rows extends fc.Arbitrary<infer R> ? R : never;

/** Of rows that come in two parts. */
function commonOf(codes: Uint32Array, groups: Uint32Array): Int32Array {
  const common = noCodes(space, 12);
  for (const [part, of] of halves(codes, groups)) commonCodes(space, part, of, common);
  return common;
}

function greatestOf(codes: Uint32Array, groups: Uint32Array): Uint32Array {
  const greatest = engine.arena.u32(engine.arena.allocateZeroed(48, TASK), 12);
  for (const [part, of] of halves(codes, groups)) greatestValues(space, part, of, greatest);
  return greatest;
}

function halves(codes: Uint32Array, groups: Uint32Array): [Uint32Array, Uint32Array][] {
  const middle = codes.length >> 1;
  return [
    [codes.slice(0, middle), groups.slice(0, middle)],
    [codes.slice(middle), groups.slice(middle)],
  ];
}

function rowsWith(values: Uint32Array | Uint8Array, wanted: number): number[] {
  return [...values.keys()].filter((row) => values[row] === wanted);
}

/** What a kernel gives, and what looking at one row after the other gives. */
const KERNELS: readonly [string, (rows: Rows) => [given: unknown, expected: unknown]][] = [
  [
    'codesIn tells which codes some row has',
    ({ codes }) => [
      [...codesIn(space, codes, 40)],
      [...table.keys()].map((code) => (codes.includes(code) ? 1 : 0)),
    ],
  ],
  [
    'rowsOfValue tells the rows that have it, ascending',
    ({ codes, kept }) => [
      [...rowsOfValue(space, codes, 7), -1, ...rowsOfValue(space, Uint32Array.from(kept), 1)],
      [...rowsWith(codes, 7), -1, ...rowsWith(kept, 1)],
    ],
  ],
  [
    'mapCodes gives each row what the table has for its code',
    ({ codes }) => [[...mapCodes(space, codes, table)], [...codes].map((code) => table[code])],
  ],
  [
    'mapKeptCodes gives rows that are not kept the rest',
    ({ codes, kept }) => [
      [...mapKeptCodes(space, codes, table, kept, 77)],
      [...codes].map((code, row) => (kept[row] === 1 ? table[code] : 77)),
    ],
  ],
  [
    'bytesOfRows tells the rows of a set, but for those with a number',
    ({ codes, kept }) => {
      const set = new RowSet(kept.length);
      kept.forEach((is, row) => (is === 1 ? set.add(row) : undefined));
      const others = codes.map((code) => (code < 10 ? code : 0));
      const expected = [...kept].map((is, row) => (others[row] === 0 ? is : 0));
      return [
        [[...bytesOfRows(space, set, null)], [...bytesOfRows(space, set, others)]],
        [[...kept], expected],
      ];
    },
  ],
  [
    'commonCodes is the code of a group whose rows agree',
    ({ codes, groups }) => [
      [...commonOf(codes, groups)],
      Array.from({ length: 12 }, (_, group) => {
        const [first = NO_CODE, ...others] = new Set(
          codes.filter((_c, row) => groups[row] === group),
        );
        return others.length > 0 ? MIXED_CODES : first;
      }),
    ],
  ],
  [
    'greatestValues is 0 for a group without rows',
    ({ codes, groups }) => [
      [...greatestOf(codes, groups)],
      Array.from({ length: 12 }, (_, group) =>
        Math.max(0, ...codes.filter((_c, row) => groups[row] === group)),
      ),
    ],
  ],
  [
    'numberPairs numbers pairs in the order of their coming',
    ({ codes, groups }) => {
      const { rows: numbers, pairs } = numberPairs(space, codes, groups);
      const known = [...new Set([...codes].map((code, row) => `${code} ${groups[row]}`))];
      const told = Array.from(
        { length: pairs.length / 2 },
        (_, i) => `${pairs[2 * i]} ${pairs[2 * i + 1]}`,
      );
      const expected = [...codes].map((code, row) => known.indexOf(`${code} ${groups[row]}`));
      return [
        [told, [...numbers]],
        [known, expected],
      ];
    },
  ],
];

for (const [name, both] of KERNELS) {
  test(name, () => {
    fc.assert(
      fc.property(rows, (some) => {
        const [given, expected] = both(some);
        assert.deepEqual(given, expected);
        engine.arena.release(TASK);
      }),
    );
  });
}

test('a million different pairs are numbered apart', () => {
  const left = Uint32Array.from({ length: 1_000_000 }, (_, row) => row % 1000);
  const right = Uint32Array.from(
    { length: 1_000_000 },
    (_, row) => 4_000_000_000 + Math.floor(row / 1000),
  );
  const { rows: numbers, pairs } = numberPairs(space, left, right);
  assert.equal(pairs.length, 2_000_000);
  assert.ok(
    numbers.every((number, row) => number === row),
    'each row has a number of its own',
  );
  engine.arena.release(TASK);
});
