/**
 * The kernels' TypeScript face: one module, instantiated once for each thread over the shared memory.
 * Shapes and units of each kernel's arguments are documented at its source in workers/kernels.
 */
import { readFileSync } from 'node:fs';
import { Arena, type Owner } from './memory/arena.ts';
import { checkedExports } from './faces/checked-kernels.ts';
import { COLUMN_CELLS, CRC_ROOM, FOLD_ROOM } from './faces/layout/constants.ts';
import type { KernelExports } from './faces/layout/exports.ts';
import { createCursor, STATE_BYTES } from './faces/series.ts';

export type { KernelExports } from './faces/layout/exports.ts';

/** The compiled kernels; can be posted to other threads. */
export type KernelModule = WebAssembly.Module;

const KERNELS_FILE: URL = new URL('../../workers/kernels/kernels.wasm', import.meta.url);

/** Compiles kernels.wasm; the Module can be posted to other threads. */
export function compileKernels(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(KERNELS_FILE));
}

/** One thread's instance of the kernels. */
export function instantiateKernels(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
): KernelExports {
  const abort = (): never => {
    throw new Error('BUG: a kernel aborted');
  };
  const instance = new WebAssembly.Instance(module, { env: { memory, abort } });
  const arena = new Arena(memory);
  const exports = arena.isChecked ? checkedExports(instance.exports, arena) : instance.exports;
  return exports as unknown as KernelExports;
}

/** A thread's engine: the arena, the kernels over it, and tables for them. */
export interface Engine {
  readonly arena: Arena;
  readonly kernels: KernelExports;
  /** Address of the CRC-32C table, with the kernel's scratch room behind it. */
  readonly crcTable: number;
  /** Address of the cursor over series (series.ts). */
  readonly cursor: number;
  /** Address of scratch state for `condense` and `indexKeys`. */
  readonly condenseState: number;
  /** ROW_CELLS_BYTES of scratch space for the kernel that writes rows. */
  readonly rowCells: number;
  /** FOLD_ROOM bytes of scratch space for the kernel that sums bytes. */
  readonly foldRoom: number;
}

/** Numbers and moments of a row at most. Their scratch and the other tables take less than two pages. */
export const ROW_VALUES_MAX = 112;
const ROW_CELLS_BYTES = ROW_VALUES_MAX * COLUMN_CELLS;

/** @param owner of this thread's own tables, never released */
export function createEngine(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  owner: Owner,
): Engine {
  const arena = new Arena(memory);
  const kernels = instantiateKernels(module, memory);
  const tableBytes = CRC_ROOM + ROW_CELLS_BYTES + FOLD_ROOM;
  const crcTable = arena.allocate(tableBytes, owner);
  const rowCells = crcTable + CRC_ROOM;
  const foldRoom = rowCells + ROW_CELLS_BYTES;
  kernels.crc32cTable(crcTable);
  const cursor = createCursor(arena, owner, crcTable);
  const condenseState = arena.allocate(STATE_BYTES, owner);
  return { arena, kernels, crcTable, rowCells, foldRoom, cursor, condenseState };
}
