/** Input files of commands, read from start to end, plain or compressed by gzip. */
import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Fault } from '../query/index.ts';

export interface InputFile {
  /** The name on the command line; `-` is standard input. */
  readonly name: string;
  /** NaN if it is not known. */
  readonly bytes: number;
  /** May be called once. @throws {Fault} naming the file */
  chunks(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const GZIP = Buffer.from([0x1f, 0x8b]); // https://www.rfc-editor.org/rfc/rfc1952#section-2.3.1
/** Saved answers shrink at most to a hundredth; gzip can expand a thousandfold. */
const EXPANSION_MAX = 300;
const EXPANSION_FROM_BYTES = 16 * 2 ** 20;

/**
 * Opens the file at once, so that a wrong name fails before anything is read.
 * @param onBytes called with the number of bytes read from the file
 * @throws {Fault} when it cannot be read
 */
export async function openInput(
  file: string,
  onBytes: (count: number) => void,
): Promise<InputFile> {
  if (file === '-') {
    return inputOf('standard input', NaN, process.stdin, onBytes, () => Promise.resolve());
  }
  const attempt = attempted(`cannot read ${file}`);
  const handle = await attempt(open(file, 'r'));
  const about = await handle.stat();
  if (about.isDirectory()) {
    await handle.close();
    throw new Fault(`cannot read ${file}: it is a folder`, { hint: `name files: ${file}/*` });
  }
  const source = handle.createReadStream({ autoClose: false });
  return inputOf(file, about.isFile() ? about.size : NaN, source, onBytes, () => handle.close());
}

function inputOf(
  name: string,
  bytes: number,
  source: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
  close: () => Promise<void>,
): InputFile {
  return { name, bytes, close, chunks: () => plainChunks(source, name, onBytes) };
}

async function* plainChunks(
  source: AsyncIterable<Uint8Array>,
  name: string,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  const raw = readOn(source, name, (count) => {
    bytes += count;
    onBytes(count);
  });
  const head = await beginning(raw, BYTE_ORDER_MARK.length);
  if (head.subarray(0, GZIP.length).equals(GZIP)) {
    yield* unpacked(joined(head, raw), name, () => bytes);
    return;
  }
  const hasMark = head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  yield* joined(hasMark ? head.subarray(BYTE_ORDER_MARK.length) : head, raw);
}

async function* readOn(
  source: AsyncIterable<Uint8Array>,
  name: string,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  const attempt = attempted(`cannot read ${name}`);
  const chunks = source[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await attempt(chunks.next());
    if (done === true) return;
    onBytes(value.length);
    yield value;
  }
}

/** At least this many bytes, if the file has them: a pipe may give them one by one. */
async function beginning(chunks: AsyncGenerator<Uint8Array>, bytes: number): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < bytes) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}

async function* joined(
  head: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

/** @param readBytes the number of packed bytes read so far */
async function* unpacked(
  packed: AsyncIterable<Uint8Array>,
  name: string,
  readBytes: () => number,
): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // Errors are thrown where the plain bytes are read.
  pipeline(Readable.from(packed), gunzip, () => undefined);
  const attempt = attempted(`${name} is damaged, as gzip`);
  const chunks: AsyncIterator<Uint8Array> = gunzip[Symbol.asyncIterator]();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await attempt(chunks.next());
      if (done === true) return;
      bytes += value.length;
      if (bytes > EXPANSION_FROM_BYTES && bytes > EXPANSION_MAX * readBytes()) {
        throw new Fault(
          `${name} grows to more than ${EXPANSION_MAX} times its size: no answer does`,
        );
      }
      yield value;
    }
  } finally {
    gunzip.destroy();
  }
}

function attempted(what: string): <T>(work: Promise<T>) => Promise<T> {
  return async (work) => {
    try {
      return await work;
    } catch (cause) {
      if (cause instanceof Fault) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Fault(`${what}: ${reason}`, { cause });
    }
  };
}
