/**
 * Writes sets as Parquet files. What is there of the same set is left, so that a run that was interrupted goes on where it
 * ended; a set that is another by now takes the place of its file.
 */
import type { ColumnNames } from '../../columnar/index.ts';
import type { ParquetColumn } from '../../export/index.ts';
import { Unavailable } from '../../query/index.ts';
import type { Region } from '../arrow/directory.ts';
import type { Copied } from '../copy/copy-sets.ts';
import type { CopyPlace } from '../copy/copy-place.ts';
import { DamagedSet, nameOf } from '../set-key.ts';
import type { SetInfo } from '../sets.ts';
import { contentIn, contentOf, parquetPath, TAIL_BYTES } from './layout.ts';
import type { ParquetPlace } from './parquet-place.ts';
import { parquetColumns, parquetOf } from './set-file.ts';

/** Files that are looked at before the next ones are written. */
const LOOKED_AT = 16;

export interface SinkOptions {
  readonly from: Pick<CopyPlace, 'list' | 'contentOf' | 'load'>;
  readonly to: ParquetPlace;
  /** Columns by the kind of sets; sets of other kinds are left out. */
  readonly kinds: ReadonlyMap<string, ColumnNames>;
  readonly signal: AbortSignal;
  /** Called after each set; `done` of `all` are there then. */
  readonly onSet?: (copied: Copied, done: number, all: number) => void;
}

/**
 * @returns bytes of Parquet
 * @throws {Unavailable} where a store does not do its part, or has other bytes than were written to it
 * @throws the signal's reason, once aborted and the file at hand is written
 */
export async function sinkSets(options: SinkOptions): Promise<Copied> {
  const { onSet } = options;
  const sets = setsOf(options);
  let copied = NOTHING;
  for (let i = 0; i < sets.length; i += LOOKED_AT) {
    const some = sets.slice(i, i + LOOKED_AT);
    const found = await Promise.all(some.map((set) => lookedAt(options, set)));
    for (const [j, set] of some.entries()) {
      copied = added(copied, found[j] ?? (await written(options, set)));
      onSet?.(copied, i + j + 1, sets.length);
    }
  }
  return copied;
}

const NOTHING: Copied = { sets: 0, rows: 0, bytes: 0, same: 0, damages: [] };

function added(a: Copied, b: Copied): Copied {
  return {
    sets: a.sets + b.sets,
    rows: a.rows + b.rows,
    bytes: a.bytes + b.bytes,
    same: a.same + b.same,
    damages: [...a.damages, ...b.damages],
  };
}

/** A set, and the file that it is to have. */
interface Sunk {
  readonly set: SetInfo;
  readonly path: string;
  readonly columns: readonly ParquetColumn[];
}

/** The oldest first. */
function setsOf({ from, kinds }: SinkOptions): Sunk[] {
  const sets = [...kinds].flatMap(([kind, names]) => {
    const columns = parquetColumns(names);
    return from
      .list(kind)
      .map((set) => ({ set, path: parquetPath(set.key, set.meta.timezone), columns }));
  });
  return sets.toSorted(
    ({ set: { key: a } }, { set: { key: b } }) => a.startMs - b.startMs || a.endMs - b.endMs,
  );
}

/** @returns undefined where the file is to be written */
async function lookedAt(
  { from, to, signal }: SinkOptions,
  { set, path, columns }: Sunk,
): Promise<Copied | undefined> {
  signal.throwIfAborted();
  return await orDamage(async () => {
    const content = contentOf(directoryOf(from, set), columns);
    const tail = await to.tail(path, TAIL_BYTES);
    return tail !== undefined && contentIn(tail) === content ? { ...NOTHING, same: 1 } : undefined;
  });
}

async function written({ from, to, signal }: SinkOptions, sunk: Sunk): Promise<Copied> {
  signal.throwIfAborted();
  const { set, path, columns } = sunk;
  const { state, timezone } = set.meta;
  return await orDamage(async () => {
    const loaded = await from.load(set);
    const note = { content: contentOf(loaded.directory, columns), state, timezone };
    const bytes = await parquetOf(loaded, columns, note);
    signal.throwIfAborted();
    await to.write(path, bytes);
    const found = await to.read(path);
    if (found === undefined || !bytes.equals(found))
      throw new Unavailable(`${path} is not what was written`);
    return { ...NOTHING, sets: 1, rows: loaded.rows, bytes: bytes.length };
  });
}

function directoryOf(from: SinkOptions['from'], { key }: SetInfo): Region {
  const directory = from.contentOf(key);
  if (directory === undefined) throw new DamagedSet(key, 'it is gone');
  return directory;
}

/** A damaged set is told, and others are worked on. */
async function orDamage<Result>(work: () => Promise<Result>): Promise<Result | Copied> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedSet)) throw error;
    return { ...NOTHING, damages: [{ what: nameOf(error.key), reason: error.reason }] };
  }
}
