/** A delivery: all files of one source, read in workers, stored in one change or not at all. */
import type { KernelExports, Owner } from '../../columnar/index.ts';
import {
  cutBlocks,
  namedBy,
  opened,
  readHeader,
  type BadCell,
  type BillFile,
  type ReadBytes,
  type Substitute,
} from '../focus/index.ts';
import type { Compute } from '../../pool/index.ts';
import { Fault } from '../../query/index.ts';
import type { EncodedSet } from '../../storage/index.ts';
import { readBillKind } from './bill-key.ts';
import { openParquet, readParquetRows, type NamedPath } from './parquet-reader.ts';
import type { BillTasks, PartInput, PartRules, ReadBlock } from './tasks.ts';

/** The memory and workers that read bills. */
export interface BillCompute extends Compute<BillTasks> {
  /** The kernels of the thread that opens bills. */
  readonly kernels: KernelExports;
}

export interface ReadingOptions {
  readonly compute: BillCompute;
  readonly rules: PartRules;
  readonly signal: AbortSignal;
  /** Called for each row that is left out. */
  readonly onBad: (sentence: string) => void;
  /** Called after each part. */
  readonly onRows: (rows: number) => void;
}

/** Bytes of CSV of which a part of a delivery is made. */
const BLOCK_BYTES = 8 * 2 ** 20;
const RECORD_BYTES_MAX = 2 ** 20;

const QUOTES = 'a cell with commas, quotes or line ends stands in quotes, quotes in it twice';

/** A block on its way through a worker. */
interface Running {
  readonly file: string;
  /** Number of its first row; absent: the row after the block before it. */
  readonly firstRow: number | undefined;
  readonly block: Promise<ReadBlock>;
}

let deliveries = 0;

export class Reading {
  /** Rows of the files, without those that were left out. */
  rows = 0;
  bad = 0;
  /** Starts of the billing periods, Unix ms. */
  readonly periods: Set<number> = new Set();
  /** Costs that rows lack, by column. */
  readonly substitutes: Map<string, Substitute> = new Map();
  readonly #options: ReadingOptions;
  readonly #keeper: Owner;
  readonly #delivery = ++deliveries;
  /** Promises of the sets that are not freed yet. */
  readonly #held: Set<Promise<void>> = new Set();
  #parts = 0;
  /** The number of the current file's next row, from 1. */
  #row = 0;

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#keeper = options.compute.owners.take();
  }

  /** The sets, each valid until it is freed. @throws {Fault} naming file, row and column */
  async *sets(files: readonly BillFile[]): AsyncGenerator<EncodedSet> {
    const { owners, pool } = this.#options.compute;
    const running: Running[] = [];
    try {
      for (const file of files) {
        for await (const next of this.#started(file)) {
          // It is awaited in its turn, which may come after it fails.
          next.block.catch(() => undefined);
          running.push(next);
          if (running.length > pool.threads) yield* this.#finished(running.shift());
        }
      }
      while (running.length > 0) yield* this.#finished(running.shift());
    } finally {
      // A task that has started always runs to its end: nobody frees memory under it.
      await Promise.allSettled(running.map(({ block }) => block));
      await Promise.all(this.#held);
      owners.free(this.#keeper);
    }
  }

  async *#started(file: BillFile): AsyncGenerator<Running> {
    const found = await opened(file);
    if (found.form === 'parquet') yield* this.#startedRanges({ name: file.name, path: found.path });
    else yield* this.#startedBlocks(file.name, found.read);
  }

  async *#startedBlocks(file: string, read: ReadBytes): AsyncGenerator<Running> {
    const { arena, kernels } = this.#options.compute;
    const limits = { blockBytes: BLOCK_BYTES, recordBytesMax: RECORD_BYTES_MAX };
    const csv = await cutBlocks(read, file, { arena, kernels, owner: this.#keeper, ...limits });
    const header = readHeader(csv.header, file);
    let firstRow: number | undefined = 2; // after the header
    for await (const { address, bytes, room } of csv.blocks()) {
      const block = this.#run(file, 'readBillBlock', { address, bytes, header });
      yield { file, firstRow, block: block.finally(() => arena.free(address, room)) };
      firstRow = undefined;
    }
  }

  async *#startedRanges(named: NamedPath): AsyncGenerator<Running> {
    const { name: file } = named;
    const { columns, ranges } = await openParquet(named);
    const header = namedBy(columns, readHeader(columns, file));
    const room = { arena: this.#options.compute.arena, owner: this.#keeper };
    for (const range of ranges) {
      this.#options.signal.throwIfAborted();
      const { rows, free } = await readParquetRows(room, named, header, range);
      const block = this.#run(file, 'readBillRange', { read: rows });
      yield { file, firstRow: range.rowStart + 1, block: block.finally(free) };
    }
  }

  async #run<Name extends 'readBillBlock' | 'readBillRange'>(
    file: string,
    name: Name,
    input: Omit<BillTasks[Name]['input'], keyof PartInput>,
  ): Promise<ReadBlock> {
    const { compute, rules, signal } = this.#options;
    const { owners, pool } = compute;
    const owner = owners.take();
    const [part, delivery, keeper] = [this.#parts++, this.#delivery, this.#keeper];
    try {
      const whole = { ...input, rules, part, delivery, owner, keeper };
      return await pool.run(name, whole as BillTasks[Name]['input'], signal);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new Fault(`${file}: ${error.message}`, { cause: error });
    } finally {
      owners.free(owner);
    }
  }

  async *#finished(running: Running | undefined): AsyncGenerator<EncodedSet> {
    if (running === undefined) return;
    const { compute, onRows } = this.#options;
    const { sets, rows, bad, substitutes, end } = await running.block;
    this.#row = running.firstRow ?? this.#row;
    this.#report(running.file, bad);
    this.#row += rows;
    if (end !== null)
      throw new Fault(`${running.file}, row ${this.#row}: ${end}`, { hint: QUOTES });
    this.rows += rows - bad.length;
    this.bad += bad.length;
    for (const each of substitutes) this.#addSubstitute(each);
    for (const { address, bytes, ...about } of sets) {
      const period = readBillKind(about.key.kind)?.periodMs;
      if (period !== undefined) this.periods.add(period);
      yield { ...about, bytes: compute.arena.u8(address, bytes), free: this.#hold(address, bytes) };
    }
    onRows(this.rows);
  }

  #addSubstitute(each: Substitute): void {
    const before = this.substitutes.get(each.column) ?? { rows: 0, amount: 0 };
    const [rows, amount] = [before.rows + each.rows, before.amount + each.amount];
    this.substitutes.set(each.column, { ...each, rows, amount });
  }

  /** @returns a function that frees the bytes of a set */
  #hold(address: number, bytes: number): () => void {
    const { arena } = this.#options.compute;
    let done = (): void => undefined;
    const held = new Promise<void>((resolve) => (done = resolve));
    this.#held.add(held);
    return () => {
      arena.free(address, bytes);
      this.#held.delete(held);
      done();
    };
  }

  #report(file: string, bad: readonly BadCell[]): void {
    for (const { row, column, reason } of bad) {
      const where = column === '' ? '' : `, column ${column}`;
      const sentence = `${file}, row ${this.#row + row}${where}: ${reason}`;
      if (!this.#options.rules.isSkipping) {
        throw new Fault(sentence, {
          hint: 'nothing of it is kept; --skip-bad-rows leaves such rows out and tells each',
        });
      }
      this.#options.onBad(sentence);
    }
  }
}
