/** The way a capability reads charges, and queries of them. */
import type { Table, TextColumn } from '../../columnar/index.ts';
import type { Filter, Window } from '../../query/index.ts';
import { storedColumns, type ChargeField } from './charge-field.ts';
import type { ChargeKey } from './charge-keys.ts';

/** An amount of charges that adds up. */
export interface Measure {
  readonly name: string;
  /** Columns of numbers or, where `values` looks at them, of texts. */
  readonly columns: readonly string[];
  /** A value a row. */
  readonly values: (table: Table) => ArrayLike<number>;
}

export interface ChargeSchema {
  readonly fields: readonly ChargeField[];
  readonly measures: readonly Measure[];
  /** Columns of texts of a group, where its charges agree. */
  readonly texts: readonly string[];
  /** Columns of numbers of a group, where its charges agree. */
  readonly numbers: readonly string[];
  readonly derived?: DerivedColumn;
}

/** A column of texts that no bill stores: made of the stored column `from`. */
export interface DerivedColumn {
  readonly name: string;
  readonly from: string;
  readonly derive: (column: TextColumn) => TextColumn;
}

/** Plain data, sent to workers. */
export interface ChargeQuery {
  /** Windows of the sets of the answer: oldest first, without overlap. */
  readonly windows: readonly Window[];
  /** One or more. */
  readonly keys: readonly ChargeKey[];
  /** Each charge is a group of its own. */
  readonly isSeparate: boolean;
  readonly filter: Filter | null;
}

/** The column itself, zero where a table has none. */
export function plainMeasure(name: string): Measure {
  return {
    name,
    columns: [name],
    values: (table) => table.numbers(name)?.values ?? new Float64Array(table.rows),
  };
}

/** Stored columns of a bill that a query reads. */
export function columnsRead(schema: ChargeSchema, { keys, filter }: ChargeQuery): string[] {
  const requested = new Set([...keys.map(({ field }) => field), ...fieldsIn(filter)]);
  const fields = schema.fields
    .filter(({ name }) => requested.has(name))
    .map(({ column }) => column);
  const measured = schema.measures.flatMap(({ columns }) => columns);
  const texts = storedColumns([...fields, ...schema.texts]);
  const columns = ['startMs', 'endMs', ...measured, ...schema.numbers, ...texts];
  const { derived } = schema;
  return [...new Set(columns.map((name) => (name === derived?.name ? derived.from : name)))];
}

function fieldsIn(filter: Filter | null): string[] {
  if (filter === null) return [];
  return filter.kind === 'comparison' ? [filter.field] : filter.parts.flatMap(fieldsIn);
}
