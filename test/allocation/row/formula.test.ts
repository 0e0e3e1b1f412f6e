/** Formulas over columns, against the same said a row at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { evaluate, type Efficiency, type Formula } from '../../../src/allocation/row/formula.ts';
import { ACCURACY, END_UNCERTAINTY, FIELDS, SUMMARY } from '../../../src/allocation/row/schema.ts';
import { compileKernels, createEngine, createFrame } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const OWNER = 1;
const TASK = 2;
const HOUR_MS = 3_600_000;
const engine = createEngine(compileKernels(), dirtyMemory(16 << 20), OWNER);
const { arena } = engine;

type Row = ReadonlyMap<string, number>;

const one = (row: Row, column: string): number => row.get(column) ?? 0;

const sum = (row: Row, columns: readonly string[]): number =>
  columns.reduce((total, column) => total + one(row, column), 0);

const hours = (row: Row): number => (one(row, 'endMs') - one(row, 'startMs')) / HOUR_MS;

function efficiency(row: Row, { usage, request, cost }: Efficiency): number {
  const [used, requested] = [one(row, usage), one(row, request)];
  if (requested > 0) return used / requested;
  return used > 0 && one(row, cost) > 0 ? 1 : 0;
}

/** What a formula says of one row. */
function valueOf(row: Row, formula: Formula): number {
  switch (formula.kind) {
    case 'measure':
      return one(row, formula.column);
    case 'sum':
      return sum(row, formula.columns);
    case 'average':
      return hours(row) > 0 ? one(row, formula.column) / hours(row) : 0;
    case 'minutes':
      return hours(row) * 60;
    case 'quotient': {
      const { columns, by } = formula;
      return sum(row, columns) / (typeof by === 'string' ? one(row, by) : by);
    }
    case 'efficiency':
      return efficiency(row, formula.of);
    case 'meanEfficiency': {
      const costs = formula.of.reduce((total, each) => total + one(row, each.cost), 0);
      const weighted = formula.of.reduce(
        (total, each) => total + efficiency(row, each) * one(row, each.cost),
        0,
      );
      return costs <= 0 ? 0 : weighted / costs;
    }
  }
}

const FORMULAS = [...FIELDS, ...SUMMARY].map(({ formula }) => formula);
const ALL: readonly Formula[] = [...FORMULAS, ...Object.values(ACCURACY), END_UNCERTAINTY];
const COLUMNS =
  'cpuCoreHours cpuCoreRequestHours cpuCoreUsageHours cpuCost cpuCostAdjustment ' +
  'ramByteRequestHours ramByteUsageHours ramCost gpuCost sharedCost ' +
  'sampledCostLeast sampledCostMost endUncertaintyMs';

test('every formula gives for each row what it says, to the last bit', () => {
  const amount = fc.oneof(fc.constantFrom(0, -0, 1, NaN), fc.double({ min: -1e9, max: 1e9 }));
  const shape = fc.record({
    names: fc.subarray(COLUMNS.split(' ')),
    rows: fc.array(fc.infiniteStream(amount), { maxLength: 20 }),
  });
  const property = fc.property(shape, ({ names, rows: streams }) => {
    const columns = ['startMs', 'endMs', ...names];
    const rows = streams.map(
      (stream) => new Map(columns.map((name) => [name, stream.next().value as number])),
    );
    const specs = columns.map((name) => ({ name, type: 'f64' as const }));
    const frame = createFrame(arena, specs, rows.length, TASK);
    for (const name of columns) frame.f64(name).set(rows.map((row) => row.get(name) ?? 0));
    for (const [formula, address] of evaluate({ engine, owner: TASK }, frame, ALL)) {
      const values = address === undefined ? rows.map(() => 0) : arena.f64(address, rows.length);
      const expected = rows.map((row) => valueOf(row, formula));
      assert.deepEqual([...values], expected, JSON.stringify(formula));
    }
    arena.release(TASK);
  });
  fc.assert(property, { numRuns: 200 });
});

test('the total efficiency is that of the costs which the row shows, adjustments aside', () => {
  const row = {
    cpuCoreUsageHours: 1,
    cpuCoreRequestHours: 4,
    cpuCost: 3,
    cpuCostAdjustment: 9,
    ramByteUsageHours: 3,
    ramByteRequestHours: 4,
    ramCost: 1,
    ramCostAdjustment: -1,
  };
  const names = Object.keys(row);
  const specs = ['startMs', 'endMs', ...names].map((name) => ({ name, type: 'f64' as const }));
  const frame = createFrame(arena, specs, 1, TASK);
  for (const [name, value] of Object.entries(row)) frame.f64(name)[0] = value;
  const total = FIELDS.find(({ json }) => json === 'totalEfficiency');
  assert.ok(total, 'there is a total efficiency');
  const address = evaluate({ engine, owner: TASK }, frame, [total.formula]).get(total.formula);
  assert.equal(arena.f64(address ?? 0, 1)[0], (0.25 * 3 + 0.75 * 1) / (3 + 1));
  arena.release(TASK);
});
