/** Rows as clients read them: the schema's fields, in any chunks, whatever the numbers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Grouped } from '../../../src/allocation/query/aggregate.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { aggregate } from '../../support/references/plain-query.ts';
import type { RowOptions } from '../../../src/allocation/params/format.ts';
import { jsonRows } from '../../../src/allocation/formats/json.ts';
import { compileKernels, createEngine, writeRows } from '../../../src/columnar/index.ts';
import { framed, type Row } from '../../support/stores/set-frames.ts';
import { anyUnicode } from '../../support/arbitraries/unicode.ts';

const OWNER = 1;
const TASK = 2;
const WRITING = 3;
const HOUR_MS = 3_600_000;
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), OWNER);

/** The table of schema 1.76, with the types it gives. */
const SCHEMA: readonly (readonly [field: string, type: string])[] = [
  ['name', 'string'],
  ['properties', 'object'],
  ['window', 'object'],
  ['start', 'timestamp'],
  ['end', 'timestamp'],
  ...[
    'minutes', 'cpuCores', 'cpuCoreRequestAverage', 'cpuCoreUsageAverage', 'cpuCoreHours',
    'cpuCost', 'cpuEfficiency', 'gpuHours', 'gpuCost', 'networkCost', 'pvBytes', 'pvByteHours',
    'pvCost', 'ramBytes', 'ramByteRequestAverage', 'ramByteUsageAverage', 'ramByteHours',
    'ramCost', 'ramEfficiency', 'sharedCost', 'externalCost', 'totalCost', 'totalEfficiency',
  ].map((field): [string, string] => [field, 'number']),
  ['rawAllocationOnly', 'object or null'],
]; // prettier-ignore

const OPTIONS: RowOptions = {
  window: { startMs: 0, endMs: 24 * HOUR_MS },
  resolutionMs: 0,
  isRaw: true,
  format: { kind: 'json' },
};

function group(rows: readonly Row[]): Grouped {
  return aggregate(engine, TASK, [framed(engine.arena, TASK, rows)], {
    keys: [],
    idleNames: 'one',
  });
}

/** All chunks; a slot that takes not even one row grows, as the answer's does. */
function write({ frame, texts }: Grouped, slotBytes: number, options = OPTIONS): string {
  const grouped = { frame, texts: texts.store(engine.arena, WRITING) };
  const program = jsonRows(engine, WRITING, grouped, options);
  let bytes = slotBytes;
  const parts: string[] = [];
  for (let row = 0; row < frame.rows;) {
    const slot = { address: engine.arena.allocate(bytes, WRITING), bytes };
    const chunk = writeRows(engine, program, { from: row, to: frame.rows }, slot);
    assert.ok(chunk.bytes <= bytes);
    if (chunk.bytes === 0) bytes *= 2;
    parts.push(engine.arena.text(slot.address, chunk.bytes).toString());
    row = chunk.nextRow;
  }
  engine.arena.release(WRITING);
  return `{${parts.join('')}}`;
}

type JsonRow = Readonly<Record<string, unknown>>;

function rowsOf(rows: readonly Row[], options: Partial<RowOptions> = {}): Map<string, JsonRow> {
  const text = write(group(rows), 1 << 20, { ...OPTIONS, ...options });
  engine.arena.release(TASK);
  return new Map(Object.entries(JSON.parse(text) as Record<string, JsonRow>));
}

function only(row: Row, options: Partial<RowOptions> = {}): JsonRow {
  const [json] = rowsOf([row], options).values();
  assert.ok(json);
  return json;
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'timestamp') return new Date(String(value)).getTime() >= 0;
  if (type === 'object or null') return value === null || typeof value === 'object';
  return typeof value === type;
}

const ROW: Row = {
  cluster: 'c',
  node: 'n',
  namespace: 's',
  pod: 'p',
  container: 'k',
  controller: 'db',
  controllerKind: 'statefulset',
  labels: { app: 'web', __proto__x: 'y' },
  numbers: [1, 2, 3],
  startMs: HOUR_MS,
  endMs: 5 * HOUR_MS,
};

