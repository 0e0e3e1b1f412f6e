/**
 * A table in the arena with a dictionary for each column of texts: a frame with u32 columns of codes, the
 * dictionaries by column, and columns of bytes (u32 offsets, then bytes). Its addresses are plain data,
 * so that any thread can open it.
 */
import type { Arena } from '../memory/arena.ts';
import { Dictionary } from './dictionary.ts';
import { Frame } from './frame.ts';
import type { Table } from './table.ts';

export interface TableAddresses {
  readonly frame: number;
  /** Addresses by the name of a u32 column. */
  readonly dictionaries: Readonly<Record<string, number>>;
  /** Addresses by the name of a column of bytes. */
  readonly bytes: Readonly<Record<string, number>>;
}

/** @throws {Error} when there is no frame at the address */
export function openTable(arena: Arena, addresses: TableAddresses): Table {
  const frame = new Frame(arena, addresses.frame);
  const texts = new Map(
    Object.entries(addresses.dictionaries).map(([name, at]) => [name, new Dictionary(arena, at)]),
  );
  return {
    rows: frame.rows,
    text(name) {
      const own = texts.get(name);
      return own && { codes: frame.u32(name), texts: own };
    },
    numbers(name) {
      const column = frame.column(name);
      return column?.type === 'f64'
        ? { address: column.address, values: frame.f64(name) }
        : undefined;
    },
    bytes(name) {
      const at = addresses.bytes[name];
      if (at === undefined) return undefined;
      const offsets = arena.u32(at, frame.rows + 1);
      return { offsets, bytes: arena.u8(at + offsets.byteLength, offsets[frame.rows]) };
    },
  };
}
