/** Tables with some columns replaced; the table they are made from does not change. */
import type { NumberColumn, Table, TextColumn, Workspace } from '../../columnar/index.ts';

type Columns = ReadonlyMap<string, NumberColumn | undefined>;

/** @param columns by name; undefined: zero in every row */
export function overlay(table: Table, columns: Columns): Table {
  if (columns.size === 0) return table;
  return {
    rows: table.rows,
    text: (name) => table.text(name),
    numbers: (name) => (columns.has(name) ? columns.get(name) : table.numbers(name)),
  };
}

/** New values for columns of a table. */
export class Rewrite {
  readonly #space: Workspace;
  readonly #old: Table;
  readonly #columns: Map<string, NumberColumn> = new Map();

  constructor(space: Workspace, old: Table) {
    this.#space = space;
    this.#old = old;
  }

  /** The column to write, at first a copy of the old one, or zeros. */
  column(name: string): Float64Array {
    return this.numbers(name).values;
  }

  /** The same, with its address. */
  numbers(name: string): NumberColumn {
    const known = this.#columns.get(name);
    if (known) return known;
    const { rows } = this.#old;
    const { engine, owner } = this.#space;
    const address = engine.arena.allocate(8 * rows, owner);
    const values = engine.arena.f64(address, rows);
    const old = this.#old.numbers(name);
    if (old) values.set(old.values);
    else values.fill(0);
    const column = { address, values };
    this.#columns.set(name, column);
    return column;
  }

  get table(): Table {
    return overlay(this.#old, this.#columns);
  }
}

/** A table with other texts in one of its columns. */
export function overlayText(table: Table, name: string, column: TextColumn): Table {
  return { ...table, text: (other) => (other === name ? column : table.text(other)) };
}
