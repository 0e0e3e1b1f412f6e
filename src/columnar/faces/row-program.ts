/**
 * Rows as text, written by a kernel (workers/kernels/text/rows.ts) that walks a compiled list of the
 * parts of a row. In the arena:
 *
 *   PROGRAM and an ITEM for each part (layout/text.ts)
 *   the runs that items address: page and generation, u32 each
 *   offsets of words, u32
 *   literals and words, UTF-8, and 16 bytes that may be read behind them
 *
 * The kernel reads columns, codes and texts in place. So a program lists the runs that it addresses: a
 * holder of the program must hold their owners too (`ownersOfProgram`), and rows are written only while
 * the runs are there.
 */
import { PAGE_BYTES } from '../memory/arena-memory.ts';
import type { Arena, Owner } from '../memory/arena.ts';
import type { TextsAt } from '../table/dictionary.ts';
import { ROW_VALUES_MAX } from '../kernels.ts';
import { fillStruct, structAt } from '../memory/struct.ts';
import {
  KIND_FIXED,
  KIND_LITERAL,
  KIND_MEMBER,
  KIND_MOMENT,
  KIND_NUMBER,
  KIND_TEXT,
  KIND_TEXT_OR_MISSING,
} from './layout/constants.ts';
import { ITEM, PROGRAM } from './layout/text.ts';

/** A part of a row. Columns are addresses: one f64 for each row, or one u32 code for texts. */
export type RowPart =
  /** A literal, the same in each row. */
  | string
  /**
   * The shortest form that reads back the same, or with `decimals` places, in [0, 20]; NaN and infinities
   * are `missing`.
   */
  | {
      readonly kind: 'number';
      readonly column: number;
      readonly decimals?: number | undefined;
      readonly missing: string;
    }
  /** A text as it is; `missing` replaces code 0. */
  | {
      readonly kind: 'text';
      readonly codes: number;
      readonly texts: TextsAt;
      readonly missing?: string;
    }
  /** The literal and a text, nothing at code 0. After a `{` the literal's first byte is left out. */
  | {
      readonly kind: 'member';
      readonly literal: string;
      readonly codes: number;
      readonly texts: TextsAt;
    }
  /** One of a few words, by code. */
  | { readonly kind: 'word'; readonly codes: number; readonly words: readonly string[] }
  /** RFC 3339 in UTC, from a column of ms; nothing beyond the range of Date. */
  | { readonly kind: 'moment'; readonly column: number };

const KINDS = {
  literal: KIND_LITERAL,
  number: KIND_NUMBER,
  fixed: KIND_FIXED,
  text: KIND_TEXT,
  textOrMissing: KIND_TEXT_OR_MISSING,
  member: KIND_MEMBER,
  moment: KIND_MOMENT,
} as const;
/** Bytes that the kernel reads of a separator or of `missing`, and that may follow a literal. */
const LINE_BYTES = 16;
const DECIMALS_MAX = 20;
const VALUE_KINDS: readonly (keyof typeof KINDS)[] = ['number', 'fixed', 'moment'];

/**
 * @param rows the length of each column
 * @param separator between rows, at most 16 bytes
 * @returns the program's address
 * @throws {Error} where a part's address is not, or no longer, in a run of the arena
 */
export function compileRow(
  arena: Arena,
  owner: Owner,
  rows: number,
  parts: readonly RowPart[],
  separator: string = '',
): number {
  const items: Item[] = [];
  let literal = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      literal += part;
      continue;
    }
    // A part that only some rows have must not carry the literal of all rows.
    if (part.kind === 'member' && literal !== '') items.push({ ...NOTHING, literal });
    items.push(part.kind === 'member' ? itemOf(part) : { ...itemOf(part), literal });
    literal = '';
  }
  if (literal !== '') items.push({ ...NOTHING, literal });
  const values = items.filter(({ kind }) => VALUE_KINDS.includes(kind)).length;
  if (values > ROW_VALUES_MAX) throw new Error(`BUG: ${values} numbers in a row`);
  return store(arena, owner, rows, items, separator);
}

/** The owners of memory that a program addresses outside of itself; it must stay as long as the program. */
export function ownersOfProgram(arena: Arena, program: number): Owner[] {
  const own = arena.ownerOf(program);
  const owners = new Set<Owner>();
  const runs = runsOfProgram(arena, program);
  for (let i = 0; i < runs.length; i += 2) {
    owners.add(arena.ownerOf(arena.addressAt((runs[i] ?? 0) * PAGE_BYTES)));
  }
  return [...owners].filter((owner) => owner !== own);
}

/** The number of rows that a program was compiled for. */
export function rowsOfProgram(arena: Arena, program: number): number {
  return structAt(arena, program, PROGRAM).rows;
}

/** Page and generation of each run that a program addresses. */
export function runsOfProgram(arena: Arena, program: number): Uint32Array {
  const { runs, runsAt } = structAt(arena, program, PROGRAM);
  return arena.u32(program + runsAt, 2 * runs);
}

