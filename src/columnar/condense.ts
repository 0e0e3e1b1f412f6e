/**
 * Series whose values rarely change, condensed to runs (workers/kernels/condense.ts), and the
 * reading of the records it writes.
 */
import type { Arena, Owner } from './arena.ts';
import type { Engine } from './kernels.ts';
import { DamagedBatch, openBatch, STATE_BYTES, writeNames, type ArenaBatch } from './series.ts';

/** A run of arena bytes filled from its start. */
export interface Block {
  readonly address: number;
  readonly bytes: number;
  usedBytes: number;
}

export interface CondenseOptions {
  /** Label names to keep; `label_*` keeps every name that begins so. */
  readonly keep: readonly string[];
  /** Samples outside [startMs, endMs] are left out. */
  readonly startMs: number;
  readonly endMs: number;
  /** A longer gap closes a record. */
  readonly gapMs: number;
}

const STRUCT_BYTES = 64;
const SCRATCH_BYTES = 24 + 31 * 8;
const NAMES_AT = STRUCT_BYTES + SCRATCH_BYTES;
const BLOCK_BYTES = 256 * 1024;
const OUTPUT_FULL = 1;

/**
 * Appends the batch's records to `blocks`, allocating further ones for `owner` as needed.
 * @returns how many samples were dropped because they were NaN or infinite
 * @throws {DamagedBatch}
 */
export function condense(
  engine: Engine,
  batch: ArenaBatch,
  options: CondenseOptions,
  blocks: Block[],
  owner: Owner,
): number {
  const { arena, kernels, cursor, condenseState: state } = engine;
  openBatch(arena, cursor, batch);
  writeKept(arena, state, options.keep);
  const fields = arena.u32(state, 10);
  fields.fill(0);
  fields[0] = cursor;
  fields[1] = state + NAMES_AT;
  fields[7] = state + STRUCT_BYTES;
  arena.f64(state + 40, 3).set([options.startMs, options.endMs, options.gapMs]);
  let block = blocks.at(-1) ?? addBlock(arena, blocks, owner, BLOCK_BYTES);
  for (;;) {
    fields[2] = block.address + block.usedBytes;
    fields[3] = block.address + block.bytes;
    const status = kernels.condense(state);
    block.usedBytes = fields[2] - block.address;
    if (status === 0) return fields[6];
    if (status !== OUTPUT_FULL) throw new DamagedBatch(status);
    block = addBlock(arena, blocks, owner, Math.max(BLOCK_BYTES, fields[4]));
  }
}

function writeKept(arena: Arena, state: number, names: readonly string[]): void {
  const room = STATE_BYTES - NAMES_AT;
  const bytes = names.reduce((sum, name) => sum + 8 + Buffer.byteLength(name), 4);
  if (bytes > room) throw new Error('BUG: the names of the labels to keep are too long');
  writeNames(arena, state + NAMES_AT, names);
}

function addBlock(arena: Arena, blocks: Block[], owner: Owner, bytes: number): Block {
  const block = { address: arena.allocate(bytes, owner), bytes, usedBytes: 0 };
  blocks.push(block);
  return block;
}

/** One condensed record. Times in ms; NaN where unknown. */
export interface SeriesRecord {
  /** Value of a label that was kept, '' when the series has none. */
  label(name: string): string;
  /** Every kept label, in the store's order. */
  labels(): [name: string, value: string][];
  readonly firstMs: number;
  readonly lastMs: number;
  readonly staleMs: number;
  readonly intervalMs: number;
  readonly runs: number;
  /** Pairs (fromMs, value), `runs` of them. */
  readonly pairs: Float64Array;
}

/** Walks the records of `blocks` in the order they were written. The record is reused. */
export function* records(arena: Arena, blocks: readonly Block[]): Generator<SeriesRecord> {
  const record = new RecordView(arena);
  for (const block of blocks) {
    const end = block.address + block.usedBytes;
    for (let at = block.address; at < end; at += record.bytes) {
      record.open(at);
      yield record;
    }
  }
}

class RecordView implements SeriesRecord {
  readonly #arena: Arena;
  readonly #text: Buffer;
  #at = 0;
  #labels: [string, string][] | undefined;
  bytes = 0;
  runs = 0;
  firstMs = NaN;
  lastMs = NaN;
  staleMs = NaN;
  intervalMs = NaN;

  constructor(arena: Arena) {
    this.#arena = arena;
    this.#text = Buffer.from(arena.buffer);
  }

  open(at: number): void {
    const [bytes, , runs] = this.#arena.u32(at, 3);
    this.#at = at;
    this.#labels = undefined;
    this.bytes = bytes;
    this.runs = runs;
    [this.firstMs, this.lastMs, this.staleMs, this.intervalMs] = this.#arena.f64(at + 16, 4);
  }

  get pairs(): Float64Array {
    return this.#arena.f64(this.#at + this.bytes - 16 * this.runs, 2 * this.runs);
  }

  labels(): [string, string][] {
    this.#labels ??= readLabels(this.#text, this.#at + 48, this.#arena.u32(this.#at + 4, 1)[0]);
    return this.#labels;
  }

  label(name: string): string {
    for (const label of this.labels()) if (label[0] === name) return label[1];
    return '';
  }
}

/** Labels as prompb writes them; damage was refused when they were condensed. */
export function readLabels(text: Buffer, at: number, bytes: number): [string, string][] {
  const labels: [string, string][] = [];
  const end = at + bytes;
  let p = at;
  const length = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = text[p++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (p < end) {
    p++;
    const labelEnd = length() + p;
    const label: [string, string] = ['', ''];
    while (p < labelEnd) {
      const field = text[p++];
      const valueEnd = length() + p;
      label[field === 10 ? 0 : 1] = text.toString('utf8', p, valueEnd);
      p = valueEnd;
    }
    labels.push(label);
  }
  return labels;
}
