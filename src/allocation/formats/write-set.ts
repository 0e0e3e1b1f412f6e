/** A grouped set made ready to be written, in whichever format. */
import type { Engine, Owner } from '../../columnar/index.ts';
import type { AggregateKey } from '../../query/index.ts';
import { arrowBatch } from './arrow.ts';
import { csvRows } from './csv.ts';
import type { GroupedAt, RowOptions } from '../params/format.ts';
import { jsonRows } from './json.ts';
import { allColumns } from './row-columns.ts';
import { programAt, type SetAt } from './set-at.ts';

/** @throws {ArenaFull} when there is no room */
export async function writeSet(
  engine: Engine,
  owner: Owner,
  grouped: GroupedAt,
  keys: readonly AggregateKey[],
  options: RowOptions,
): Promise<SetAt> {
  const { format } = options;
  const { rows } = grouped.frame;
  switch (format.kind) {
    case 'arrow':
      return await arrowBatch(engine, owner, grouped, allColumns(keys, options), options);
    case 'csv':
      return programAt(engine, csvRows(engine, owner, grouped, keys, { ...options, format }), rows);
    case 'json':
    case 'ndjson':
      return programAt(engine, jsonRows(engine, owner, grouped, options), rows);
  }
}
