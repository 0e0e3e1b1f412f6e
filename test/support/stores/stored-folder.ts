/** A folder of stored sets, made of saved answers. */
import { createReadStream } from 'node:fs';
import { readSavedAnswers } from '../../../src/allocation/index.ts';
import { IDENTITY_COLUMNS, MEASURES, TEXT_COLUMNS } from '../../../src/allocation/row/schema.ts';
import { Arena, Owners, type Table } from '../../../src/columnar/index.ts';
import { encodeSet, openArrowFiles, type SetMeta } from '../../../src/storage/index.ts';
import { dirtyMemory } from '../references/dirty-memory.ts';

export interface Saving {
  /** Moved by so much, so that one day can stand for several. */
  readonly shiftMs: number;
  readonly state: SetMeta['state'];
}

/** @param days what is made of the file's only set */
export async function storeSaved(
  folder: string,
  file: string,
  days: readonly Saving[],
): Promise<void> {
  const arena = new Arena(dirtyMemory(64 << 20));
  const owner = new Owners(arena).take();
  const sets = await openArrowFiles({ folder, arena, note: () => undefined });
  try {
    for await (const saved of readSavedAnswers(createReadStream(file), file)) {
      for (const { shiftMs, state } of days) {
        const table = saved.table(arena, owner);
        shift(table, shiftMs);
        const encoded = await encodeSet({
          key: {
            kind: 'allocations',
            startMs: saved.startMs + shiftMs,
            endMs: saved.endMs + shiftMs,
          },
          meta: { state, timezone: 'UTC', createdMs: 0, source: file, warnings: [] },
          table,
          texts: [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, 'pvs', 'endSource'],
          numbers: [
            'startMs',
            'endMs',
            'endUncertaintyMs',
            ...MEASURES.map(({ column }) => column),
          ],
        });
        await sets.write([encoded]);
      }
    }
  } finally {
    await sets.close();
  }
}

function shift(table: Table, shiftMs: number): void {
  for (const name of ['startMs', 'endMs']) {
    const values = table.numbers(name)?.values ?? new Float64Array();
    for (let row = 0; row < table.rows; row++) values[row] = (values[row] ?? 0) + shiftMs;
  }
}
