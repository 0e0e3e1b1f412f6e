/** Quantiles of usage over 30 stored days of 50,000 containers of controllers, read and merged. */
import { usageOver, type UsageFigure } from '../src/allocation/usage-over.ts';
import { USAGE_COLUMNS, USAGE_KEYS } from '../src/allocation/usage-columns.ts';
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
  type BytesColumn,
  type Engine,
  type Table,
} from '../src/columnar/index.ts';
import {
  createMemorySets,
  encodeSet,
  SetReader,
  type EncodedSet,
  type StoredSet,
} from '../src/storage/index.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { seededRandom } from './random.ts';

const [KEEPER, SETS, TASK, QUERY] = [1, 2, 3, 4] as const;
const DAY_MS = 86_400_000;
const FIRST_MS: number = Date.UTC(2024, 4, 1);
/** Values of a day that a sketch counts: of samples each minute, of hours. */
const VALUES: readonly number[] = [1440, 24, 24, 1440, 24, 24];

export async function* usageBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const { days, rows } = options.isSmoke ? { days: 3, rows: 500 } : { days: 30, rows: 50_000 };
  const engine = createEngine(compileKernels(), createMemory(3 * 2 ** 30), KEEPER);
  const sets = createMemorySets({ arena: engine.arena, owner: SETS });
  const day = await encodedDay(engine, rows);
  const stored: StoredSet[] = [];
  for (let i = 0; i < days; i++) {
    // The key stands in the file, so each day is encoded.
    const key = {
      kind: 'usage',
      startMs: FIRST_MS + i * DAY_MS,
      endMs: FIRST_MS + (i + 1) * DAY_MS,
    };
    await sets.write([await day(key)]);
    const set = sets.locate(key);
    if (set) stored.push(set);
  }
  engine.arena.release(TASK);
  const [info] = sets.list('usage');
  options.note(`a day: ${((info?.bytes ?? 0) / rows).toFixed(0)} bytes a row`);
  const reader = new SetReader(engine.arena);
  const over = (name: string, figures: readonly UsageFigure[]): Task => {
    let sum = 0;
    return {
      name,
      run(): void {
        const table = usageOver(engine, QUERY, reader, stored, figures);
        sum = figures.reduce(
          (all, of) => all + (table.numbers(of.name)?.values[0] ?? 0),
          table.rows,
        );
        engine.arena.release(QUERY);
      },
      checksum: () => sum,
    };
  };
  yield {
    title: `Usage of ${rows} containers of controllers over ${days} days`,
    amount: (rows * days) / 1e6,
    unit: 'M rows',
    isSlow: true,
    tasks: [
      over('quantiles of samples', [
        { name: 'cpu', of: 'cpuCoreUsage', q: 0.95 },
        { name: 'ram', of: 'ramByteUsage', q: 0.95 },
      ]),
      over('quantiles of hours', [
        { name: 'cpu', of: 'cpuCoreHourlyAverage', q: 0.8 },
        { name: 'ram', of: 'ramByteHourlyMax', q: 0.95 },
      ]),
      over('largest alone', []),
    ],
  };
  await sets.close();
}

/** A day of usage that goes up and down by a third, about a size of each row's own. */
async function encodedDay(
  engine: Engine,
  rows: number,
): Promise<(key: EncodedSet['key']) => Promise<EncodedSet>> {
  const table = dayTable(engine, rows);
  const meta = {
    state: 'sealed',
    timezone: 'UTC',
    createdMs: 0,
    source: 'bench',
    warnings: [],
  } as const;
  return (key) => encodeSet({ key, meta, table, ...USAGE_COLUMNS });
}

function dayTable(engine: Engine, rows: number): Table {
  const { arena } = engine;
  const texts = new DictionaryBuilder();
  const specs = [
    ...USAGE_KEYS.map((name) => ({ name, type: 'u32' as const })),
    ...USAGE_COLUMNS.numbers.map((name) => ({ name, type: 'f64' as const })),
  ];
  const frame = createFrame(arena, specs, rows, TASK);
  for (let row = 0; row < rows; row++) {
    const key = ['one', `ns-${row % 200}`, 'deployment', `web-${row >> 1}`, `c${row % 2}`];
    USAGE_KEYS.forEach((name, i) => (frame.u32(name)[row] = texts.code(key[i] ?? '')));
    for (const name of USAGE_COLUMNS.numbers) frame.f64(name)[row] = row / 7;
  }
  const columns = new Map<string, BytesColumn>(
    USAGE_COLUMNS.bytes.map((name, i) => [name, sketched(engine, rows, VALUES[i] ?? 0)]),
  );
  return { ...frameTable(frame, texts), bytes: (name) => columns.get(name) };
}

function sketched(engine: Engine, rows: number, values: number): BytesColumn {
  const { arena } = engine;
  const random = seededRandom(values);
  const sketches = createSketches(arena, TASK, rows);
  const ids = arena.allocate(4 * values, TASK);
  const at = arena.allocate(8 * values, TASK);
  for (let row = 0; row < rows; row++) {
    const size = 10 ** (4 * random() - 2);
    arena.u32(ids, values).fill(row);
    const list = arena.f64(at, values);
    for (let i = 0; i < values; i++) list[i] = size * (0.7 + 0.6 * random());
    countValues(engine, TASK, sketches, { ids, values: at, rows: values });
  }
  return encodeSketches(engine, TASK, sketches, { first: 0, stride: 1 });
}
