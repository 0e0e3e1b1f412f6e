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
  mapSelectedCodes,
  MIXED_CODES,
  NO_CODE,
  noCodes,
  numberPairs,
  RowSet,
  rowsOfValue,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(256 << 20), 1);
const space = { engine, owner: TASK };

/** Codes in [0, 40) and groups in [0, 12), a row; some counts of rows are not a multiple of four. */
const rows = fc
  .array(fc.tuple(fc.nat(39), fc.nat(11), fc.nat(1)), { maxLength: 300 })
  .map((list) => ({
    codes: Uint32Array.from(list, ([code]) => code),
    groups: Uint32Array.from(list, ([, group]) => group),
    selected: Uint8Array.from(list, ([, , selected]) => selected),
  }));
const table = Uint32Array.from({ length: 40 }, (_, code) => 1000 - 7 * code);

type Rows = typeof rows extends fc.Arbitrary<infer R> ? R : never;

/** The result for rows that come in two parts. */
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

/** Each kernel's result, and that of a loop over rows. */
const KERNELS: readonly [string, (rows: Rows) => [given: unknown, expected: unknown]][] = [
  [
    'codesIn marks the codes that some row has',
    ({ codes }) => [
      [...codesIn(space, codes, 40)],
      [...table.keys()].map((code) => (codes.includes(code) ? 1 : 0)),
    ],
  ],
  [
    'rowsOfValue lists the rows with the value, ascending',
    ({ codes, selected }) => [
      [...rowsOfValue(space, codes, 7), -1, ...rowsOfValue(space, Uint32Array.from(selected), 1)],
      [...rowsWith(codes, 7), -1, ...rowsWith(selected, 1)],
    ],
  ],
  [
    'mapCodes gives each row what the table has for its code',
    ({ codes }) => [[...mapCodes(space, codes, table)], [...codes].map((code) => table[code])],
  ],
  [
    'mapSelectedCodes gives the rest to rows that are not selected',
    ({ codes, selected }) => [
      [...mapSelectedCodes(space, codes, table, selected, 77)],
      [...codes].map((code, row) => (selected[row] === 1 ? table[code] : 77)),
    ],
  ],
  [
    'bytesOfRows marks the rows of a set, without those with a number',
    ({ codes, selected }) => {
      const set = new RowSet(selected.length);
      selected.forEach((is, row) => (is === 1 ? set.add(row) : undefined));
      const others = codes.map((code) => (code < 10 ? code : 0));
      const expected = [...selected].map((is, row) => (others[row] === 0 ? is : 0));
      return [
        [[...bytesOfRows(space, set, null)], [...bytesOfRows(space, set, others)]],
        [[...selected], expected],
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
      const result = Array.from(
        { length: pairs.length / 2 },
        (_, i) => `${pairs[2 * i]} ${pairs[2 * i + 1]}`,
      );
      const expected = [...codes].map((code, row) => known.indexOf(`${code} ${groups[row]}`));
      return [
        [result, [...numbers]],
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
