/** Rows of every format, written by the kernels, against the slow reference, byte for byte. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvColumns, csvRows } from '../../../src/allocation/formats/csv.ts';
import type { CodedFrame } from '../../../src/allocation/row/coded-frame.ts';
import type { Format, RowOptions } from '../../../src/allocation/params/format.ts';
import { jsonRows } from '../../../src/allocation/formats/json.ts';
import {
  IDENTITY_COLUMNS,
  MEASURES,
  PRICE_SOURCE,
  NAME_PARTS,
  PAID_COLUMNS,
  TEXT_COLUMNS,
} from '../../../src/allocation/row/schema.ts';
import {
  compileKernels,
  createEngine,
  createFrame,
  DictionaryBuilder,
  writeRows,
  type ColumnSpec,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { csvLineOf, jsonMembers, jsonObject } from '../../support/references/row-reference.ts';

const OWNER = 1;
const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), OWNER);
const { arena } = engine;

const NAMES = ['name', ...NAME_PARTS.map((_, part) => `part${part}`), ...IDENTITY_COLUMNS];
const OBJECTS = [
  '',
  '{"app":"web"}',
  '{"a":"\\"=,","b":"é"}',
  '{"topology_kubernetes_io_zone":"z"}',
];
const IDS = [
  'aws:///us-east-2a/i-0fea4fd46592d050b',
  'gce://project/zone/name',
  'azure:///a/b/c',
  'x',
];

const amount = fc.oneof(
  fc.constantFrom(0, -0, 1, 0.1, 1e-7, 1e21, 24, NaN, Infinity, -Infinity),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -1000, max: 1000, noNaN: true }),
);
const grouped = fc.record({
  rows: fc.integer({ min: 0, max: 6 }),
  columns: fc.subarray(MEASURES.map(({ column }) => column)),
  amounts: fc.array(amount, { minLength: 1, maxLength: 200 }),
  texts: fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { minLength: 1, maxLength: 9 }),
  startMs: fc.integer({ min: 0, max: 4e12 }),
  ranMs: fc.constantFrom(0, 1, 3_600_000, 86_400_000),
});
type Grouped = typeof grouped extends fc.Arbitrary<infer T> ? T : never;

/** Any columns and values, taken from the lists in turn. */
function lay(shape: Grouped): CodedFrame {
  const { rows, columns, amounts, texts, startMs, ranMs } = shape;
  const codes = [...NAMES, ...TEXT_COLUMNS, PRICE_SOURCE, ...PAID_COLUMNS, 'endSource'];
  const numbers = ['startMs', 'endMs', 'endUncertaintyMs', ...columns];
  const specs: ColumnSpec[] = [
    ...codes.map((name): ColumnSpec => ({ name, type: 'u32' })),
    ...numbers.map((name): ColumnSpec => ({ name, type: 'f64' })),
  ];
  const frame = createFrame(arena, specs, rows, TASK);
  const builder = new DictionaryBuilder();
  const [some, objects, ids] = [[...texts, '__idle__'], OBJECTS, IDS].map((list) =>
    list.map((text) => builder.code(text)),
  );
  let turn = 0;
  const next = (list: readonly number[] = []): number => list[turn++ % list.length] ?? 0;
  for (let row = 0; row < rows; row++) {
    for (const name of [...NAMES, PRICE_SOURCE]) frame.u32(name)[row] = next(some);
    frame.u32('providerID')[row] = next(ids);
    for (const name of [...TEXT_COLUMNS, ...PAID_COLUMNS]) frame.u32(name)[row] = next(objects);
    frame.u32('endSource')[row] = turn % 4;
    for (const name of ['endUncertaintyMs', ...columns]) frame.f64(name)[row] = next(amounts);
    frame.f64('startMs')[row] = startMs + row;
    frame.f64('endMs')[row] = startMs + row + ranMs;
  }
  return { frame, texts: builder.store(arena, TASK) };
}

const formats: readonly Format[] = [
  { kind: 'json' },
  { kind: 'ndjson' },
  ...[null, 0, 3, 20].flatMap((decimals): Format[] => [
    { kind: 'csv', isFull: false, decimals },
    { kind: 'csv', isFull: true, decimals },
  ]),
];

function written(at: CodedFrame, options: RowOptions, slotBytes: number): string {
  const { format } = options;
  const program =
    format.kind === 'csv'
      ? csvRows(engine, TASK, at, csvColumns(format, [], options), { ...options, format })
      : jsonRows(engine, TASK, at, options);
  let bytes = slotBytes;
  let text = '';
  for (let row = 0; row < at.frame.rows;) {
    const slot = { address: arena.allocate(bytes, TASK), bytes };
    const chunk = writeRows(engine, program, { from: row, to: at.frame.rows }, slot);
    text += arena.text(slot.address, chunk.bytes).toString();
    if (chunk.bytes === 0) bytes *= 2;
    row = chunk.nextRow;
  }
  return text;
}

function reference({ frame, texts }: CodedFrame, options: RowOptions): string {
  if (options.format.kind === 'json') return jsonMembers(frame, texts, options);
  const line = (i: number): string =>
    options.format.kind === 'csv'
      ? csvLineOf(frame, texts, i, options)
      : `${jsonObject(frame, texts, i, options)}\n`;
  return Array.from({ length: frame.rows }, (_, i) => line(i)).join('');
}

for (const format of formats)
  test(`${JSON.stringify(format)} has the bytes of the reference, in any slot`, () => {
    const property = fc.property(
      grouped,
      fc.boolean(),
      fc.constantFrom(0, 60_000),
      fc.integer({ min: 1, max: 8000 }),
      (shape, isRaw, resolutionMs, slotBytes) => {
        const at = lay(shape);
        const window = { startMs: 0, endMs: 86_400_500 };
        const options: RowOptions = { window, resolutionMs, isRaw, format };
        assert.equal(written(at, options, slotBytes), reference(at, options));
        arena.release(TASK);
      },
    );
    fc.assert(property, { numRuns: 150 });
  });
