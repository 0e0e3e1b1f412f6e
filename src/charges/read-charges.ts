/** Reads the charges of stored bills, one set after the other, in a worker. */
import type { Engine, Owner, Table } from '../columnar/index.ts';
import { Unavailable } from '../query/index.ts';
import { DamagedSet, type SetReader, type StoredSet } from '../storage/index.ts';

export interface ChargesRead {
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
export function readCharges(
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
