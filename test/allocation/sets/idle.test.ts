/** What is left of nodes, against the obvious sum over lists, on any nodes and allocations. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { leaveIdle } from '../../../src/allocation/sets/idle.ts';
import {
  compileKernels,
  createEngine,
  createFrame,
  DictionaryBuilder,
  frameTable,
  type Frame,
  type Texts,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);
const COSTS = ['cpuCost', 'ramCost', 'gpuCost'] as const;
const MEASURES = [
  ...COSTS, 'cpuCoreHours', 'ramByteHours', 'gpuHours', 'cpuCoreRequestHours', 'ramByteRequestHours', 'gpuRequestHours',
] as const; // prettier-ignore
const BOUNDS = ['sampledCostLeast', 'sampledCostMost'] as const;
const SAMPLED = ['sampledCost', ...BOUNDS] as const;

/** What each of MEASURES comes to, and which part or multiple of the billed cost it was: known, least, most. */
interface Row {
  readonly cluster: string;
  readonly node: string;
  readonly measures: readonly number[];
  readonly known: number;
  readonly least: number;
  readonly most: number;
}

function framed(rows: readonly Row[], isSampled: boolean): { frame: Frame; texts: Texts } {
  const columns = [...MEASURES, ...(isSampled ? SAMPLED : [])];
  const frame = createFrame(
    engine.arena,
    [
      ...['cluster', 'node'].map((name) => ({ name, type: 'u32' as const })),
      ...columns.map((name) => ({ name, type: 'f64' as const })),
    ],
    rows.length,
    TASK,
  );
  const texts = new DictionaryBuilder();
  rows.forEach((row, i) => {
    frame.u32('cluster')[i] = texts.code(row.cluster);
    frame.u32('node')[i] = texts.code(row.node);
    MEASURES.forEach((name, m) => (frame.f64(name)[i] = row.measures[m] ?? 0));
    if (!isSampled) return;
    const cost = row.measures.slice(0, 3).reduce((a, b) => a + b, 0);
    frame.f64('sampledCost')[i] = cost * row.known;
    frame.f64('sampledCostLeast')[i] = cost * row.least;
    frame.f64('sampledCostMost')[i] = cost * row.most;
  });
  return { frame, texts };
}

interface Left {
  readonly overageUsd: number;
  /** By measure, a value a node. */
  readonly of: (name: string) => readonly number[];
}

/** @param parts allocations, each with codes of its own */
function idleOf(
  nodes: readonly Row[],
  parts: readonly (readonly Row[])[],
  isSampled = false,
): Left {
  const { frame, texts } = framed(nodes, isSampled);
  const tables = parts.map((rows) => {
    const part = framed(rows, isSampled);
    return frameTable(part.frame, part.texts);
  });
  const { overageUsd } = leaveIdle(frame, texts, tables);
  const values = new Map(
    [...frame.columns.values()]
      .filter(({ type }) => type === 'f64')
      .map(({ name }) => [name, [...frame.f64(name)]]),
  );
  engine.arena.release(TASK);
  return { overageUsd, of: (name) => values.get(name) ?? [] };
}

const usd = fc.double({ min: 0, max: 1000, noNaN: true, noDefaultInfinity: true });
const measures = fc.array(fc.oneof(usd, fc.constant(0)), { minLength: 8, maxLength: 8 });
const part = fc.double({ min: 0, max: 1, noNaN: true });
const bounds = {
  known: fc.double({ min: 0.5, max: 2, noNaN: true }),
  least: part.map((of) => of / 2),
  most: part.map((of) => 2 + of),
};
const anyNodes = fc.uniqueArray(
  fc.record({
    cluster: fc.constantFrom('', 'a', 'b'),
    node: fc.constantFrom('n1', 'n2', 'n3', 'n4'),
    measures: measures.map((list) => list.map((value) => 10 * value)),
    ...bounds,
  }),
  { selector: ({ cluster, node }) => `${cluster}/${node}`, maxLength: 8 },
);
const anyRows = fc.array(
  fc.record({
    cluster: fc.constantFrom('', 'a', 'b', 'c'),
    node: fc.constantFrom('', 'n1', 'n2', 'n3', 'n5'),
    measures,
    ...bounds,
  }),
  { maxLength: 40 },
);

const isOn = (node: Row) => (row: Row) => row.cluster === node.cluster && row.node === node.node;
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const at = (row: Row, measure: number): number => row.measures[measure] ?? 0;

