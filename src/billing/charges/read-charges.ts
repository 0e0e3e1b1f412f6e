/** Groups the charges of stored bills, read one set after the other, in a worker. */
import { textColumn, type Engine, type Table } from '../../columnar/index.ts';
import { readInTask, type SetReader } from '../../storage/index.ts';
import { ChargeGroups, type GroupsAt } from './charge-groups.ts';
import { columnsRead, type ChargeSchema } from './charge-schema.ts';
import type { Gathered, SliceInput } from './gather.ts';

export interface ChargeReader<Spec> {
  /** @throws {Unavailable} when a set is damaged: a bill without it would be too small */
  readonly group: (charges: Gathered, spec: Spec) => ChargeGroups;
  /** Groups a slice for another task. @throws {Unavailable} likewise */
  readonly slice: (input: SliceInput<Spec>) => GroupsAt;
}

const DAMAGED = {
  what: 'a bill cannot be read',
  hint: 'import it again: a delivery replaces its period whole',
};

export function chargeReader<Spec>(
  engine: Engine,
  reader: SetReader,
  schemaOf: (spec: Spec) => ChargeSchema,
): ChargeReader<Spec> {
  const group = ({ stored, parts, query, owner }: Gathered, spec: Spec): ChargeGroups => {
    const schema = schemaOf(spec);
    const groups = new ChargeGroups(schema, query);
    const columns = columnsRead(schema, query);
    for (const set of stored) {
      try {
        const { table } = readInTask(() => reader.read(set, owner, columns), DAMAGED);
        groups.add({ engine, owner }, withDerived(table, schema));
      } finally {
        engine.arena.release(owner);
      }
    }
    for (const part of parts) groups.merge({ engine }, part);
    return groups;
  };
  return {
    group,
    slice: ({ stored, query, spec, owner, keeper }) =>
      group({ stored, parts: [], query, owner }, spec).store({ engine, owner: keeper }),
  };
}

function withDerived(table: Table, { derived }: ChargeSchema): Table {
  if (derived === undefined) return table;
  const column = derived.derive(textColumn(table, derived.from));
  return {
    rows: table.rows,
    text: (name) => (name === derived.name ? column : table.text(name)),
    numbers: (name) => table.numbers(name),
  };
}
