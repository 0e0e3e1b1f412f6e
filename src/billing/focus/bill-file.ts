/** Files of bills: their first bytes show their form, whatever their names. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { Fault } from '../../query/index.ts';
import { chunksOf, readFrom, readHead, withHead, type ReadBytes } from './bytes.ts';
import { gunzipped, unpackedZstd } from './unpacked.ts';

/** A file of unknown form. */
export interface BillFile {
  /** The name in errors. */
  readonly name: string;
  /** NaN where it is not known. */
  readonly bytes: number;
  /** The path of a file that can be read at any place, which Parquet needs. */
  readonly path?: string;
  /** From its beginning to its end, once. */
  readonly read: ReadBytes;
  close(): Promise<void>;
}

export type Opened =
  | { readonly form: 'csv'; readonly read: ReadBytes }
  | { readonly form: 'parquet'; readonly path: string };

const HEAD_BYTES = 4;
const GZIP = Buffer.from([0x1f, 0x8b]); // https://www.rfc-editor.org/rfc/rfc1952#section-2.3.1
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]); // https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1
const PARQUET = Buffer.from('PAR1');
const ZIP = Buffer.from('PK');

/**
 * @param onBytes called with the number of bytes read from the file
 * @throws {Fault} when it cannot be read
 */
export async function openBillFile(
  path: string,
  onBytes: (count: number) => void = () => undefined,
): Promise<BillFile> {
  const handle = await reading(path, () => open(path, 'r'));
  const about = await handle.stat();
  if (about.isDirectory()) {
    await handle.close();
    throw new Fault(`cannot read ${path}: it is a folder`, { hint: `name files: ${path}/*` });
  }
  const read = counted(path, onBytes, (target) => readOn(handle, target));
  return {
    name: path,
    path,
    bytes: about.isFile() ? about.size : NaN,
    read,
    close: () => handle.close(),
  };
}

/** @param chunks of a source without a path, such as standard input */
export function streamedBill(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void = () => undefined,
): BillFile {
  const read = counted(name, onBytes, readFrom(chunks));
  return { name, bytes: NaN, read, close: () => Promise.resolve() };
}

/** @throws {Fault} naming the file, for what is neither CSV nor Parquet */
export async function opened({ name, path, read }: BillFile): Promise<Opened> {
  const head = await readHead(read, HEAD_BYTES);
  const isA = (mark: Buffer): boolean => head.subarray(0, mark.length).equals(mark);
  if (isA(PARQUET) && path !== undefined) return { form: 'parquet', path };
  if (isA(PARQUET)) throw new Fault(`${name}: Parquet cannot be read from a stream`);
  if (isA(ZIP)) throw new Fault(`${name} is a ZIP archive`, { hint: 'unpack it, or use gzip' });
  const all = withHead(head, read);
  if (isA(GZIP)) return { form: 'csv', read: gunzipped(all, name) };
  return { form: 'csv', read: isA(ZSTD) ? unpackedZstd(all, name) : all };
}

/** A file with the same content as one before it. */
export interface BillCopy {
  readonly name: string;
  readonly of: string;
}

/** The files without those that are copies of others, packed or not; a stream is no copy. @throws {Fault} */
export async function withoutCopies(
  files: readonly BillFile[],
): Promise<{ readonly files: readonly BillFile[]; readonly copies: readonly BillCopy[] }> {
  const names = new Map<string, string>();
  const copies: BillCopy[] = [];
  const distinct: BillFile[] = [];
  for (const file of files) {
    // Other files are not read for it.
    const hasTwin = files.some((other) => other !== file && isTwin(other, file));
    const content = hasTwin ? await contentOf(file) : undefined;
    const of = content && names.get(content);
    if (of !== undefined) copies.push({ name: file.name, of });
    else distinct.push(file);
    if (content !== undefined && of === undefined) names.set(content, file.name);
  }
  return { files: distinct, copies };
}

/** Whether both may have the same content: by their lengths, or as `a.csv` beside `a.csv.gz`. */
function isTwin(one: BillFile, other: BillFile): boolean {
  return one.bytes === other.bytes || unpackedName(one.name) === unpackedName(other.name);
}

function unpackedName(name: string): string {
  return name.replace(/\.(gz|gzip|zst|zstd)$/i, '');
}

/** @returns the hash of what is packed in it; undefined for what can be read once only */
function contentOf({ name, path, bytes }: BillFile): Promise<string | undefined> {
  return reading(name, async () => {
    if (path === undefined || Number.isNaN(bytes)) return undefined;
    const hash = createHash('sha256');
    const file = { ...(await openBillFile(path)), name };
    try {
      const found = await opened(file);
      const chunks = found.form === 'parquet' ? createReadStream(path) : chunksOf(found.read);
      for await (const chunk of chunks) hash.update(chunk as Uint8Array);
      return hash.digest('hex');
    } finally {
      await file.close();
    }
  });
}

/** `position` is null: each read goes on where the last ended. */
async function readOn(handle: FileHandle, target: Uint8Array): Promise<number> {
  const { bytesRead } = await handle.read(target, 0, target.length, null);
  return bytesRead;
}

function counted(name: string, onBytes: (count: number) => void, read: ReadBytes): ReadBytes {
  return async (target) => {
    const count = await reading(name, () => read(target));
    onBytes(count);
    return count;
  };
}

async function reading<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Fault || !(cause instanceof Error) || !('code' in cause)) throw cause;
    throw new Fault(`cannot read ${name}: ${cause.message}`, { cause });
  }
}
