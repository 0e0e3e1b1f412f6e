/**
 * What is kept of a block to find series in it: its files, its texts, and where the series of each metric are
 * listed. It is read once, with the end of the index first:
 *
 * ```
 *   index   head │ symbols │ series │ … │ postings │ … │ table of postings │ table of contents
 *                  kept      ────────── read when asked ──    kept in part       ◄── read first
 * ```
 */
import { Cache } from '../../cache/index.ts';
import {
  ByteReader,
  CHUNKS_HEAD_BYTES,
  chunkFileName,
  crc32c,
  DamagedBlock,
  INDEX_HEAD_BYTES,
  readDeletedSpans,
  readPostingsRows,
  readToc,
  SymbolTable,
  TOC_BYTES,
  type DeletedSpans,
  type Toc,
} from '../../tsdb/index.ts';
import type { RangeSource, StoredFile } from '../places/range-source.ts';
import { BlockGone } from './block-gone.ts';
import { ofMany, type FetchGate } from '../places/fetch-gate.ts';

/** The end of an index: its table of contents, and most often all of the table of postings. */
const TAIL_BYTES = 256 * 1024;
/** Length and checksum of a section. */
const FRAME_BYTES = 8;
/** What a row that is kept takes, beside its text. */
const ROW_BYTES = 96;
const TOMBSTONES_BYTES_MAX = 256 << 20;
const HEADER_MS = 5 * 60_000;

/** Where a list of postings is. */
export interface ListPlace {
  readonly at: number;
  /** Where the next list begins, in the order of the table; undefined where that is no later place. */
  readonly until: number | undefined;
}

export interface BlockHeader {
  readonly ulid: string;
  readonly index: StoredFile;
  readonly chunks: readonly StoredFile[];
  readonly toc: Toc;
  readonly symbols: SymbolTable;
  /** By the name of the metric. */
  readonly lists: ReadonlyMap<string, ListPlace>;
  /** Undefined: none were deleted. */
  readonly deleted: DeletedSpans | undefined;
  readonly bytes: number;
}

export interface HeaderOptions {
  readonly source: RangeSource;
  /** As the catalogue has it. */
  readonly tenant: string;
  readonly gate: FetchGate;
  readonly budgetBytes: number;
}

export class BlockHeaders {
  readonly #options: HeaderOptions;
  readonly #cache: Cache<BlockHeader>;

  constructor(options: HeaderOptions) {
    this.#options = options;
    this.#cache = new Cache<BlockHeader>({
      budget: options.budgetBytes,
      sizeOf: ({ bytes }) => bytes,
    });
  }

  /**
   * @throws {BlockGone} where the block was deleted
   * @throws {Unavailable} when it is damaged or cannot be read, naming the file
   */
  async open(ulid: string, signal: AbortSignal): Promise<BlockHeader> {
    signal.throwIfAborted();
    // Whoever asks may leave; the header is for all.
    return await this.#cache.open(ulid, () =>
      this.#read(ulid, ofMany(AbortSignal.timeout(HEADER_MS))),
    );
  }

  forget(ulid: string): void {
    this.#cache.delete(ulid);
  }

  async #read(ulid: string, signal: AbortSignal): Promise<BlockHeader> {
    const { source, tenant, gate } = this.#options;
    const folder = `${tenant}${ulid}/`;
    const { files } = await gate.run(() => source.list(folder, () => true, signal));
    const byName = new Map(files.map((file) => [file.key.slice(folder.length), file]));
    const pathOf = (name: string): string => `${source.name}/${folder}${name}`;
    const index = byName.get('index');
    if (index === undefined) throw new BlockGone(ulid, pathOf('index'));
    const chunks = chunkFiles(byName, pathOf);
    const reader = new IndexParts(source, gate, ulid, index, signal);
    const tombstones = byName.get('tombstones');
    const [sections, deleted] = await Promise.all([
      reader.sections(),
      tombstones === undefined ? undefined : this.#deleted(ulid, tombstones, signal),
    ]);
    const { symbols, lists } = sections;
    const names = [...lists.keys()].reduce((sum, name) => sum + 2 * name.length, 0);
    const deletedBytes = (deleted?.size ?? 0) * ROW_BYTES;
    const bytes = symbols.size + names + ROW_BYTES * lists.size + deletedBytes;
    return { ulid, index, chunks, deleted, bytes, ...sections };
  }

  async #deleted(
    ulid: string,
    file: StoredFile,
    signal: AbortSignal,
  ): Promise<DeletedSpans | undefined> {
    const { source, gate } = this.#options;
    const path = `${source.name}/${file.key}`;
    if (file.bytes > TOMBSTONES_BYTES_MAX) throw new DamagedBlock(path, 0, 'it is too long');
    const bytes = await gate.run(() => source.read(file, 0, file.bytes, signal));
    if (bytes === undefined) throw new BlockGone(ulid, path);
    const spans = readDeletedSpans(path, bytes);
    return spans.size === 0 ? undefined : spans;
  }
}

