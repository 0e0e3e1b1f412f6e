/** Writes rows of a program (row-program.ts) to a slot. */
import { crc32 } from 'node:zlib';
import type { Engine } from '../kernels.ts';
import { rowsOfProgram, runsOfProgram } from './row-program.ts';

/** The bytes written, and the row to continue with. */
export interface Chunk {
  readonly bytes: number;
  readonly nextRow: number;
}

/**
 * Writes rows [from, to) to `slot` until they end or the next one does not fit.
 * @throws {Error} when memory that the program addresses, or the slot, was freed or changed since the
 * program was compiled: then nothing of the slot may be used
 */
export function writeRows(
  engine: Engine,
  program: number,
  rows: { readonly from: number; readonly to: number },
  slot: { readonly address: number; readonly bytes: number },
): Chunk {
  const { arena } = engine;
  const runs = runsOfProgram(arena, program);
  const bytes = arena.u8(slot.address, slot.bytes);
  const { from, to } = rows;
  if (to > rowsOfProgram(arena, program))
    throw new Error(`BUG: rows to ${to} of a program of fewer`);
  arena.checkRuns(runs);
  const chunk = write(engine, program, rows, slot);
  if (arena.isChecked) {
    // Memory that another thread changes meanwhile gives two different sums.
    const before = crc32(bytes.subarray(0, chunk.bytes));
    const again = write(engine, program, rows, slot);
    const isSame = again.bytes === chunk.bytes && again.nextRow === chunk.nextRow;
    if (!isSame || crc32(bytes.subarray(0, chunk.bytes)) !== before) {
      throw new Error(`BUG: rows ${from} to ${to} are written otherwise the second time`);
    }
  }
  arena.checkRuns(runs);
  arena.placeOf(slot.address, slot.bytes);
  return chunk;
}

function write(
  { kernels, rowCells }: Engine,
  program: number,
  { from, to }: { readonly from: number; readonly to: number },
  slot: { readonly address: number; readonly bytes: number },
): Chunk {
  const end = slot.address + slot.bytes;
  const written = kernels.writeRows(program, from, to, slot.address, end, rowCells);
  const bytes = Number(BigInt.asUintN(32, written));
  const nextRow = Number(BigInt.asUintN(32, written >> 32n));
  const isAny = nextRow > from;
  if (nextRow < from || nextRow > to || bytes > slot.bytes || isAny !== bytes > 0) {
    throw new Error(
      `BUG: rows ${from} to ${to} came to ${bytes} bytes in ${slot.bytes} and row ${nextRow}`,
    );
  }
  return { bytes, nextRow };
}
