/** Reads the records of condensed series (workers/kernels/decode/condense.ts). */
import type { Arena } from '../memory/arena.ts';
import type { Block } from './condense.ts';
import { CONDENSED_RECORD } from './layout/decode.ts';
import { KnownBytes } from '../table/known-bytes.ts';
import { KnownTexts } from '../table/known-texts.ts';

/** One condensed record. Times in ms; NaN where unknown. */
export interface SeriesRecord {
  /** The value of a stored label, '' when the series does not have it. */
  label(name: string): string;
  /** Stored labels with names that begin with the prefix, cut from them: in the order of names. */
  labels(prefix: string): [name: string, value: string][];
  /**
   * A number of the subject by its labels: records of one reader with the same number have the same
   * subject, but a subject may have several numbers, as labels have several names. -1 without a subject.
   */
  readonly identity: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly staleMs: number;
  /** NaN with too few samples; who reads it may fill it in. */
  intervalMs: number;
  readonly runs: number;
  /** Pairs (fromMs, value), `runs` of them; reused, as the record is. */
  readonly pairs: readonly number[];
}

/** Reads records. Their blocks must not change while it is used. */
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

  /** Not a generator: that would make an object for each record. */
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

/** Numbers for each label: start and end of its name, start and end of its value. */
const PARTS = 4;
const MAX_LABELS = 64;
const HEADER = CONDENSED_RECORD.bytes;
/** Indices of a record's fields among all words, and among all numbers. */
const WORDS = placesOf(CONDENSED_RECORD.u32, 4);
const NUMBERS = placesOf(CONDENSED_RECORD.f64, 8);

function placesOf<Name extends string>(
  fields: Readonly<Record<Name, number>>,
  width: number,
): Readonly<Record<Name, number>> {
  const named: [string, number][] = Object.entries(fields);
  const places = named.map(([name, at]) => [name, at / width]);
  return Object.fromEntries(places) as Record<Name, number>;
}

/**
 * A view of hundreds of thousands of records in turn: it has views on the whole arena, finds labels in
 * place and decodes only those that are read.
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
    const [words, word] = [this.#words, at / 4];
    this.runs = words[word + WORDS.runs];
    const labelBytes = words[word + WORDS.labelBytes];
    this.bytes = HEADER + Math.ceil(labelBytes / 8) * 8 + 16 * this.runs;
    const [numbers, first] = [this.#numbers, at / 8];
    this.firstMs = numbers[first + NUMBERS.firstMs];
    this.lastMs = numbers[first + NUMBERS.lastMs];
    this.staleMs = numbers[first + NUMBERS.staleMs];
    this.intervalMs = numbers[first + NUMBERS.intervalMs];
  }

  /** One reused array, as a view for each record would cost more than its two numbers. */
  get pairs(): readonly number[] {
    const pairs = this.#pairs;
    const count = 2 * this.runs;
    const from = (this.#at + this.bytes) / 8 - count;
    if (pairs.length > count) pairs.length = count;
    for (let i = 0; i < count; i++) pairs[i] = this.#numbers[from + i];
    return pairs;
  }

  get identity(): number {
    const bytes = this.#words[this.#at / 4 + WORDS.identityBytes];
    if (bytes === 0) return -1;
    const start = this.#at + HEADER;
    return this.#identities.number(
      start,
      start + bytes,
      this.#words[this.#at / 4 + WORDS.identityHash],
    );
  }

  labels(prefix: string): [string, string][] {
    const places = this.#placed();
    const wanted = this.#nameBytes(prefix);
    const identityEnd = this.#at + HEADER + this.#words[this.#at / 4 + WORDS.identityBytes];
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
    // Cuts the spare room of a pushed array, as a list for each pod stays in memory.
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
    const end = p + this.#words[this.#at / 4 + WORDS.labelBytes];
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

/** Start and end of bytes behind their length, the varint at `at`. The result is reused. */
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

/** Labels as prompb writes them; damaged ones were refused when they were condensed. */
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
