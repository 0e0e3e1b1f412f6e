/**
 * A CSV file in blocks of whole records, which workers can parse apart. Whether a line's end is
 * that of a record depends on all quotes before it: they are counted as blocks are filled.
 */
import type { Arena, Owner } from '../columnar/index.ts';
import { Fault, readRows } from '../query/index.ts';

/** Whole records in the arena; whoever takes it frees `room` bytes at the address. */
export interface CsvBlock {
  readonly address: number;
  readonly bytes: number;
  readonly room: number;
}

export interface CsvFile {
  /** Cells of the first record. */
  readonly header: readonly string[];
  /** Of the records after it; to be asked for once. @throws {Fault} */
  blocks(): AsyncGenerator<CsvBlock>;
}

export interface BlockOptions {
  readonly arena: Arena;
  readonly owner: Owner;
  /** Of one block, at most. */
  readonly blockBytes: number;
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
/** A quote that is never closed would keep the whole file. */
const RECORD_BYTES_MAX = 2 ** 20;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF_16: readonly Buffer[] = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/**
 * @param chunks of the file
 * @param file as errors name it
 * @throws {Fault} when it has no header
 */
export async function cutBlocks(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  options: BlockOptions,
): Promise<CsvFile> {
  const rest = chunks[Symbol.asyncIterator]();
  let head: Uint8Array = Buffer.alloc(0);
  for (;;) {
    const end = recordsEnd(head, true);
    if (end > 0) return opened(head, end, rest, { ...options, file });
    if (head.length > RECORD_BYTES_MAX) throw tooLong(file, 'row 1');
    const { done, value } = await rest.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  if (head.length === 0) throw new Fault(`${file} is empty`, { hint: 'a header is expected' });
  return opened(head, head.length, rest, { ...options, file });
}

type Rest = AsyncIterator<Uint8Array>;

function opened(
  head: Uint8Array,
  end: number,
  rest: Rest,
  options: BlockOptions & { readonly file: string },
): CsvFile {
  if (UTF_16.some((mark) => mark.equals(head.subarray(0, mark.length)))) {
    throw new Fault(`${options.file} is of UTF-16`, { hint: 'save it as UTF-8' });
  }
  const from = BYTE_ORDER_MARK.equals(head.subarray(0, 3)) ? BYTE_ORDER_MARK.length : 0;
  const [header = []] = readRows(Buffer.from(head.subarray(from, end)).toString(), options.file);
  return { header, blocks: () => blocksOf(head.subarray(end), rest, options) };
}

async function* blocksOf(
  head: Uint8Array,
  rest: Rest,
  { arena, owner, blockBytes, file }: BlockOptions & { readonly file: string },
): AsyncGenerator<CsvBlock> {
  const room = Math.max(blockBytes, 2 * RECORD_BYTES_MAX);
  let address = arena.allocate(room, owner);
  let filled = 0;
  const cut = (): CsvBlock => {
    const bytes = arena.u8(address, filled);
    const end = recordsEnd(bytes, false);
    if (filled - end > RECORD_BYTES_MAX) throw tooLong(file, 'a row');
    const next = arena.allocate(room, owner);
    arena.u8(next, filled - end).set(bytes.subarray(end));
    const block = { address, bytes: end, room };
    [address, filled] = [next, filled - end];
    return block;
  };
  for (let chunk: Uint8Array | undefined = head; chunk !== undefined; chunk = await next(rest)) {
    for (let at = 0; at < chunk.length;) {
      const taken = chunk.subarray(at, at + room - filled);
      arena.u8(address + filled, taken.length).set(taken);
      [at, filled] = [at + taken.length, filled + taken.length];
      if (filled === room) yield cut();
    }
  }
  if (filled > 0) yield { address, bytes: filled, room };
  else arena.free(address, room);
}

async function next(rest: Rest): Promise<Uint8Array | undefined> {
  const { done, value } = await rest.next();
  return done === true ? undefined : value;
}

/**
 * The end of the last whole record, or of the first, of bytes that begin with one.
 * @returns 0 where no record ends
 */
export function recordsEnd(bytes: Uint8Array, isFirst: boolean): number {
  let [end, isQuoted] = [0, false];
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) isQuoted = !isQuoted;
    else if (bytes[at] === LINE_FEED && !isQuoted) {
      end = at + 1;
      if (isFirst) break;
    }
  }
  return end;
}

function tooLong(file: string, row: string): Fault {
  return new Fault(`${file}, ${row}: it is longer than ${RECORD_BYTES_MAX} bytes`, {
    hint: 'is a quote not closed? a quote within quotes is written twice',
  });
}