describe('a row', () => {
  for (const [field, type] of SCHEMA)
    test(`has ${field}, ${type}`, () => {
      const row = only(ROW);
      assert.ok(field in row);
      assert.ok(isOf(type, row[field]), JSON.stringify(row[field]));
    });

  test('has its times, hours and averages over the time it ran', () => {
    const row = only(ROW);
    assert.deepEqual(row['window'], { start: '1970-01-01T00:00:00Z', end: '1970-01-02T00:00:00Z' });
    assert.deepEqual([row['start'], row['end']], ['1970-01-01T01:00:00Z', '1970-01-01T05:00:00Z']);
    assert.deepEqual([row['minutes'], row['cpuCoreHours'], row['cpuCores']], [240, 2, 0.5]);
    assert.deepEqual([row['cpuCost'], row['totalCost']], [1, 1]);
  });

  test('names what it is of, labels under both their names, and leaves out what is unknown', () => {
    const { providerID, ...known } = only(ROW)['properties'] as Record<string, unknown>;
    assert.equal(providerID, undefined);
    assert.deepEqual(known, {
      cluster: 'c',
      node: 'n',
      namespace: 's',
      pod: 'p',
      container: 'k',
      controller: 'db',
      controllerKind: 'statefulset',
      label: ROW.labels,
      labels: ROW.labels,
    });
    assert.deepEqual(only({ pod: 'p' })['properties'], { pod: 'p' });
  });

  test('has maxima only where it is neither aggregated nor accumulated', () => {
    assert.deepEqual(only(ROW)['rawAllocationOnly'], { cpuCoreUsageMax: 3, ramByteUsageMax: 0 });
    assert.equal(only(ROW, { isRaw: false })['rawAllocationOnly'], null);
  });
});

for (const value of [NaN, Infinity, -Infinity])
  test(`${value} is null, and so is what comes of it`, () => {
    const row = only({ ...ROW, numbers: [value, 1, 1] });
    assert.deepEqual([row['cpuCost'], row['totalCost']], [null, null]);
    assert.equal(row['cpuCoreHours'], 1);
  });

test('a row of no length has averages of 0', () => {
  const row = only({ ...ROW, startMs: HOUR_MS, endMs: HOUR_MS });
  assert.deepEqual([row['minutes'], row['cpuCores']], [0, 0]);
});

const text = fc.oneof(
  anyUnicode({ maxLength: 12 }),
  fc.constantFrom('__proto__', 'constructor', '"', '\\', '</script>', '😀', '\u2028', '\ud800'),
);
const anyRows = fc.array(
  fc
    .tuple(text, text, text, fc.dictionary(text, text, { maxKeys: 4 }))
    .map(([namespace, pod, container, labels]): Row => ({ namespace, pod, container, labels })),
  { minLength: 1, maxLength: 12 },
);

test('any slot gives the same bytes, and they are JSON', () => {
  fc.assert(
    fc.property(anyRows, fc.integer({ min: 1, max: 20_000 }), (rows, slotBytes) => {
      const grouped = group(rows);
      const whole = write(grouped, 1 << 20);
      assert.equal(write(grouped, slotBytes), whole);
      assert.equal(Object.keys(JSON.parse(whole) as object).length, grouped.frame.rows);
      engine.arena.release(TASK);
    }),
  );
});

test('every slot of 1 to 4,000 bytes gives the same bytes', () => {
  const rows = Array.from({ length: 4 }, (_, i): Row => ({ ...ROW, pod: `pod-ü-${i}` }));
  const grouped = group(rows);
  const whole = write(grouped, 1 << 20);
  for (let bytes = 1; bytes <= 4000; bytes += 7) assert.equal(write(grouped, bytes), whole);
  engine.arena.release(TASK);
});

test('S-5: a name that every object has is a row like others', () => {
  const names = ['__proto__', 'constructor', 'toString'];
  const rows = names.map((pod): Row => ({ pod, numbers: [1, 1, 1] }));
  const json = rowsOf(rows);
  assert.deepEqual(
    [...json.keys()],
    names.map((pod) => `///${pod}/`),
  );
  for (const row of json.values()) assert.equal(row['totalCost'], 1);
});
