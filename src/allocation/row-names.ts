/**
 * What rows are called when they are grouped, and the parts their names are joined of. Without keys
 * that is cluster/node/namespace/pod/container: two lives of one pod name on one node are one row.
 */
import { type DictionaryBuilder, plainColumn, type Table } from '../columnar/index.ts';
import type { AggregateKey } from '../query/index.ts';
import { keyColumn } from './key-columns.ts';
import { IDLE, ROW_KINDS } from './row-kinds.ts';
import type { IdentityColumn } from './schema.ts';

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

export interface Grouping {
  /** None: not aggregated. */
  readonly keys: readonly AggregateKey[];
  readonly idleNames: IdleNames;
}

/** Of how many parts names of rows are joined. */
export function partsOfName(keys: readonly AggregateKey[]): number {
  return keys.length > 0 ? keys.length : NAME_PARTS.length;
}

/** Columns of codes of names. */
export interface RowNames {
  readonly names: Uint32Array;
  readonly parts: readonly Uint32Array[];
}

/** @param kinds ROW_KINDS, a row */
export function nameRows(
  table: Table,
  kinds: Uint32Array,
  { keys, idleNames }: Grouping,
  texts: DictionaryBuilder,
): RowNames {
  const parts =
    keys.length > 0
      ? keys.map((key) => keyColumn(table, key, texts))
      : NAME_PARTS.map((name) => plainColumn(table, name, texts));
  const named = { names: join(parts, table.rows, texts), parts };
  if (kinds.includes(ROW_KINDS.idle)) nameIdle(table, kinds, idleNames, named, texts);
  return named;
}

/** The parts joined by `/`; each different pair of codes is joined once. */
function join(
  [head, ...tail]: readonly Uint32Array[],
  rows: number,
  texts: DictionaryBuilder,
): Uint32Array {
  const first = head?.slice() ?? new Uint32Array(rows);
  return tail.reduce((lefts, rights) => joinPair(lefts, rights, texts), first);
}

function joinPair(lefts: Uint32Array, rights: Uint32Array, texts: DictionaryBuilder): Uint32Array {
  const pairs = new Map<number, number>();
  const joined = new Uint32Array(lefts.length);
  let last = -1;
  let code = 0;
  for (let row = 0; row < lefts.length; row++) {
    const left = lefts[row] ?? 0;
    const right = rights[row] ?? 0;
    const pair = left * 2 ** 26 + right;
    // Neighbours are often alike.
    if (pair !== last) {
      code = pairs.get(pair) ?? texts.code(`${texts.text(left)}/${texts.text(right)}`);
      pairs.set(pair, code);
      last = pair;
    }
    joined[row] = code;
  }
  return joined;
}

/** Idle has a name of its own under every aggregate; its first part is all of it. */
function nameIdle(
  table: Table,
  kinds: Uint32Array,
  idleNames: IdleNames,
  { names, parts }: RowNames,
  texts: DictionaryBuilder,
): void {
  const idle = texts.code(IDLE);
  const places = IDLE_PARTS[idleNames].map((name) => plainColumn(table, name, texts));
  kinds.forEach((kind, row) => {
    if (kind !== ROW_KINDS.idle) return;
    const place = places.map((codes) => texts.text(codes[row] ?? 0)).filter((text) => text !== '');
    names[row] = texts.code([...place, IDLE].join('/'));
    parts.forEach((part, i) => {
      part[row] = i === 0 ? idle : 0;
    });
  });
}
