/** Reads the records that series were condensed to (workers/kernels/condense.ts). */
import type { Arena } from './arena.ts';
import type { Block } from './condense.ts';
import { KnownBytes } from './known-bytes.ts';
import { KnownTexts } from './known-texts.ts';

/** One condensed record. Times in ms; NaN where unknown. */
export interface SeriesRecord {
  /** Value of a label that was kept, '' when the series has none. */
  label(name: string): string;
  /** Kept labels whose names begin so, without it: in the store's order, which is that of names. */
  labels(prefix: string): [name: string, value: string][];
  /**
   * A number of who the labels say it is: records of one reader that have the same are of one, but
   * one may have several, as labels have several names. -1 where they do not say.
   */
  readonly identity: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly staleMs: number;
  readonly intervalMs: number;
  readonly runs: number;
  /** Pairs (fromMs, value), `runs` of them; reused, as the record is. */
  readonly pairs: readonly number[];
}

/** Reads records. Their blocks must not change as long as it is used. */
export class RecordReader {
  readonly #arena: Arena;
  readonly #record: RecordView;

  constructor(arena: Arena) {
    this.#arena = arena;
    this.#record = new RecordView(arena);
  }

  /** The records of `blocks` in the order they were written. The record is reused, as the result of each step. */
  read(blocks: readonly Block[]): Iterable<SeriesRecord> {
    return { [Symbol.iterator]: () => this.#walk(blocks) };
  }

  /** By hand: a generator makes an object for each record. */
  #walk(blocks: readonly Block[]): Iterator<SeriesRecord> {
    const record = this.#record;
    const result = { done: false, value: record };
    let block = -1;
    let end = 0;
    let at = 0;
    const next = (): IteratorResult<SeriesRecord> => {
      while (at >= end) {
        block++;
        if (block === blocks.length) return { done: true, value: undefined };
        at = this.#arena.placeOf(blocks[block].address, blocks[block].usedBytes);
        end = at + blocks[block].usedBytes;
      }
      record.open(at);
      at += record.bytes;
      return result;
    };
    return { next };
  }
}

/** Where a label's parts stand: name from, name to, value from, value to. */
const PARTS = 4;
const MAX_LABELS = 64;
const HEADER = 48;

/**
 * Walks hundreds of thousands of records: it keeps views on the whole arena, finds labels in place
 * and decodes only those that are asked for.
 */
class RecordView implements SeriesRecord {
  readonly #known: KnownTexts;
  readonly #words: Uint32Array;
  readonly #numbers: Float64Array;
  readonly #text: Buffer;
  readonly #identities: KnownBytes;
  readonly #names: Map<string, Buffer> = new Map();
  #places: Float64Array = new Float64Array(PARTS * MAX_LABELS);
  readonly #pairs: number[] = [];
  #labels = -1;
  #at = 0;
  bytes = 0;
  runs = 0;
  firstMs = NaN;
  lastMs = NaN;
  staleMs = NaN;
  intervalMs = NaN;

  constructor(arena: Arena) {
    this.#words = arena.u32(0, arena.buffer.byteLength / 4);
    this.#numbers = arena.f64(0, arena.buffer.byteLength / 8);
    this.#text = Buffer.from(arena.buffer);
    this.#known = new KnownTexts(this.#text);
    this.#identities = new KnownBytes(this.#text);
  }

