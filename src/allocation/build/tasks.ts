/** Tasks that encode stored sets: a computed set, a day as the sum of its hours, and the sums of stored rows. */
import { checksumOf, type Engine } from '../../columnar/index.ts';
import type { TasksOf } from '../../pool/task.ts';
import { readInTask, SetReader, type StoredSet } from '../../storage/index.ts';
import { CHARGED_COLUMNS } from '../reconcile/charged-asset.ts';
import { encodeSums, SUMMED_COLUMNS, unbilledCharges } from '../reduced/sums-set.ts';
import {
  filesOfSet,
  keptAt,
  type EncodedAt,
  type SetFilesInput,
  type SetOutput,
} from '../sets/set-files.ts';
import { sumDay, type SumInput } from '../sets/sum-day.ts';

export interface SumRowsInput extends SetOutput {
  /** A set of allocations, whose metadata it is. */
  readonly stored: StoredSet;
  /** The assets of its time; null where they are not known. */
  readonly assets: StoredSet | null;
}

export type BuildTasks = {
  encodeSets: { input: SetFilesInput; output: EncodedAt[] };
  sumDay: { input: SumInput; output: EncodedAt[] };
  sumRows: { input: SumRowsInput; output: EncodedAt[] };
};

export function buildTasks(engine: Engine): TasksOf<BuildTasks> {
  const reader = new SetReader(engine.arena, checksumOf(engine));
  return {
    encodeSets: (input) => filesOfSet(engine, input),
    sumDay: (input) => sumDay(engine, input),
    async sumRows({ stored, assets, meta, owner, keeper }) {
      const read = assets && readInTask(() => reader.read(assets, owner, CHARGED_COLUMNS));
      const charges = read ? unbilledCharges(stored.key, read.table) : '';
      const { table } = readInTask(() => reader.read(stored, owner, SUMMED_COLUMNS));
      const { key, directory } = stored;
      const sums = await encodeSums({ engine, owner }, table, { key, meta, directory }, charges);
      return [keptAt(engine.arena, keeper, sums)];
    },
  };
}
