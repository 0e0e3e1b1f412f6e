/**
 * The worker's side of the pool. Input, output and errors of tasks are packed, so that an error has
 * the same class on the main thread.
 */
// Not the package's main module: that looks for a native build, slow to load, and no faster for small messages.
import { pack } from 'msgpackr/pack';
import { unpack } from 'msgpackr/unpack';
import { ArenaFull, DamagedBatch, giveBackHeap, HeapFull, takeHeapAt } from '../columnar/index.ts';
import { Fault, Unavailable } from '../query/index.ts';

/** Input and output of each task: small plain data; bulk goes by arena address. */
export type TaskTable = Record<string, { input: unknown; output: unknown }>;

/** The functions that run the tasks of a table. */
export type TasksOf<Table extends TaskTable> = {
  readonly [Name in keyof Table]: (
    input: Table[Name]['input'],
  ) => Table[Name]['output'] | Promise<Table[Name]['output']>;
};

interface PackedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly fields: Record<string, unknown>;
}

/** What comes back, and what it took of the worker. */
type Packed<Output> = { readonly tookMs: number } & (
  | { readonly output: Output }
  | { readonly error: PackedError }
);

/** Turns a function into what Piscina calls in a worker. */
export function task<Input, Output>(
  run: (input: Input) => Output | Promise<Output>,
): (input: Uint8Array) => Promise<Uint8Array> {
  return async (input) => {
    const begunMs = performance.now();
    const packed = (what: { output: Output } | { error: PackedError }): Uint8Array =>
      bytesOf({ ...what, tookMs: performance.now() - begunMs } satisfies Packed<Output>);
    try {
      return packed({ output: await run(unpackInput<Input>(input)) });
    } catch (error) {
      return packed({ error: packError(error) });
    } finally {
      giveBackHeap();
    }
  };
}

/** What Piscina calls in a worker: `input` is packed, and so is what comes back. */
export type TaskRunner = (call: {
  readonly name: string;
  readonly input: Uint8Array;
  /** Index of the task's own entry in the heaps' budget. */
  readonly place: number;
}) => Promise<Uint8Array>;

/** Functions of any tasks; callers give the input that belongs to the name. */
type AnyTasks = Readonly<Record<string, (input: never) => unknown>>;

/**
 * @param tables functions of tasks by name
 * @throws {Error} for two of the same name
 */
export function runner(...tables: readonly AnyTasks[]): TaskRunner {
  const tasks = new Map<string, ReturnType<typeof task>>([['ready', task(() => null)]]);
  for (const [name, run] of tables.flatMap(Object.entries<(input: never) => unknown>)) {
    if (tasks.has(name)) throw new Error(`BUG: two tasks '${name}'`);
    tasks.set(name, task(run as (input: unknown) => unknown));
  }
  return ({ name, input, place }) => {
    const called = tasks.get(name);
    if (called === undefined) throw new Error(`BUG: no task '${name}'`);
    takeHeapAt(place);
    return called(input);
  };
}

export function packInput(input: unknown): Uint8Array {
  return bytesOf(input);
}

/**
 * Packed bytes in a buffer of their own: `pack` returns a view on its workspace, which is as large as
 * the longest message so far, and posting a view copies its whole buffer.
 */
function bytesOf(value: unknown): Uint8Array {
  return new Uint8Array(pack(value));
}

function unpackInput<Input>(bytes: Uint8Array): Input {
  return unpack(bytes) as Input;
}

/**
 * @param told hears what the task took of its worker
 * @throws the error the task threw, in its own class
 */
export function unpackOutput(bytes: Uint8Array, told: (tookMs: number) => void): unknown {
  const packed = unpack(bytes) as Packed<unknown>;
  told(packed.tookMs);
  if ('error' in packed) throw reviveError(packed.error);
  return packed.output;
}

function packError(error: unknown): PackedError {
  const known = error instanceof Error ? error : new Error(String(error));
  const fields = Object.fromEntries(Object.entries(known).filter(([key]) => key !== 'cause'));
  // Known errors show no stack: source maps for it would take 10 MB of a heap that may be full.
  const stack = known.name in CLASSES ? '' : (known.stack ?? '');
  return { name: known.name, message: known.message, stack, fields };
}

type Fields = Readonly<Record<string, unknown>>;

const CLASSES: Record<string, (message: string, fields: Fields) => Error> = {
  Fault: (message, fields) => new Fault(message, fields),
  Unavailable: (message, fields) => new Unavailable(message, fields),
  ArenaFull: (_, fields) =>
    new ArenaFull(Number(fields['wantedBytes']), Number(fields['freeBytes'])),
  HeapFull: (_, fields) =>
    new HeapFull(Number(fields['budgetBytes']), fields['isForOthers'] === true),
  DamagedBatch: (_, fields) => new DamagedBatch(Number(fields['status'])),
};

function reviveError(packed: PackedError): Error {
  const make = CLASSES[packed.name];
  if (make) return make(packed.message, packed.fields);
  const error = new Error(packed.message);
  error.name = packed.name;
  error.stack = packed.stack;
  return error;
}
