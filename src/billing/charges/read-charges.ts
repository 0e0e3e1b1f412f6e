/** Groups the charges of stored bills, read one set after the other, in a worker. */
import type { Engine, Owner, Table } from '../../columnar/index.ts';
import { Unavailable } from '../../query/index.ts';
import { DamagedSet, type SetReader, type StoredSet } from '../../storage/index.ts';
import { ChargeGroups } from './charge-groups.ts';
import { columnsRead, type ChargeQuery, type ChargeSchema } from './charge-schema.ts';
import type { Gathered } from './in-slices.ts';

/** What charges are grouped of, and by what. */
export interface ChargesGrouped extends Gathered {
  readonly query: ChargeQuery;
  /** Of what is needed on the way. */
  readonly owner: Owner;
}

/**
 * Charges of sets and of what slices came to, as groups.
 * @param see a set's rows as the schema has them, and the stored column that one of its own is made of
 * @throws {Unavailable} when a set is damaged: a bill without it would be too small
 */
export function groupCharges(
  engine: Engine,
  reader: SetReader,
  schema: ChargeSchema,
  { stored, parts, query, owner }: ChargesGrouped,
  see: Seen = AS_STORED,
): ChargeGroups {
  const groups = new ChargeGroups(schema, query);
  const columns = [...new Set(columnsRead(schema, query).map((name) => see.storedAs(name)))];
  readCharges(engine, reader, { stored, columns, owner }, (table) =>
    groups.add({ engine, owner }, see.rows(table)),
  );
  for (const part of parts) groups.merge({ engine }, part);
  return groups;
}

export interface Seen {
  readonly rows: (table: Table) => Table;
  readonly storedAs: (column: string) => string;
}

const AS_STORED: Seen = { rows: (table) => table, storedAs: (column) => column };

interface ChargesRead {
  readonly stored: readonly StoredSet[];
  /** Names of columns. */
  readonly columns: readonly string[];
  /** Of a set while it is visited; nobody else uses it meanwhile. */
  readonly owner: Owner;
}

/**
 * @param visit may use the table until it returns
 * @throws {Unavailable} when a set is damaged: a bill without it would be too small
 */
function readCharges(
  { arena }: Engine,
  reader: SetReader,
  { stored, columns, owner }: ChargesRead,
  visit: (table: Table) => void,
): void {
  for (const set of stored) {
    try {
      visit(reader.read(set, owner, columns).table);
    } catch (error) {
      throw error instanceof DamagedSet ? told(error) : error;
    } finally {
      arena.release(owner);
    }
  }
}

/** An error's own class does not survive the way between threads. */
function told(error: DamagedSet): Unavailable {
  return new Unavailable(`a bill cannot be read: ${error.message}`, {
    hint: 'import it again: a delivery replaces its period whole',
    cause: error,
  });
}
