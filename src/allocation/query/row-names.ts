/**
 * Names of grouped rows, and the parts that names are joined from. Without keys a name is
 * cluster/node/namespace/pod/container: two lives of one pod name on one node are one row.
 */
import {
  joinCodes,
  mapCodes,
  numberPairs,
  splitPairs,
  textColumn,
  type Workspace,
} from '../../columnar/index.ts';
import type { AggregateKey } from '../../query/index.ts';
import { keyColumn, plainKey, type KeyColumn, type KeyedTable } from './key-columns.ts';
import { IDLE } from '../row/row-kinds.ts';
import { NAME_PARTS, type IdentityColumn } from '../row/schema.ts';

/** Names of idle rows: one for all, `cluster/__idle__`, or `cluster/node/__idle__`. */
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

/** How many parts a row's name has. */
export function partsOfName(keys: readonly AggregateKey[]): number {
  return keys.length > 0 ? keys.length : NAME_PARTS.length;
}

/** Names of rows, by numbers that rows of one name share. */
export interface RowNames {
  /** A number a row. */
  readonly rows: Uint32Array;
  /** The code of each number's name, for numbers that some row has. */
  readonly names: Uint32Array;
  /** Codes of the parts of each number's name. */
  readonly parts: readonly Uint32Array[];
  /** Whether rows of that number are idle. */
  readonly isIdle: (number: number) => boolean;
}

/** @param idle rows that are idle */
export function nameRows(
  keyed: KeyedTable,
  idle: readonly number[],
  { keys, idleNames }: Grouping,
): RowNames {
  const columns =
    keys.length > 0
      ? keys.map((key) => keyColumn(keyed, key))
      : NAME_PARTS.map((name) => plainKey(keyed, name));
  const { rows, parts } = combined(keyed.space, columns);
  const names = namesOf(keyed, parts);
  const named = { rows, names, parts, isIdle: () => false };
  return idle.length > 0 ? withIdle(keyed, idle, idleNames, named) : named;
}

/** A number for each combination of the columns' numbers. */
function combined(
  space: Workspace,
  [head, ...tail]: readonly KeyColumn[],
): Pick<RowNames, 'rows' | 'parts'> {
  if (head === undefined) throw new Error('BUG: rows without a name');
  return tail.reduce<Pick<RowNames, 'rows' | 'parts'>>(
    (left, right) => {
      const { rows, pairs } = numberPairs(space, left.rows, right.rows);
      const [lefts, rights] = splitPairs(space, pairs);
      const parts = [
        ...left.parts.map((part) => mapCodes(space, lefts, part)),
        mapCodes(space, rights, right.names),
      ];
      return { rows, parts };
    },
    { rows: head.rows, parts: [head.names] },
  );
}

/** The parts joined by `/`. */
function namesOf({ space, texts }: KeyedTable, parts: readonly Uint32Array[]): Uint32Array {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return first ?? new Uint32Array();
  return joinCodes(space, parts, texts);
}

/** Idle has a name of its own under every aggregate; its first part is all of it. */
function withIdle(
  { space, table, texts }: KeyedTable,
  idle: readonly number[],
  idleNames: IdleNames,
  { rows, names, parts }: RowNames,
): RowNames {
  const places = IDLE_PARTS[idleNames].map((name) => textColumn(table, name));
  const firstIdle = names.length;
  const numbers = new Map<string, number>();
  const own = space.engine.arena.u32(
    space.engine.arena.allocate(4 * rows.length, space.owner),
    rows.length,
  );
  own.set(rows);
  for (const row of idle) {
    const place = places
      .map(({ codes, texts: of }) => of.text(codes[row] ?? 0))
      .filter((text) => text !== '');
    const name = [...place, IDLE].join('/');
    const number = numbers.get(name) ?? firstIdle + numbers.size;
    numbers.set(name, number);
    own[row] = number;
  }
  const ownPart = texts.code(IDLE);
  const longer = (of: Uint32Array, added: readonly number[]): Uint32Array => {
    const all = new Uint32Array(of.length + added.length);
    all.set(of);
    all.set(added, of.length);
    return all;
  };
  const added = [...numbers.keys()];
  return {
    rows: own,
    names: longer(
      names,
      added.map((name) => texts.code(name)),
    ),
    parts: parts.map((part, i) =>
      longer(
        part,
        added.map(() => (i === 0 ? ownPart : 0)),
      ),
    ),
    isIdle: (number) => number >= firstIdle,
  };
}
