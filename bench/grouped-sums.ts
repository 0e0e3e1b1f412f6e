/**
 * Sums of 30 days × 50,000 containers × 16 measures: a table of 200 groups for each day, and one
 * table of 5,000 groups for all days; against DuckDB on two threads and against the bandwidth of
 * eight read streams.
 */
import {
  compileKernels,
  createEngine,
  createMemory,
  groupLayout,
  sumsOfColumn,
  type Engine,
  type GroupLayout,
} from '../src/columnar/index.ts';
import { checksum, createCostSets, MEASURES, type CostSets } from './cost-sets.ts';
import { Crew } from './crew.ts';
import { openDuckdb, type Duck, type DuckColumn } from './duckdb.ts';
import type { Unit } from './grouped-sums-thread.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';

const OWNER = 1;
/** Whom sums belong to while they are told. */
const TOLD = 2;
const THREADS = [1, 2];
const WIDTH = 8;

/** How rows are shared out: a set each, or eight columns of all sets each. Neither splits a sum. */
interface Plan {
  readonly title: string;
  readonly isDaily: boolean;
  readonly groups: number;
}

export async function* groupedSumsBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const size = options.isSmoke ? { days: 3, rowsPerDay: 2000 } : { days: 30, rowsPerDay: 50_000 };
  const [few, many] = options.isSmoke ? [20, 100] : [200, 5000];
  yield* compare({ title: `${few} groups a day`, isDaily: true, groups: few }, size, options);
  yield* compare({ title: `${many} groups`, isDaily: false, groups: many }, size, options);
}

async function* compare(
  plan: Plan,
  size: { days: number; rowsPerDay: number },
  options: BenchOptions,
): AsyncGenerator<Benchmark> {
  const bytes = size.days * size.rowsPerDay * (8 * MEASURES + 4);
  const module = compileKernels();
  const engine = createEngine(module, createMemory(bytes + (96 << 20)), OWNER);
  const sets = createCostSets(engine.arena, { ...size, groups: plan.groups });
  const jobs = [false, true].map((compensated) => unitsOf(engine, sets, plan, compensated));
  const reads = sets.inputs.map((input) => ({
    inputs: [input],
    out: engine.arena.allocate(64, 1),
  }));
  const data = { module, memory: engine.arena.memory, jobs: [...jobs, reads] };
  const entry = new URL('./grouped-sums-thread.ts', import.meta.url);
  const crews = THREADS.map((threads) => new Crew(threads, entry, data));
  await Promise.all(crews.map((crew) => crew.ready()));
  const duck = options.withPeers ? await openDuckdb(tableOf(engine, sets, plan), 2) : undefined;
  const own = crews.flatMap((crew, i) => tasksOf(crew, THREADS[i] ?? 0, engine, jobs));
  const title = `Grouped sums, ${size.days} × ${size.rowsPerDay} rows × ${MEASURES}, ${plan.title}`;
  const peers = duck ? await duckTasks(duck) : [];
  yield { title, amount: bytes / 1e9, unit: 'GB', tasks: [...peers, ...own] };
  duck?.close();
  await Promise.all(crews.map((crew) => crew.close()));
}

function unitsOf(engine: Engine, sets: CostSets, plan: Plan, compensated: boolean): Unit[] {
  const table = (layout: GroupLayout): { layout: GroupLayout; out: number } => ({
    layout,
    out: engine.arena.allocate(layout.bytes, OWNER),
  });
  if (plan.isDaily) {
    const layout = groupLayout(plan.groups, MEASURES, compensated);
    return sets.inputs.map((input) => ({ inputs: [input], ...table(layout) }));
  }
  const layout = groupLayout(plan.groups, WIDTH, compensated);
  return Array.from({ length: MEASURES / WIDTH }, (_, pass) => {
    const [from, to] = [pass * WIDTH, (pass + 1) * WIDTH];
    const inputs = sets.inputs.map((input) => ({
      ...input,
      columns: input.columns.slice(from, to),
    }));
    return { inputs, ...table(layout) };
  });
}

function tasksOf(
  crew: Crew,
  threads: number,
  engine: Engine,
  jobs: readonly (readonly Unit[])[],
): Task[] {
  const suffix = `${threads} thread${threads === 1 ? '' : 's'}`;
  const sums = ['sums', 'compensated sums'].map((name, job) => ({
    name: `${name}, ${suffix}`,
    run: () => crew.run(job),
    checksum: () => checksum(cells(engine, jobs[job] ?? [])),
  }));
  const read = { name: `read, ${suffix}`, run: () => crew.run(jobs.length) };
  return [...sums, read];
}

function* cells(engine: Engine, units: readonly Unit[]): Generator<[number, number, number]> {
  for (const [i, { layout, out }] of units.entries()) {
    if (!layout) continue;
    const isDaily = layout.columns === MEASURES;
    const { arena } = engine;
    const sums = arena.f64(arena.allocate(8 * layout.groups, TOLD), layout.groups);
    for (let column = 0; column < layout.columns; column++) {
      sumsOfColumn(engine, layout, out, column, sums);
      for (const [group, sum] of sums.entries()) {
        const firstGroup = isDaily ? i * layout.groups : 0;
        const firstMeasure = isDaily ? 0 : i * WIDTH;
        yield [firstGroup + group, firstMeasure + column, sum];
      }
    }
    arena.release(TOLD);
  }
}

/** One table: the group, counted on from day to day if each day has its own, and the measures. */
function tableOf({ arena }: Engine, sets: CostSets, plan: Plan): Map<string, DuckColumn> {
  const rows = sets.days * sets.rowsPerDay;
  const key = new Uint16Array(rows);
  const measures = Array.from({ length: MEASURES }, () => new Float64Array(rows));
  sets.inputs.forEach((input, day) => {
    const first = day * sets.rowsPerDay;
    const firstGroup = plan.isDaily ? day * sets.groups : 0;
    key.set(
      arena.i32(input.keys, input.rows).map((group) => firstGroup + group),
      first,
    );
    input.columns.forEach((at, i) => measures[i]?.set(arena.f64(at, input.rows), first));
  });
  return new Map<string, DuckColumn>([
    ['key', key],
    ...measures.map((values, i): [string, DuckColumn] => [`m${i}`, values]),
  ]);
}

/** DuckDB at its best: one small key, and room for it in the perfect hash table. */
async function duckTasks(duck: Duck): Promise<Task[]> {
  await duck.run('set perfect_ht_threshold = 16');
  return ['sum', 'kahan_sum'].map((sum) => {
    const sums = Array.from({ length: MEASURES }, (_, i) => `${sum}(m${i})`);
    const sql = `select key, ${sums.join(', ')} from t group by key`;
    return {
      name: `DuckDB ${sum}, 2 threads`,
      run: () => duck.run(sql),
      checksum: async () => checksum(cellsOf(await duck.columns(await duck.run(sql)))),
    };
  });
}

function* cellsOf([keys, ...measures]: readonly number[][]): Generator<[number, number, number]> {
  for (const [measure, sums] of measures.entries()) {
    for (const [row, sum] of sums.entries()) yield [keys?.[row] ?? NaN, measure, sum];
  }
}
