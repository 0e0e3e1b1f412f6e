/** A thread of the grouped sums: sums one unit into its own table, or only reads its columns. */
import { parentPort, workerData } from 'node:worker_threads';
import {
  createEngine,
  groupedSums,
  type Engine,
  type GroupInput,
  type GroupLayout,
} from '../src/columnar/index.ts';
import { serve } from './crew.ts';

const OWNER = 1;

/** Rows that are summed into one table. */
export interface Unit {
  readonly inputs: readonly GroupInput[];
  /** Absent: read only, eight columns at a time. */
  readonly layout?: GroupLayout;
  /** Address of the table, or of 32 bytes of scratch. */
  readonly out: number;
}

export interface ThreadData {
  readonly module: Parameters<typeof createEngine>[0];
  readonly memory: Engine['arena']['memory'];
  readonly jobs: readonly (readonly Unit[])[];
}

if (parentPort) {
  const { module, memory, jobs, control } = workerData as ThreadData & { control: Int32Array };
  const engine = createEngine(module, memory, OWNER);
  parentPort.postMessage('ready');
  serve(
    control,
    (job) => jobs[job]?.length ?? 0,
    (job, unit) => {
      const work = jobs[job]?.[unit];
      if (work) run(engine, work);
    },
  );
}

function run(engine: Engine, { inputs, layout, out }: Unit): void {
  if (layout) engine.arena.u8(out, layout.bytes).fill(0);
  for (const input of inputs) {
    if (layout) groupedSums(engine, layout, input, out);
    else read(engine, input, out);
  }
}

function read({ arena, kernels }: Engine, { columns, rows }: GroupInput, scratch: number): void {
  for (let first = 0; first < columns.length; first += 8) {
    arena.u32(scratch, 8).set(columns.slice(first, first + 8));
    kernels.readColumns8(scratch, rows * 8);
  }
}
