/**
 * Rows as text, written by a kernel (workers/kernels/rows.ts) that walks a compiled list of what
 * stands in a row. In the arena:
 *
 *   0    items u32, separator address u32, separator bytes u32, rows u32, runs u32, their offset u32, 0, 0
 *   32   48 bytes an item: kind, column, literal, its bytes, offsets or places, texts, missing, its
 *        bytes, codes, bytes of texts, 0, 0; u32 each
 *        the runs that items address: page and generation, u32 each
 *        offsets of words, u32
 *        literals and words, UTF-8, and 16 bytes that may be read too far
 *
 * The kernel reads columns, codes and texts where they are. So a program knows the runs that it
 * addresses: who keeps one keeps them (`ownersOfProgram`), and rows are written only while they are there.
 */
import { PAGE_BYTES } from './arena-memory.ts';
import type { Arena, Owner } from './arena.ts';
import type { TextsAt } from './dictionary.ts';
import { ROW_CELLS_BYTES } from './kernels.ts';

/** What stands in a row. Columns are addresses: one f64, or for texts one u32 code, a row. */
export type RowPart =
  /** The same bytes in every row. */
  | string
  /**
   * The shortest form that reads back, or with `decimals` places, in [0, 20]; NaN and infinities
   * are `missing`.
   */
  | {
      readonly kind: 'number';
      readonly column: number;
      readonly decimals?: number | undefined;
      readonly missing: string;
    }
  /** A text as it is; with `missing` that for code 0. */
  | {
      readonly kind: 'text';
      readonly codes: number;
      readonly texts: TextsAt;
      readonly missing?: string;
    }
  /** The literal and a text, nothing at code 0. The literal's first byte goes where it follows `{`. */
  | {
      readonly kind: 'member';
      readonly literal: string;
      readonly codes: number;
      readonly texts: TextsAt;
    }
  /** One of a few words, by code. */
  | { readonly kind: 'word'; readonly codes: number; readonly words: readonly string[] }
  /** RFC 3339 in UTC of a column of ms; nothing for what no Date can have. */
  | { readonly kind: 'moment'; readonly column: number };

const KINDS = { literal: 0, number: 1, fixed: 2, text: 3, textOrMissing: 4, member: 5, moment: 6 };
const ITEM_WORDS = 12;
const ITEMS_AT = 32;
const HEAD_WORDS = ITEMS_AT / 4;
/** What the kernel reads of a separator or of what is missing; so much may follow a literal. */
const LINE_BYTES = 16;
const DECIMALS_MAX = 20;
/** Numbers and moments of a row: the kernel makes eight of each at once, 64 bytes each. */
const VALUES_MAX = ROW_CELLS_BYTES / (8 * 64);
const VALUE_KINDS: readonly (keyof typeof KINDS)[] = ['number', 'fixed', 'moment'];

/**
 * @param rows of each column
 * @param separator stands between rows, at most 16 bytes
 * @returns the program's address
 * @throws {Error} where a part addresses what is not, or no more, of a run of the arena
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
    // What only some rows have cannot stand before the literal of all.
    if (part.kind === 'member' && literal !== '') items.push({ ...NOTHING, literal });
    items.push(part.kind === 'member' ? itemOf(part) : { ...itemOf(part), literal });
    literal = '';
  }
  if (literal !== '') items.push({ ...NOTHING, literal });
  const values = items.filter(({ kind }) => VALUE_KINDS.includes(kind)).length;
  if (values > VALUES_MAX) throw new Error(`BUG: ${values} numbers in a row`);
  return store(arena, owner, rows, items, separator);
}

/** Who owns what a program addresses, beside itself: their memory must stay as long as the program. */
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
  return arena.u32(program, HEAD_WORDS)[3] ?? 0;
}

/** Page and generation of each run that a program addresses. */
export function runsOfProgram(arena: Arena, program: number): Uint32Array {
  const [, , , , runs, runsAt] = arena.u32(program, HEAD_WORDS);
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
  const runsAt = ITEMS_AT + 4 * ITEM_WORDS * items.length;
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
  // Texts are taken in the order in which they were joined.
  let at = address + textAt;
  const take = (next: string): [address: number, bytes: number] => {
    const bytes = Buffer.byteLength(next);
    at += bytes;
    return [at - bytes, bytes];
  };
  const separatorAt = takeShort(take, separator);
  words.set([items.length, ...separatorAt, rows, runs.length / 2, runsAt, 0, 0]);
  words.set(runs, runsAt / 4);
  let offset = offsetsAt / 4;
  items.forEach((item, i) => {
    const literal = take(item.literal);
    const missing = takeShort(take, item.missing);
    let { offsets: from, bytes, size, length } = item.texts;
    if (item.kind === 'fixed') from = item.decimals;
    if (item.words.length > 0) {
      from = address + 4 * offset;
      bytes = at;
      for (const word of item.words) words[offset++] = take(word)[0] - bytes;
      words[offset++] = length = at - bytes;
      size = item.words.length;
    }
    const fields = [
      KINDS[item.kind],
      item.column,
      ...literal,
      from,
      bytes,
      ...missing,
      size,
      length,
    ];
    words.set(fields, ITEMS_AT / 4 + ITEM_WORDS * i);
  });
  return address;
}

/** Pages and generations of the runs that items address, each once. */
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
