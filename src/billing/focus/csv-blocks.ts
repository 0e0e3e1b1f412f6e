/**
 * A CSV file in blocks of whole records, which workers can parse apart. Whether a line's end is
 * that of a record depends on all quotes before it: they are counted as blocks are filled.
 */
import {
  CSV_SLACK_BYTES,
  recordsEnd,
  type Arena,
  type KernelExports,
  type Owner,
} from '../../columnar/index.ts';
import { Fault, readRows } from '../../query/index.ts';
import { readHead, withHead, type ReadBytes } from './bytes.ts';

/** Whole records in the arena; the reader of the block frees `room` bytes at the address. */
export interface CsvBlock {
  readonly address: number;
  readonly bytes: number;
  readonly room: number;
}

export interface CsvFile {
  /** Cells of the first record. */
  readonly header: readonly string[];
  /** Blocks of the records after the header; called once. @throws {Fault} */
  blocks(): AsyncGenerator<CsvBlock>;
}

export interface BlockOptions {
  readonly arena: Arena;
  readonly kernels: KernelExports;
  readonly owner: Owner;
  /** The most bytes of a block; two records must fit. */
  readonly blockBytes: number;
  /** The most bytes of a record: a quote that is never closed would hold the whole file. */
  readonly recordBytesMax: number;
}

/** The first record is looked for in so many bytes at a time. */
const HEAD_BYTES = 16_384;
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF_16: readonly Buffer[] = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/**
 * @param file the name in errors
 * @throws {Fault} when it has no header
 */
export async function cutBlocks(
  read: ReadBytes,
  file: string,
  options: BlockOptions,
): Promise<CsvFile> {
  let head: Uint8Array = Buffer.alloc(0);
  for (;;) {
    const more = await readHead(read, HEAD_BYTES);
    head = Buffer.concat([head, more]);
    const end = firstRecordEnd(head) || (more.length < HEAD_BYTES ? head.length : 0);
    if (head.length === 0) throw new Fault(`${file} is empty`, { hint: 'a header is expected' });
    if (end > 0) return opened(head, end, read, { ...options, file });
    if (head.length > options.recordBytesMax) throw tooLong(file, 'row 1', options);
  }
}

type Options = BlockOptions & { readonly file: string };

function opened(head: Uint8Array, end: number, read: ReadBytes, options: Options): CsvFile {
  if (UTF_16.some((mark) => mark.equals(head.subarray(0, mark.length)))) {
    throw new Fault(`${options.file} is of UTF-16`, { hint: 'save it as UTF-8' });
  }
  const own = Buffer.from(withoutMarks(head.subarray(0, end)));
  const [header = []] = readRows(own.toString(), options.file);
  return { header, blocks: () => blocksOf(withHead(head.subarray(end), read), options) };
}

/** Some exports write the mark several times. */
function withoutMarks(bytes: Uint8Array): Uint8Array {
  const { length } = BYTE_ORDER_MARK;
  let from = 0;
  while (BYTE_ORDER_MARK.equals(bytes.subarray(from, from + length))) from += length;
  return bytes.subarray(from);
}

async function* blocksOf(unmarked: ReadBytes, options: Options): AsyncGenerator<CsvBlock> {
  const { arena, kernels, owner, blockBytes: length, recordBytesMax, file } = options;
  const room = length + CSV_SLACK_BYTES;
  let address = arena.allocate(room, owner);
  let filled = 0;
  const first = await readHead(unmarked, BYTE_ORDER_MARK.length);
  const read = withHead(withoutMarks(first), unmarked);
  for (;;) {
    const count = await read(arena.u8(address + filled, length - filled));
    filled += count;
    if (count === 0) break;
    if (filled < length) continue;
    const bytes = arena.u8(address, filled);
    const end = recordsEnd(kernels, bytes);
    if (filled - end > recordBytesMax) throw tooLong(file, 'a row', options);
    const next = arena.allocate(room, owner);
    arena.u8(next, filled - end).set(bytes.subarray(end));
    yield { address, bytes: end, room };
    [address, filled] = [next, filled - end];
  }
  if (filled > 0) yield { address, bytes: filled, room };
  else arena.free(address, room);
}

/** @returns 0 where no record ends */
function firstRecordEnd(bytes: Uint8Array): number {
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) isQuoted = !isQuoted;
    else if (bytes[at] === LINE_FEED && !isQuoted) return at + 1;
  }
  return 0;
}

function tooLong(file: string, row: string, { recordBytesMax }: BlockOptions): Fault {
  return new Fault(`${file}, ${row}: it is longer than ${recordBytesMax} bytes`, {
    hint: 'is a quote not closed? a quote within quotes is written twice',
  });
}
