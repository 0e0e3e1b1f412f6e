/** Names and contents of the columns of grouped rows, for formats that have columns. */
import type { AggregateKey, Window } from '../../query/index.ts';
import { partColumn } from '../query/aggregate.ts';
import type { RowOptions } from '../params/format.ts';
import type { Formula } from '../row/formula.ts';
import {
  ACCURACY,
  END_UNCERTAINTY,
  type Field,
  FIELDS,
  IDENTITY_COLUMNS,
  NAME_PARTS,
  PAID_COLUMNS,
  PRICE_SOURCE,
  RAW_FIELDS,
  TEXT_COLUMNS,
} from '../row/schema.ts';

/** The contents of a column. */
export type Cell =
  | { readonly kind: 'number'; readonly formula: Formula }
  | { readonly kind: 'text' | 'moment'; readonly column: string }
  | { readonly kind: 'window'; readonly edge: keyof Window }
  | { readonly kind: 'endSource' };

export interface Column {
  readonly name: string;
  readonly cell: Cell;
}

/** What the columns of an answer depend on, beside its keys. */
export type RowDetail = Pick<RowOptions, 'resolutionMs' | 'isRaw'>;

export const number = (name: string, formula: Formula): Column => ({
  name,
  cell: { kind: 'number', formula },
});
export const text = (name: string, column: string = name): Column => ({
  name,
  cell: { kind: 'text', column },
});
export const fields = (of: readonly Field[]): Column[] =>
  of.map(({ json, formula }) => number(json, formula));

export const TIMES: readonly Column[] = [
  { name: 'windowStart', cell: { kind: 'window', edge: 'startMs' } },
  { name: 'windowEnd', cell: { kind: 'window', edge: 'endMs' } },
  { name: 'start', cell: { kind: 'moment', column: 'startMs' } },
  { name: 'end', cell: { kind: 'moment', column: 'endMs' } },
];

const END: readonly Column[] = [
  text(PRICE_SOURCE),
  { name: 'endSource', cell: { kind: 'endSource' } },
  number('endUncertaintySeconds', END_UNCERTAINTY),
];

const ACCURACY_COLUMNS: readonly Column[] = [
  number('accuracyLower', ACCURACY.lower),
  number('accuracyUpper', ACCURACY.upper),
];

/** Every field, and a column for each part of the name. */
export function fullColumns(keys: readonly AggregateKey[], detail: RowDetail): readonly Column[] {
  return [
    text('name'),
    ...partColumns(keys),
    ...TIMES,
    ...fields(FIELDS),
    ...(detail.isRaw ? fields(RAW_FIELDS) : []),
    ...END,
    ...(detail.resolutionMs > 0 ? ACCURACY_COLUMNS : []),
    text('labels'),
  ];
}

/** Every field, and all identity and text columns; labels and their kin are texts of JSON. */
export function allColumns(keys: readonly AggregateKey[], detail: RowDetail): readonly Column[] {
  const full = fullColumns(keys, detail);
  const known = full.map(({ name }) => name);
  const names = [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, ...(detail.isRaw ? PAID_COLUMNS : [])];
  const others = names.filter((name) => !known.includes(name));
  return [...full, ...others.map((name) => text(name))];
}

/** A column for each part of the name: the keys as requested, else the parts of a row's name. */
export function partColumns(keys: readonly AggregateKey[]): Column[] {
  const names = keys.map((key) =>
    key.kind === 'property' ? key.property : `${key.kind}:${key.name}`,
  );
  return (keys.length > 0 ? names : NAME_PARTS).map((name, i) => text(name, partColumn(i)));
}
