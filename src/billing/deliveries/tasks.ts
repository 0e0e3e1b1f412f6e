/** Tasks of workers for bills, listed in workers/compute.ts. */
import { isUtf8 } from 'node:buffer';
import {
  checksumOf,
  Scratch,
  spendHeap,
  TextPacker,
  type Arena,
  type Engine,
  type Owner,
} from '../../columnar/index.ts';
import {
  BILL_NUMBERS,
  BILL_TEXTS,
  CellTexts,
  CSV_SPELLING,
  csvColumns,
  PARQUET_SPELLING,
  parquetColumns,
  readBillRows,
  type BadCell,
  type Header,
  type ParquetRows,
  type SourceColumns,
  type Spelling,
  type Substitute,
} from '../focus/index.ts';
import { createCalendar, partWithin, type Calendar } from '../../query/index.ts';
import {
  encodeSet,
  readInTask,
  SetReader,
  type EncodedSet,
  type StoredSet,
} from '../../storage/index.ts';
import { billKind, type Delivery } from './bill-key.ts';
import { contentOf } from './content.ts';
import type { TasksOf } from '../../pool/task.ts';

/** Rules by which rows become parts of a delivery. */
export interface PartRules extends Delivery {
  readonly currency: string;
  /** IANA zone, by whose days charges are cut. */
  readonly timezone: string;
  /** The origin that the sets name. */
  readonly from: string;
  /** Whether bad rows are left out; else the first refuses the file, and no other is reported. */
  readonly isSkipping: boolean;
}

/** Rows to make a part of. */
export interface PartInput {
  readonly rules: PartRules;
  /** The number of the delivery, different for each in the process. */
  readonly delivery: number;
  /** The number of this part, the same in each of its billing periods. */
  readonly part: number;
  /** Owns scratch memory only. */
  readonly owner: Owner;
  /** Owns the sets' bytes, and the delivery's texts that workers remember. */
  readonly keeper: Owner;
}

export interface ReadBlockInput extends PartInput {
  readonly address: number;
  readonly bytes: number;
  readonly header: Header;
}

export interface ReadRangeInput extends PartInput {
  readonly read: ParquetRows;
}

/** A set ready to be stored, its bytes in the arena. */
export interface EncodedAt extends Omit<EncodedSet, 'bytes'> {
  readonly address: number;
  readonly bytes: number;
}

export interface ReadBlock {
  readonly sets: readonly EncodedAt[];
  /** Rows of the file, with bad ones. */
  readonly rows: number;
  readonly bad: readonly BadCell[];
  readonly substitutes: readonly Substitute[];
  /** Why the row after the last cannot be read; null: all were. */
  readonly end: string | null;
}

export interface SumInput {
  readonly sets: readonly StoredSet[];
  readonly startMs: number;
  readonly endMs: number;
  readonly cost: BilledCost;
  readonly owner: Owner;
}

/** A cost of a charge. */
export type BilledCost = 'billedCost' | 'contractedCost' | 'effectiveCost' | 'listCost';

export type BillTasks = {
  /** Reads a block of CSV. */
  readBillBlock: { input: ReadBlockInput; output: ReadBlock };
  /** Reads a range of rows of Parquet, which is decoded. */
  readBillRange: { input: ReadRangeInput; output: ReadBlock };
  /** Sums by provider id in lower case, without rows that have none. */
  sumBilled: { input: SumInput; output: (readonly [string, number])[] };
};

export function billTasks(engine: Engine): TasksOf<BillTasks> {
  const { arena } = engine;
  const reader = new SetReader(arena, checksumOf(engine));
  const calendarOf = calendars();
  const csvTexts = remembering(engine, CSV_SPELLING);
  const parquetTexts = remembering(engine, PARQUET_SPELLING);
  return {
    async readBillBlock({ address, bytes, header, ...input }) {
      const scratch = new Scratch(arena, input.owner);
      const block = { address, bytes };
      const columns = csvColumns(engine.kernels, scratch, {
        block,
        header,
        isUtf8: isUtf8(arena.u8(address, bytes)),
        texts: csvTexts(input),
      });
      return encodeRows(engine, scratch, columns, input, calendarOf(input.rules.timezone));
    },

    async readBillRange({ read, ...input }) {
      const scratch = new Scratch(arena, input.owner);
      const columns = parquetColumns(arena, scratch, read, parquetTexts(input));
      return encodeRows(engine, scratch, columns, input, calendarOf(input.rules.timezone));
    },

    sumBilled({ sets, startMs, endMs, cost, owner }) {
      const sums = new Map<string, number>();
      for (const stored of sets) {
        addBilled(arena, reader, stored, { startMs, endMs, cost, owner, sums });
      }
      return [...sums];
    },
  };
}

