/** A folder of sealed days of allocations and usage, written once and kept for later runs. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { USAGE_COLUMNS, USAGE_KEYS } from '../src/allocation/stored-rows.ts';
import {
  compileKernels,
  countValues,
  createEngine,
  createFrame,
  createMemory,
  createSketches,
  DictionaryBuilder,
  encodeSketches,
  frameTable,
  joinTables,
  type BytesColumn,
  type Engine,
  type Table,
} from '../src/columnar/index.ts';
import { encodeSet, openArrowFiles, type EncodedSet } from '../src/storage/index.ts';
import { seededRandom } from './random.ts';
import { FIRST_DAY_MS, type DaysSize } from './stored-days.ts';

const DAY_MS = 86_400_000;
const GIB = 2 ** 30;
const TASK = 2;
/** Values of a day that a sketch counts: of samples each minute, of hours. */
const VALUES: readonly number[] = [1440, 24, 24, 1440, 24, 24];
const NUMBERS = [
  'startMs',
  'endMs',
  'cpuCoreHours',
  'cpuCoreRequestHours',
  'cpuCoreUsageHours',
  'cpuCost',
  'ramByteHours',
  'ramByteRequestHours',
  'ramByteUsageHours',
  'ramCost',
] as const;

/** @returns the folder, for `--data-dir` */
export async function prepareUsage({ days, rows }: DaysSize): Promise<string> {
  const folder = join(tmpdir(), `prorata-bench-usage-${days}x${rows}-1`);
  const note = join(folder, 'written');
  if (existsSync(note)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const engine = createEngine(compileKernels(), createMemory(3 * GIB), 1);
  const { arena } = engine;
  const sets = await openArrowFiles({ folder, arena, note: () => undefined, graceMs: 0 });
  const usage = usageTable(engine, rows);
  for (let day = 0; day < days; day++) {
    const startMs = FIRST_DAY_MS + day * DAY_MS;
    const allocations = allocationTable(engine, rows, startMs);
    await sets.write([
      await encoded('usage', startMs, usage),
      await encoded('allocations', startMs, allocations),
    ]);
  }
  await sets.close();
  writeFileSync(note, '');
  return folder;
}

function encoded(kind: string, startMs: number, table: Table): Promise<EncodedSet> {
  const columns =
    kind === 'usage' ? USAGE_COLUMNS : { texts: [...USAGE_KEYS, 'pod'], numbers: [...NUMBERS] };
  return encodeSet({
    key: { kind, startMs, endMs: startMs + DAY_MS },
    meta: { state: 'sealed', timezone: 'UTC', createdMs: startMs, source: 'bench', warnings: [] },
    table,
    ...columns,
  });
}

/** Containers of 25,000 controllers. */
function namesOf(row: number): readonly string[] {
  return ['one', `ns-${row % 200}`, 'deployment', `web-${row >> 1}`, `c${row % 2}`];
}

/** Rows of a replica each, half used, with no round numbers. */
function allocationTable({ arena }: Engine, rows: number, startMs: number): Table {
  const random = seededRandom(startMs / DAY_MS);
  const texts = new DictionaryBuilder();
  const keys = [...USAGE_KEYS, 'pod'];
  const specs = [
    ...keys.map((name) => ({ name, type: 'u32' as const })),
    ...NUMBERS.map((name) => ({ name, type: 'f64' as const })),
  ];
  const frame = createFrame(arena, specs, rows, TASK + 1);
  for (let row = 0; row < rows; row++) {
    const names = [...namesOf(row), `web-${row >> 1}-${Math.floor(random() * 36 ** 5).toString(36)}`]; // prettier-ignore
    keys.forEach((name, i) => (frame.u32(name)[row] = texts.code(names[i] ?? '')));
    const [hours, cores, gib] = [24 * random(), 4 * random(), 8 * random()];
    const [cpu, ram] = [cores * hours, gib * GIB * hours];
    const values = [
      startMs + (24 - hours) * 3_600_000,
      startMs + DAY_MS,
      cpu,
      cpu,
      cpu * random(),
      cpu * 0.0316,
      ram,
      ram,
      ram * random(),
      (ram / GIB) * 0.0042,
    ];
    NUMBERS.forEach((name, i) => (frame.f64(name)[row] = values[i] ?? 0));
  }
  return frameTable(frame, texts);
}

/** Usage that goes up and down by a third, about a size of each row's own. */
function usageTable(engine: Engine, rows: number): Table {
  const { arena } = engine;
  const texts = new DictionaryBuilder();
  const specs = [
    ...USAGE_KEYS.map((name) => ({ name, type: 'u32' as const })),
    ...USAGE_COLUMNS.numbers.map((name) => ({ name, type: 'f64' as const })),
  ];
  const frame = createFrame(arena, specs, rows, TASK);
  for (let row = 0; row < rows; row++) {
    namesOf(row).forEach((text, i) => (frame.u32(USAGE_KEYS[i] ?? '')[row] = texts.code(text)));
    frame.f64('cpuCoreUsageMax')[row] = 0.01 + row / rows;
    frame.f64('ramByteUsageMax')[row] = GIB * (0.1 + row / rows);
  }
  const columns = new Map<string, BytesColumn>(
    USAGE_COLUMNS.bytes.map((name, i) => [name, sketched(engine, rows, i)]),
  );
  const plain = frameTable(frame, texts);
  return joinTables([plain, { ...plain, bytes: (name) => columns.get(name) }]);
}

function sketched(engine: Engine, rows: number, column: number): BytesColumn {
  const { arena } = engine;
  const values = VALUES[column] ?? 0;
  const random = seededRandom(column);
  const unit = column < 3 ? 1 : GIB;
  const sketches = createSketches(arena, TASK, rows);
  const ids = arena.allocate(4 * values, TASK);
  const at = arena.allocate(8 * values, TASK);
  for (let row = 0; row < rows; row++) {
    const size = unit * 10 ** (4 * random() - 3);
    arena.u32(ids, values).fill(row);
    const list = arena.f64(at, values);
    for (let i = 0; i < values; i++) list[i] = size * (0.7 + 0.6 * random());
    countValues(engine, TASK, sketches, { ids, values: at, rows: values });
  }
  return encodeSketches(engine, TASK, sketches, { first: 0, stride: 1 });
}