  open(at: number): void {
    this.#at = at;
    this.#labels = -1;
    this.runs = this.#words[at / 4 + 1];
    this.bytes = HEADER + Math.ceil(this.#words[at / 4] / 8) * 8 + 16 * this.runs;
    const numbers = this.#numbers;
    const first = at / 8 + 2;
    this.firstMs = numbers[first];
    this.lastMs = numbers[first + 1];
    this.staleMs = numbers[first + 2];
    this.intervalMs = numbers[first + 3];
  }

  /** An array that stays: a view for each record costs more than its two numbers. */
  get pairs(): readonly number[] {
    const pairs = this.#pairs;
    const count = 2 * this.runs;
    const from = (this.#at + this.bytes) / 8 - count;
    if (pairs.length > count) pairs.length = count;
    for (let i = 0; i < count; i++) pairs[i] = this.#numbers[from + i];
    return pairs;
  }

  get identity(): number {
    const bytes = this.#words[this.#at / 4 + 2];
    if (bytes === 0) return -1;
    const start = this.#at + HEADER;
    return this.#identities.number(start, start + bytes, this.#words[this.#at / 4 + 3]);
  }

  labels(prefix: string): [string, string][] {
    const places = this.#placed();
    const wanted = this.#nameBytes(prefix);
    const identityEnd = this.#at + HEADER + this.#words[this.#at / 4 + 2];
    const labels: [string, string][] = [];
    let isMoved = false;
    for (let at = 0; at < PARTS * this.#labels; at += PARTS) {
      const start = places[at];
      if (places[at + 1] - start < wanted.length || !this.#isAt(start, wanted)) continue;
      isMoved ||= start < identityEnd;
      labels.push([
        this.#known.text(start + wanted.length, places[at + 1]),
        this.#known.text(places[at + 2], places[at + 3]),
      ]);
    }
    if (isMoved) labels.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    // Without the room for sixteen more that pushing makes: one list a pod stays.
    return labels.slice();
  }

  label(name: string): string {
    const places = this.#placed();
    const wanted = this.#nameBytes(name);
    for (let at = 0; at < PARTS * this.#labels; at += PARTS) {
      if (places[at + 1] - places[at] !== wanted.length || !this.#isAt(places[at], wanted))
        continue;
      return this.#known.text(places[at + 2], places[at + 3]);
    }
    return '';
  }

  #nameBytes(name: string): Buffer {
    const known = this.#names.get(name);
    if (known) return known;
    const bytes = Buffer.from(name);
    this.#names.set(name, bytes);
    return bytes;
  }

  #isAt(at: number, wanted: Buffer): boolean {
    for (let i = 0; i < wanted.length; i++) if (this.#text[at + i] !== wanted[i]) return false;
    return true;
  }

  /** Finds the labels' parts, once a record. */
  #placed(): Float64Array {
    if (this.#labels >= 0) return this.#places;
    const text = this.#text;
    let count = 0;
    let p = this.#at + HEADER;
    const end = p + this.#words[this.#at / 4];
    while (p < end) {
      if (PARTS * (count + 1) > this.#places.length) this.#grow();
      const places = this.#places;
      const label = readLength(text, p + 1);
      const labelEnd = label.end;
      p = label.start;
      places.fill(p, PARTS * count, PARTS * (count + 1));
      while (p < labelEnd) {
        const part = text[p] === 10 ? 0 : 2;
        const field = readLength(text, p + 1);
        places[PARTS * count + part] = field.start;
        places[PARTS * count + part + 1] = field.end;
        p = field.end;
      }
      count++;
    }
    this.#labels = count;
    return this.#places;
  }

  #grow(): void {
    const grown = new Float64Array(2 * this.#places.length);
    grown.set(this.#places);
    this.#places = grown;
  }
}

/** The varint at `at` as a length: where what it measures starts and ends. The result is reused. */
const measured = { start: 0, end: 0 };
function readLength(text: Uint8Array, at: number): typeof measured {
  let value = 0;
  let p = at;
  for (let scale = 1; ; scale *= 128) {
    const byte = text[p++];
    value += (byte & 127) * scale;
    if (byte < 128) break;
  }
  measured.start = p;
  measured.end = p + value;
  return measured;
}

/** Labels as prompb writes them; damage was refused when they were condensed. */
export function readLabels(text: Buffer, at: number, bytes: number): [string, string][] {
  const labels: [string, string][] = [];
  const end = at + bytes;
  for (let p = at; p < end;) {
    const label: [string, string] = ['', ''];
    const { start, end: labelEnd } = readLength(text, p + 1);
    for (p = start; p < labelEnd;) {
      const part = text[p] === 10 ? 0 : 1;
      const field = readLength(text, p + 1);
      label[part] = text.toString('utf8', field.start, field.end);
      p = field.end;
    }
    labels.push(label);
  }
  return labels;
}
