/** Memory in which answers to range selectors are read: a store's own, made with its first read. */
import {
  Arena,
  ArenaFull,
  compileKernels,
  createMemory,
  DamagedMatrix,
  instantiateKernels,
  MatrixReader,
  Owners,
  type KernelExports,
  type MatrixSeries,
} from '../../columnar/index.ts';
import { StoreFailure } from '../client/store-failure.ts';
import { parseDecimal, parseValue } from './decimal.ts';
import { BrokenJson } from './json-scan.ts';

/** More than all series take that are read at once; what is not touched costs nothing. */
const MEMORY_BYTES = 2 ** 30;

/** Reads the series of one answer. */
export interface OpenMatrix {
  /**
   * As `JsonPlace.array`.
   * @throws {BrokenJson}
   * @throws {StoreFailure} when a series takes more memory than there is: of less time it takes less
   */
  readonly push: (bytes: Uint8Array, from: number) => number;
  /** Gives its memory back. */
  readonly close: () => void;
}

interface Engine {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly kernels: KernelExports;
}

export class MatrixMemory {
  readonly #store: string;
  readonly #isChecked: boolean | undefined;
  #engine: Engine | undefined;

  /** @param store its name, for messages @param isChecked as `createMemory` has it */
  constructor(store: string, isChecked?: boolean) {
    this.#store = store;
    this.#isChecked = isChecked;
  }

  /** @param onSeries gets each series once it is complete, to be copied */
  open(onSeries: (series: MatrixSeries) => void): OpenMatrix {
    this.#engine ??= createEngine(this.#isChecked);
    const { arena, owners, kernels } = this.#engine;
    const owner = owners.take();
    const reader = new MatrixReader(arena, kernels, owner, { onSeries, timeMs, value });
    const push: OpenMatrix['push'] = (bytes, from) => {
      try {
        return reader.push(bytes, from);
      } catch (error) {
        if (error instanceof DamagedMatrix) throw new BrokenJson('damaged', error.message);
        if (error instanceof ArenaFull) throw this.#tooMuch(error);
        throw error;
      }
    };
    return { push, close: () => owners.free(owner) };
  }

  #tooMuch(cause: ArenaFull): StoreFailure {
    const message = `cannot read ${this.#store}: a series of its answer takes more than ${MEMORY_BYTES} bytes`;
    return new StoreFailure(message, { isTooMuch: true, cause });
  }
}

function createEngine(isChecked: boolean | undefined): Engine {
  const memory = createMemory(MEMORY_BYTES, isChecked);
  const arena = new Arena(memory);
  const kernels = instantiateKernels(compileKernels(), memory);
  return { arena, owners: new Owners(arena), kernels };
}

/** A time of any form, in seconds. */
function timeMs(text: string): number {
  const ms = Math.round(1000 * parseDecimal(Buffer.from(text, 'latin1'), 0, text.length));
  if (!Number.isFinite(ms)) throw new BrokenJson('damaged', 'a sample is not a pair');
  return ms;
}

function value(text: string): number {
  const plain = text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
  const bytes = Buffer.from(plain, 'latin1');
  const number = parseValue(bytes, 0, bytes.length);
  if (number === undefined) throw new BrokenJson('damaged', 'a value is not a number');
  return number;
}