/**
 * Texts of the current delivery, as deliveries are read one after the other. Its keeper owns them, and
 * frees them at its end.
 */
function remembering(engine: Engine, spelling: Spelling): (input: PartInput) => CellTexts {
  let last: { readonly delivery: number; readonly texts: CellTexts } | undefined;
  return ({ delivery, keeper }) => {
    if (last?.delivery !== delivery) {
      last = { delivery, texts: new CellTexts(engine, keeper, spelling) };
    }
    return last.texts;
  };
}

/** Never throws a Fault: mistakes in rows are in the result. */
async function encodeRows(
  { arena, kernels }: Engine,
  scratch: Scratch,
  columns: SourceColumns,
  { rules, part, keeper }: PartInput,
  calendar: Calendar,
): Promise<ReadBlock> {
  const { parts, bad, substitutes } = readBillRows(scratch, columns, rules, calendar);
  const { rows, end = null } = columns;
  if (bad.length > 0 && !rules.isSkipping)
    return { sets: [], rows, bad: bad.slice(0, 1), substitutes, end };
  const packer = new TextPacker(kernels, scratch, columns.texts.stored);
  const sets: EncodedAt[] = [];
  for (const { periodMs, startMs, endMs, table } of parts) {
    let room = 0;
    const packed = new Map(
      BILL_TEXTS.flatMap((name) => {
        const codes = table.text(name)?.codes;
        return codes === undefined ? [] : [[name, packer.pack(codes)] as const];
      }),
    );
    const byCodes = new Map(
      Array.from(packed, ([name, texts]) => [table.text(name)?.codes, texts]),
    );
    const contents = {
      key: { kind: billKind({ ...rules, periodMs, part }), startMs, endMs },
      meta: {
        state: 'sealed',
        timezone: rules.timezone,
        createdMs: rules.storedMs,
        source: rules.from,
        warnings: [],
        content: contentOf(table, packed),
      },
      table,
      texts: BILL_TEXTS,
      numbers: BILL_NUMBERS,
    } as const;
    const { bytes, ...about } = await encodeSet(contents, {
      pack: ({ codes }) => byCodes.get(codes) ?? packer.pack(codes),
      room: (size) => arena.u8(arena.allocate((room = size), keeper), size),
    });
    arena.shrink(bytes.byteOffset, room, bytes.length);
    sets.push({ ...about, address: arena.addressAt(bytes.byteOffset), bytes: bytes.length });
  }
  return { sets, rows, bad, substitutes, end };
}

interface Summing extends Omit<SumInput, 'sets'> {
  readonly sums: Map<string, number>;
}

/** Heap of an id, in a table and in the result. */
const ID_BYTES = 100;

/** Rows at the edges of the window count by their overlap. */
function addBilled(
  arena: Arena,
  reader: SetReader,
  stored: StoredSet,
  { startMs, endMs, cost, owner, sums }: Summing,
): void {
  const columns = ['startMs', 'endMs', 'providerID', cost];
  const { table } = readInTask(() => reader.read(stored, owner, columns), {
    hint: 'import the bill again',
  });
  const ids = table.text('providerID');
  const costs = table.numbers(cost)?.values;
  const [starts, ends] = ['startMs', 'endMs'].map((name) => table.numbers(name)?.values);
  if (ids === undefined || costs === undefined || !starts || !ends) return;
  const byCode = new Float64Array(ids.texts.size);
  for (let row = 0; row < table.rows; row++) {
    const [from, until] = [starts[row] ?? 0, ends[row] ?? 0];
    const share = partWithin(from, until, { startMs, endMs });
    const code = ids.codes[row] ?? 0;
    byCode[code] = (byCode[code] ?? 0) + share * (costs[row] ?? 0);
  }
  for (let code = 1; code < byCode.length; code++) {
    const id = ids.texts.text(code).toLowerCase();
    sums.set(id, (sums.get(id) ?? 0) + (byCode[code] ?? 0));
    spendHeap(ID_BYTES);
  }
  arena.release(owner);
}

function calendars(): (zone: string) => Calendar {
  const known = new Map<string, Calendar>();
  return (zone) => {
    const calendar = known.get(zone) ?? createCalendar(zone);
    known.set(zone, calendar);
    return calendar;
  };
}
