/** Parquet files, decoded by a thread that may be ended, into the arena. */
import { stat } from 'node:fs/promises';
import type { Arena, Owner } from '../../columnar/index.ts';
import { GUARDED, GuardedThread } from '../../pool/index.ts';
import { Fault } from '../../query/index.ts';
import {
  shown,
  type BadCell,
  type NumberColumn,
  type ParquetAnswer,
  type ParquetCall,
  type ParquetFile,
  type ParquetHeader,
  type ParquetRows,
  type RowRange,
  type Run,
  type TextColumn,
  type TextsAt,
} from '../focus/index.ts';

const THREAD = new GuardedThread<ParquetCall, ParquetAnswer>({
  entry: GUARDED.parquet,
  heapMib: 128,
  idleMs: 10_000,
});
/** Time for one column of 65,536 rows, or for the footer; a hundred times what they take. */
const LEAST_DEADLINE_MS = 4000;
const BYTES_PER_MS_MIN = 2 ** 10;

/** A file on the disk, and its name for messages. */
export interface NamedPath {
  readonly name: string;
  readonly path: string;
}

/** @throws {Fault} naming the file */
export async function openParquet(file: NamedPath): Promise<ParquetFile> {
  return (await ask(file, { open: file.path })) as ParquetFile;
}

/**
 * Decodes a range of rows into the arena.
 * @returns the rows, and a function that frees them
 * @throws {Fault} for damage @throws {ArenaFull} when there is no room
 */
export async function readParquetRows(
  { arena, owner }: { readonly arena: Arena; readonly owner: Owner },
  file: NamedPath,
  header: ParquetHeader,
  range: RowRange,
): Promise<{ readonly rows: ParquetRows; readonly free: () => void }> {
  const runs: Run[] = [];
  const free = (): void => {
    for (const { address, bytes } of runs) arena.free(address, bytes);
  };
  const store = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Run => {
    // A run has at least one byte.
    const run = { address: arena.allocate(byteLength || 1, owner), bytes: byteLength || 1 };
    runs.push(run);
    arena.u8(run.address, byteLength).set(new Uint8Array(buffer, byteOffset, byteLength));
    return run;
  };
  const texts: Record<string, TextsAt> = {};
  const numbers: Record<string, Run> = {};
  const bad: BadCell[] = [];
  try {
    for (const [name, column] of Object.entries(header.texts)) {
      const read = (await ask(file, { read: file.path, column, range, as: 'texts' })) as TextColumn;
      texts[name] = {
        numbers: store(read.numbers),
        texts: store(read.bytes),
        ends: store(read.ends),
      };
    }
    for (const [name, column] of Object.entries(header.numbers)) {
      const read = (await ask(file, {
        read: file.path,
        column,
        range,
        as: 'numbers',
      })) as NumberColumn;
      numbers[name] = store(read.values);
      for (const [row, text] of read.bad)
        bad.push({ row, column: name, reason: `${shown(text)} is not a number` });
    }
  } catch (error) {
    free();
    throw error;
  }
  return { rows: { rows: range.rowEnd - range.rowStart, texts, numbers, bad }, free };
}

async function ask({ name, path }: NamedPath, call: ParquetCall): Promise<ParquetAnswer> {
  // A file that is gone is not damaged: it is tried again.
  const { size } = await stat(path);
  try {
    return await THREAD.ask(call, Math.round(LEAST_DEADLINE_MS + size / BYTES_PER_MS_MIN));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(`${name} is damaged, as Parquet: ${reason}`, { cause });
  }
}
