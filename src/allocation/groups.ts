/** Rows to groups: each row's name, and the group of that name. */
import { DictionaryBuilder, type Table } from '../columnar/index.ts';
import type { AggregateKey } from '../query/index.ts';
import { keyColumn } from './key-columns.ts';
import { IDLE, kindsOf, ROW_KINDS } from './row-kinds.ts';
import type { IdentityColumn } from './schema.ts';
import { plainColumn } from './text-columns.ts';

/** What a row's name is joined of when it is not aggregated. */
export const NAME_PARTS: readonly IdentityColumn[] = [
  'cluster',
  'node',
  'namespace',
  'pod',
  'container',
];

/** How idle rows are told apart: not, as `cluster/__idle__`, or as `cluster/node/__idle__`. */
export type IdleNames = 'one' | 'cluster' | 'node';

const IDLE_PARTS: Readonly<Record<IdleNames, readonly IdentityColumn[]>> = {
  one: [],
  cluster: ['cluster'],
  node: ['cluster', 'node'],
};

export function isIdleName(name: string): boolean {
  return name === IDLE || name.endsWith(`/${IDLE}`);
}

export const LEFT_OUT = 0xffffffff;

/** Gives each row its group, and each group its name. */
export class Groups {
  readonly texts: DictionaryBuilder = new DictionaryBuilder();
  /** Code of the name, a group. */
  readonly names: number[] = [];
  /** Codes of the parts a name is joined of, a group. */
  readonly parts: number[][] = [];
  /** Group + 1 by code of the name. */
  readonly #byName: number[] = [];
  readonly #keys: readonly AggregateKey[];
  readonly #idleNames: IdleNames;

  /** @param keys none: not aggregated */
  constructor(keys: readonly AggregateKey[], idleNames: IdleNames) {
    this.#keys = keys;
    this.#idleNames = idleNames;
  }

  /**
   * The group of each row.
   * @param kept 0: the row is left out, and its group is `LEFT_OUT`; null keeps every row
   */
  assign(table: Table, kept: Uint8Array | null): Uint32Array {
    const columns =
      this.#keys.length > 0
        ? this.#keys.map((key) => keyColumn(table, key, this.texts))
        : NAME_PARTS.map((name) => plainColumn(table, name, this.texts));
    const joined = this.#join(columns, table.rows);
    this.#nameIdle(table, columns, joined);
    const groups = new Uint32Array(table.rows);
    for (let row = 0; row < table.rows; row++) {
      const isKept = kept === null || kept[row] === 1;
      groups[row] = isKept ? this.#groupOf(joined[row] ?? 0, columns, row) : LEFT_OUT;
    }
    return groups;
  }

  #groupOf(name: number, columns: readonly Uint32Array[], row: number): number {
    const known = this.#byName[name] ?? 0;
    if (known > 0) return known - 1;
    this.parts.push(columns.map((column) => column[row] ?? 0));
    this.names.push(name);
    for (let code = this.#byName.length; code < name; code++) this.#byName[code] = 0;
    this.#byName[name] = this.names.length;
    return this.names.length - 1;
  }

  /** Codes of the rows' parts joined by `/`; each different pair of codes is joined once. */
  #join(columns: readonly Uint32Array[], rows: number): Uint32Array {
    const [head, ...tail] = columns;
    return tail
      .reduce((joined, column) => this.#joinPair(joined, column), head ?? new Uint32Array(rows))
      .slice();
  }

  #joinPair(lefts: Uint32Array, rights: Uint32Array): Uint32Array {
    const pairs = new Map<number, number>();
    const joined = new Uint32Array(lefts.length);
    let pair = -1;
    let code = 0;
    for (let row = 0; row < lefts.length; row++) {
      const left = lefts[row] ?? 0;
      const right = rights[row] ?? 0;
      // Neighbours are often alike.
      if (left * 2 ** 26 + right !== pair) {
        pair = left * 2 ** 26 + right;
        code =
          pairs.get(pair) ?? this.texts.code(`${this.texts.text(left)}/${this.texts.text(right)}`);
        pairs.set(pair, code);
      }
      joined[row] = code;
    }
    return joined;
  }

  /** Idle has a name of its own under every aggregate, also as the first part of it. */
  #nameIdle(table: Table, columns: readonly Uint32Array[], joined: Uint32Array): void {
    const kinds = kindsOf(table);
    if (!kinds.includes(ROW_KINDS.idle)) return;
    const places = IDLE_PARTS[this.#idleNames].map((name) => plainColumn(table, name, this.texts));
    kinds.forEach((kind, row) => {
      if (kind !== ROW_KINDS.idle) return;
      const known = places.map((codes) => this.texts.text(codes[row] ?? 0)).filter((t) => t !== '');
      joined[row] = this.texts.code([...known, IDLE].join('/'));
      columns.forEach((column, part) => {
        column[row] = part === 0 ? this.texts.code(IDLE) : 0;
      });
    });
  }
}
