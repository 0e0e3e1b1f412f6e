/** Whole files of sets, for checks of every byte. */
import { crc32 } from 'node:zlib';
import { readDirectory } from '../arrow/directory.ts';
import { DamagedSet } from '../set-key.ts';
import type { ClickHouse } from './client.ts';
import type { Entry } from './manifest.ts';
import { columnParts, frameParts, type FilePart } from './set-file.ts';

/** The set's file as it was written. @throws {DamagedSet} @throws {Unavailable} */
export async function rebuilt(server: ClickHouse, entry: Entry): Promise<Uint8Array> {
  const file = new Uint8Array(entry.bytes);
  const place = ({ at, bytes }: FilePart): void => {
    if (at + bytes.length > file.length)
      throw new DamagedSet(entry.key, 'its file is longer than it was');
    file.set(bytes, at);
  };
  for (const part of await frameParts(server, entry)) place(part);
  const [at, length, sum] = entry.directory;
  const directory = file.subarray(at, at + length);
  if (crc32(directory) !== sum)
    throw new DamagedSet(entry.key, 'its directory has not the bytes written');
  const { columns } = readDirectory(Buffer.from(directory).toString('latin1'));
  for await (const part of columnParts(server, entry, entry.rows, columns)) place(part);
  if (crc32(file) === entry.crc32) return file;
  throw new DamagedSet(entry.key, 'it has not the bytes written');
}

/** @returns why the set is not as it was written @throws {Unavailable} where the server does not say */
export async function damageOf(server: ClickHouse, entry: Entry): Promise<string | undefined> {
  try {
    await rebuilt(server, entry);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedSet) return error.reason;
    throw error;
  }
}
