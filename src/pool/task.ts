/**
 * The worker's side of the pool: a task takes packed input and gives packed output or a packed
 * error, so that an error keeps its class on the way to the main thread.
 */
// Not the package's main module, which looks for a native build: 5 ms a thread, for small messages.
import { pack } from 'msgpackr/pack';
import { unpack } from 'msgpackr/unpack';
import { ArenaFull, DamagedBatch, giveBackHeap, HeapFull, takeHeapAt } from '../columnar/index.ts';
import { Fault, Unavailable } from '../query/index.ts';

/** A table of tasks: what each takes and gives. Small plain data; bulk goes by arena address. */
export type TaskTable = Record<string, { input: unknown; output: unknown }>;

interface PackedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly fields: Record<string, unknown>;
}

type Packed<Output> = { readonly output: Output } | { readonly error: PackedError };

/** Turns a function into what Piscina calls in a worker. */
export function task<Input, Output>(
  run: (input: Input) => Output | Promise<Output>,
): (input: Uint8Array) => Promise<Uint8Array> {
  return async (input) => {
    try {
      const packed: Packed<Output> = { output: await run(unpackInput<Input>(input)) };
      return bytesOf(packed);
    } catch (error) {
      return bytesOf({ error: packError(error) });
    } finally {
      giveBackHeap();
    }
  };
}

/** What Piscina calls in a worker: `input` is packed, and so is what comes back. */
export type TaskRunner = (call: {
  readonly name: string;
  readonly input: Uint8Array;
  /** Of what it takes of the heaps' budget. */
  readonly place: number;
}) => Promise<Uint8Array>;

/** @param tasks by the names that calls have */
export function runner(tasks: Readonly<Record<string, ReturnType<typeof task>>>): TaskRunner {
  return ({ name, input, place }) => {
    const called = tasks[name];
    if (called === undefined) throw new Error(`BUG: no task '${name}'`);
    takeHeapAt(place);
    return called(input);
  };
}

export function packInput(input: unknown): Uint8Array {
  return bytesOf(input);
}

/**
 * In a buffer of their own: what `pack` gives is a view on its workspace, which grows with the longest
 * message, and all of a view's buffer is copied when it is posted.
 */
function bytesOf(value: unknown): Uint8Array {
  return new Uint8Array(pack(value));
}

function unpackInput<Input>(bytes: Uint8Array): Input {
  return unpack(bytes) as Input;
}

/** @throws the error the task threw, in its own class */
export function unpackOutput(bytes: Uint8Array): unknown {
  const packed = unpack(bytes) as Packed<unknown>;
  if ('error' in packed) throw reviveError(packed.error);
  return packed.output;
}

function packError(error: unknown): PackedError {
  const known = error instanceof Error ? error : new Error(String(error));
  const fields = Object.fromEntries(Object.entries(known).filter(([key]) => key !== 'cause'));
  // A stack that nobody sees: to tell its lines takes 10 MB of maps, of a heap that may be full.
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
