/** A set in the arena, ready to be written, and how a slot is filled with it. */
import {
  ownersOfProgram,
  writeRows,
  type Chunk,
  type Engine,
  type Owner,
} from '../../columnar/index.ts';

export interface SetAt {
  /** A program that writes its rows; or bytes as they are to be, each of which counts as a row. */
  readonly kind: 'program' | 'bytes';
  readonly address: number;
  readonly rows: number;
  /** Owners of the other memory that it addresses: its own owner must hold them. */
  readonly holds: readonly Owner[];
}

/** @param address of the program */
export function programAt({ arena }: Engine, address: number, rows: number): SetAt {
  return { kind: 'program', address, rows, holds: ownersOfProgram(arena, address) };
}

/** As many rows from `from` on as the slot takes; none where not one fits. */
export function encodeSlot(
  engine: Engine,
  { kind, address, rows }: Pick<SetAt, 'kind' | 'address' | 'rows'>,
  from: number,
  slot: { readonly address: number; readonly bytes: number },
): Chunk {
  if (kind === 'program') return writeRows(engine, address, { from, to: rows }, slot);
  const { arena } = engine;
  const bytes = Math.min(rows - from, slot.bytes);
  arena.u8(slot.address, bytes).set(arena.u8(address + from, bytes));
  return { bytes, nextRow: from + bytes };
}