interface Item {
  readonly kind: keyof typeof KINDS;
  readonly column: number;
  readonly literal: string;
  readonly decimals: number;
  readonly texts: TextsAt;
  readonly words: readonly string[];
  readonly missing: string;
}

const NOTHING: Item = {
  kind: 'literal',
  column: 0,
  literal: '',
  decimals: 0,
  texts: { offsets: 0, bytes: 0, size: 0, length: 0 },
  words: [],
  missing: '',
};

function itemOf(part: Exclude<RowPart, string>): Item {
  switch (part.kind) {
    case 'number': {
      const { column, decimals, missing } = part;
      if (decimals === undefined) return { ...NOTHING, kind: 'number', column, missing };
      if (decimals > DECIMALS_MAX) throw new Error(`BUG: ${decimals} decimals`);
      return { ...NOTHING, kind: 'fixed', column, decimals, missing };
    }
    case 'text': {
      const { codes: column, texts, missing } = part;
      if (missing === undefined) return { ...NOTHING, kind: 'text', column, texts };
      return { ...NOTHING, kind: 'textOrMissing', column, texts, missing };
    }
    case 'member':
      return { ...NOTHING, ...part, column: part.codes };
    case 'word':
      return { ...NOTHING, kind: 'text', column: part.codes, words: part.words };
    case 'moment':
      return { ...NOTHING, ...part };
  }
}

function store(
  arena: Arena,
  owner: Owner,
  rows: number,
  items: readonly Item[],
  separator: string,
): number {
  const runs = addressedRuns(arena, rows, items);
  const runsAt = PROGRAM.bytes + ITEM.bytes * items.length;
  const offsetsAt = runsAt + 4 * runs.length;
  const offsets = items.reduce(
    (sum, { words }) => sum + (words.length > 0 ? words.length + 1 : 0),
    0,
  );
  const textAt = offsetsAt + 4 * offsets;
  const texts = [
    separator,
    ...items.flatMap((item) => [item.literal, item.missing, ...item.words]),
  ];
  const text = Buffer.from(texts.join(''));
  const address = arena.allocate(textAt + text.length + LINE_BYTES, owner);
  arena.u8(address + textAt, text.length).set(text);
  const words = arena.u32(address, textAt / 4);
  // Texts have the order in which they were joined.
  let at = address + textAt;
  const take = (next: string): [address: number, bytes: number] => {
    const bytes = Buffer.byteLength(next);
    at += bytes;
    return [at - bytes, bytes];
  };
  const [separatorAt, separatorBytes] = takeShort(take, separator);
  fillStruct(arena, address, PROGRAM, {
    items: items.length,
    separator: separatorAt,
    separatorBytes,
    rows,
    runs: runs.length / 2,
    runsAt,
  });
  words.set(runs, runsAt / 4);
  let offset = offsetsAt / 4;
  items.forEach((item, i) => {
    const [literal, literalBytes] = take(item.literal);
    const [missing, missingBytes] = takeShort(take, item.missing);
    let { offsets: from, bytes, size, length } = item.texts;
    if (item.kind === 'fixed') from = item.decimals;
    if (item.words.length > 0) {
      from = address + 4 * offset;
      bytes = at;
      for (const word of item.words) words[offset++] = take(word)[0] - bytes;
      words[offset++] = length = at - bytes;
      size = item.words.length;
    }
    fillStruct(arena, address + PROGRAM.bytes + ITEM.bytes * i, ITEM, {
      kind: KINDS[item.kind],
      column: item.column,
      literal,
      literalBytes,
      offsets: from,
      texts: bytes,
      missing,
      missingBytes,
      codes: size,
      textBytes: length,
    });
  });
  return address;
}

/** Page and generation of each run that items address. */
function addressedRuns(arena: Arena, rows: number, items: readonly Item[]): number[] {
  const runs = new Map<number, number>();
  const add = (place: number, bytes: number): void => {
    if (bytes === 0) return;
    const address = arena.addressAt(place);
    const page = Math.floor(arena.placeOf(address, bytes) / PAGE_BYTES);
    runs.set(Math.floor(address / 2 ** 32), page);
  };
  for (const { kind, column, texts, words } of items) {
    if (kind === 'literal') continue;
    add(column, (VALUE_KINDS.includes(kind) ? 8 : 4) * rows);
    if (VALUE_KINDS.includes(kind) || words.length > 0) continue;
    add(texts.offsets, 4 * (texts.size + 1));
    add(texts.bytes, texts.length);
  }
  return [...runs].flatMap(([generation, page]) => [page, generation]);
}

function takeShort(
  take: (text: string) => [number, number],
  text: string,
): [address: number, bytes: number] {
  const taken = take(text);
  if (taken[1] > LINE_BYTES) throw new Error(`BUG: '${text}' is longer than ${LINE_BYTES} bytes`);
  return taken;
}