function assertClose(actual: number | undefined, expected: number, scale: number): void {
  const error = Math.abs((actual ?? NaN) - expected);
  assert.ok(error <= 1e-9 * Math.max(1, scale), `${actual}, not ${expected}`);
}

describe('on any nodes with any allocations', () => {
  test('allocations + idle - overage are what nodes cost and what is elsewhere, each by itself', () => {
    fc.assert(
      fc.property(anyNodes, fc.array(anyRows, { maxLength: 3 }), (nodes, parts) => {
        const rows = parts.flat();
        const left = idleOf(nodes, parts);
        let overageUsd = 0;
        COSTS.forEach((name, measure) => {
          nodes.forEach((node, i) => {
            const used = sum(rows.filter(isOn(node)).map((row) => at(row, measure)));
            overageUsd += Math.max(0, used - at(node, measure));
            const idle = left.of(name)[i] ?? NaN;
            assert.ok(idle >= 0, `${name} is ${idle}`);
            assertClose(idle, Math.max(0, at(node, measure) - used), used);
          });
        });
        assertClose(left.overageUsd, overageUsd, overageUsd);
        const cost = (list: readonly Row[]): number =>
          sum(list.map(({ measures: of }) => sum(of.slice(0, 3))));
        const elsewhere = rows.filter((row) => !nodes.some((node) => isOn(node)(row)));
        const idle = sum(COSTS.flatMap((name) => left.of(name)));
        const total = cost(nodes) + cost(elsewhere);
        assertClose(cost(rows) + idle - left.overageUsd, total, total);
      }),
    );
  });

  test('the true idle cost lies between the bounds of its grid', () => {
    fc.assert(
      fc.property(
        anyNodes,
        anyRows,
        part,
        part,
        fc.constantFrom(0, 1, 2),
        (nodes, rows, shorter, longer, resource) => {
          // Some truth within the bounds of each row, which differs from what is known in one resource.
          const truth = (row: Row, measure: number): number => {
            const all = sum(row.measures.slice(0, 3));
            const less = shorter * all * (row.known - row.least);
            const more = longer * all * (row.most - row.known);
            return row.known * at(row, measure) + (measure === resource ? more - less : 0);
          };
          const left = idleOf(nodes, [rows], true);
          nodes.forEach((node, i) => {
            const idle = sum(
              COSTS.map((_, measure) => {
                const used = rows.filter(isOn(node)).map((row) => truth(row, measure));
                return Math.max(0, truth(node, measure) - sum(used));
              }),
            );
            const [least = NaN, most = NaN] = BOUNDS.map((name) => left.of(name)[i] ?? NaN);
            const rounding =
              1e-9 * Math.max(1, sum(node.measures), sum(rows.flatMap((row) => row.measures)));
            assert.ok(least <= idle + rounding, `${least} at least, ${idle}`);
            assert.ok(most >= idle - rounding, `${most} at most, ${idle}`);
          });
        },
      ),
    );
  });
});

const ON = { cluster: 'c', node: 'n', known: 1, least: 1, most: 1 };

test('hours are left by themselves, and idle asks for nothing', () => {
  const node = { ...ON, measures: [10, 10, 10, 48, 96, 24, 48, 96, 24] };
  const left = idleOf([node], [[{ ...ON, measures: [1, 2, 30, 12, 100, 6, 5, 5, 6] }]]);
  assert.deepEqual(
    MEASURES.map((name) => left.of(name)),
    [[9], [8], [0], [36], [0], [18], [0], [0], [0]],
  );
  assert.equal(left.overageUsd, 20);
});

test('a node that is allocated to the last bit has nothing idle, whatever was rounded', () => {
  const tenth = { ...ON, measures: Array<number>(8).fill(0.1) };
  const node = { ...ON, measures: Array<number>(8).fill(0.3) };
  const left = idleOf([node], [[tenth], [tenth, tenth]]); // 0.1 + 0.1 + 0.1 > 0.3
  assert.deepEqual(left.of('cpuCost'), [0]);
  assert.equal(left.overageUsd, 0);
});

test('costs without end stay without end', () => {
  const node = { ...ON, measures: Array<number>(8).fill(Infinity) };
  assert.deepEqual(idleOf([node], [[{ ...ON, measures: [1] }]]).of('cpuCost'), [Infinity]);
});