/** In their order, none missing. */
function chunkFiles(
  byName: ReadonlyMap<string, StoredFile>,
  pathOf: (name: string) => string,
): StoredFile[] {
  const files: StoredFile[] = [];
  const count = [...byName.keys()].filter((name) => name.startsWith('chunks/')).length;
  for (let i = 0; i < count; i++) {
    const name = `chunks/${chunkFileName(i)}`;
    const file = byName.get(name);
    if (file === undefined)
      throw new DamagedBlock(pathOf(name), 0, 'it is missing, or another file is there');
    if (file.bytes < CHUNKS_HEAD_BYTES) throw new DamagedBlock(pathOf(name), 0, 'it is cut off');
    files.push(file);
  }
  return files;
}

/** Sections of one index, each checked by its checksum. */
class IndexParts {
  readonly #source: RangeSource;
  readonly #gate: FetchGate;
  readonly #ulid: string;
  readonly #file: StoredFile;
  readonly #signal: AbortSignal;
  readonly #path: string;

  // oxlint-disable-next-line max-params
  constructor(
    source: RangeSource,
    gate: FetchGate,
    ulid: string,
    file: StoredFile,
    signal: AbortSignal,
  ) {
    this.#source = source;
    this.#gate = gate;
    this.#ulid = ulid;
    this.#file = file;
    this.#signal = signal;
    this.#path = `${source.name}/${file.key}`;
  }

  async sections(): Promise<Pick<BlockHeader, 'toc' | 'symbols' | 'lists'>> {
    const { bytes: size } = this.#file;
    if (size < INDEX_HEAD_BYTES + TOC_BYTES) this.#fail(0, 'it is cut off');
    const tailAt = Math.max(0, size - TAIL_BYTES);
    const tail = await this.#read(tailAt, size - tailAt);
    const tocAt = tail.length - TOC_BYTES;
    const toc = readToc(new ByteReader(this.#path, tail, tailAt, tocAt));
    const tableBytes = size - TOC_BYTES - toc.postingsTable;
    const isTableIn = toc.postingsTable >= tailAt;
    const [symbols, table] = await Promise.all([
      this.#section(toc.symbols, toc.series - toc.symbols),
      isTableIn
        ? this.#checked(tail.subarray(toc.postingsTable - tailAt, tocAt), toc.postingsTable)
        : this.#section(toc.postingsTable, tableBytes),
    ]);
    return { toc, symbols: new SymbolTable(symbols), lists: listsOf(table) };
  }

  async #section(at: number, bytes: number): Promise<ByteReader> {
    if (at < INDEX_HEAD_BYTES || bytes < FRAME_BYTES || at + bytes > this.#file.bytes)
      this.#fail(at, 'no section can begin here');
    return this.#checked(await this.#read(at, bytes), at);
  }

  /** `u32 length, body, u32 CRC of the body`, perhaps followed by zeros. */
  #checked(bytes: Uint8Array, at: number): ByteReader {
    const length = new ByteReader(this.#path, bytes, at).u32();
    if (FRAME_BYTES + length > bytes.length) this.#fail(at, 'a section is longer than its place');
    const end = new ByteReader(this.#path, bytes, at, 4 + length);
    if (end.u32() !== crc32c(bytes, 4, 4 + length))
      this.#fail(at, 'a section has a wrong checksum');
    return new ByteReader(this.#path, bytes, at, 4, 4 + length);
  }

  async #read(at: number, bytes: number): Promise<Uint8Array> {
    const file = this.#file;
    const read = await this.#gate.run(() => this.#source.read(file, at, bytes, this.#signal));
    if (read === undefined) throw new BlockGone(this.#ulid, this.#path);
    if (read.length < bytes) this.#fail(at + read.length, 'it is cut off');
    return read;
  }

  #fail(offset: number, reason: string): never {
    throw new DamagedBlock(this.#path, offset, reason);
  }
}

/** The rows of `__name__`, each with where the next one's list begins. */
function listsOf(table: ByteReader): ReadonlyMap<string, ListPlace> {
  const lists = new Map<string, ListPlace>();
  let last: { readonly value: string; readonly at: number } | undefined;
  for (const { name, value, offset } of readPostingsRows(table)) {
    if (last !== undefined) {
      const { at } = last;
      lists.set(last.value, { at, until: offset > at ? offset : undefined });
      last = undefined;
    }
    if (name > '__name__') break; // rows are in order
    if (name === '__name__') last = { value, at: offset };
  }
  if (last !== undefined) lists.set(last.value, { at: last.at, until: undefined });
  return lists;
}
