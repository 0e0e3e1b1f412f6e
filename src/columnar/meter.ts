/**
 * The TypeScript face of workers/kernels/meter.ts: integration of max(request, usage), priced.
 * Struct layouts stand there; this file writes and reads them.
 */
import type { Arena, Owner } from './arena.ts';
import type { Engine } from './kernels.ts';
import { closeHours, growSamples, SAMPLER_AT } from './samples.ts';
import {
  currentPiece,
  DamagedBatch,
  openBatch,
  writeNames,
  type ArenaBatch,
  type Piece,
} from './series.ts';

/** A resource's place among a segment's references, in the ledger that has it. */
export const RESOURCES = {
  cpu: 0,
  ram: 1,
  gpu: 2,
  zoneEgress: 0,
  regionEgress: 1,
  internetEgress: 2,
  transmit: 3,
  receive: 4,
} as const;
export type MeteredResource = keyof typeof RESOURCES;

/** Bytes of a segment with references for `resources` resources. */
export function segmentBytes(resources: number): number {
  return 32 + 16 * resources;
}

/** Bytes of a segment with references for CPU, RAM and GPU. */
export const SEGMENT_BYTES: number = segmentBytes(3);
export const ROW_BYTES = 48;

/** Names that spell an identity: each part is filled by the first of its labels that is present. */
export interface KeyLabels {
  readonly parts: readonly (readonly string[])[];
  /** A part's value when none of its labels is present. */
  readonly fallbacks: readonly string[];
  /** Labels that change when what the series is of is started again, and its counter is zero. */
  readonly life?: readonly string[];
  /** Labels that tell apart series of one identity that add up; others count once. */
  readonly variants?: readonly string[];
}

/** What the meters of one ledger share; addresses of tables in the arena. */
export interface MeterTables {
  readonly identities: number;
  readonly identityCount: number;
  readonly segments: number;
  /** SEGMENT_BYTES unless given. */
  readonly segmentBytes?: number;
  readonly runs: number;
  readonly sets: number;
  readonly setCount: number;
  readonly slots: number;
  readonly slotMask: number;
  readonly keyOffsets: number;
  readonly keyBytes: number;
}

export interface MeterOptions {
  readonly resource: MeteredResource;
  readonly isCounter: boolean;
  /** 0 for exact, else the distance of the grid's points in ms. */
  readonly resolutionMs: number;
  readonly gapMs: number;
  /** A higher usage (in units of the resource) is taken for a fault of the counter. */
  readonly maxRate: number;
  readonly keyLabels: KeyLabels;
}

const INDEX_AT = 208;
const INDEX_SCRATCH_AT = 256;
const NAMES_AT = 512;
const STATE_BYTES = 4096;
const SPAN_BYTES = 72;
/** With a piece's worth of spare spans the kernel need not count what the next piece takes. */
const SPARE_SPANS = 4352;
const UNKNOWN = 2;
const SPANS_FULL = 3;
const SAMPLES_FULL = 4;

/**
 * Allocates a meter over `tables` that adds into `rows` (ROW_BYTES each, zeroed).
 * @returns the meter's address
 */
export function createMeter(
  arena: Arena,
  owner: Owner,
  tables: MeterTables,
  rows: number,
  options: MeterOptions,
): number {
  const meter = arena.allocateZeroed(STATE_BYTES, owner);
  const heads = arena.allocateZeroed(4 * Math.max(1, tables.identityCount), owner);
  const spanRoom = Math.ceil(1.25 * tables.identityCount) + SPARE_SPANS;
  const spans = arena.allocate(spanRoom * SPAN_BYTES, owner);
  arena.u32(meter, 16).set([
    0, meter + INDEX_AT, tables.identities, tables.segments, tables.runs, tables.sets,
    tables.setCount, rows, RESOURCES[options.resource], options.isCounter ? 1 : 0, heads, spans,
    0, spanRoom, 0, 0xffffffff,
  ]); // prettier-ignore
  arena.f64(meter + 112, 3).set([options.resolutionMs, options.gapMs, options.maxRate]);
  writeKeyIndex(arena, meter, tables, options.keyLabels);
  return meter;
}

function writeKeyIndex(arena: Arena, meter: number, tables: MeterTables, keys: KeyLabels): void {
  const names = keys.parts.flat();
  const partOfName = keys.parts.flatMap((part, i) => part.map(() => i));
  let at = meter + NAMES_AT;
  at += Math.ceil(writeNames(arena, at, names) / 4) * 4;
  const partsAt = at;
  arena.u32(partsAt, names.length).set(partOfName);
  const fallbacksAt = partsAt + 4 * names.length;
  const lifeAt = fallbacksAt + 8 * keys.parts.length;
  let text = lifeAt + Math.ceil(writeNames(arena, lifeAt, keys.life ?? []) / 4) * 4;
  const variantsAt = text;
  text += Math.ceil(writeNames(arena, variantsAt, keys.variants ?? []) / 4) * 4;
  arena.u32(meter + 84, 1)[0] = lifeAt;
  const bytes = tables.segmentBytes ?? SEGMENT_BYTES;
  arena.u32(meter + 96, 3).set([variantsAt, 0, bytes]);
  keys.fallbacks.forEach((fallback, i) => {
    const bytes = Buffer.from(fallback);
    arena.u8(text, bytes.length).set(bytes);
    arena.u32(fallbacksAt + 8 * i, 2).set([text, bytes.length]);
    text += bytes.length;
  });
  if (text > meter + STATE_BYTES) throw new Error('BUG: the names of the key labels are too long');
  arena.u32(meter + INDEX_AT, 9).set([
    tables.slots, tables.slotMask, tables.keyOffsets, tables.keyBytes, meter + NAMES_AT, partsAt,
    keys.parts.length, fallbacksAt, meter + INDEX_SCRATCH_AT,
  ]); // prettier-ignore
}

/**
 * Builds the slots of a key index. @returns their address and mask
 */
export function indexKeys(
  engine: Engine,
  owner: Owner,
  keys: { keyOffsets: number; keyBytes: number; count: number },
): { slots: number; slotMask: number } {
  const { arena, kernels } = engine;
  let size = 16;
  while (size < 2 * keys.count) size *= 2;
  const slots = arena.allocateZeroed(4 * size, owner);
  const index = arena.u32(engine.condenseState, 4);
  index.set([slots, size - 1, keys.keyOffsets, keys.keyBytes]);
  kernels.indexKeys(engine.condenseState, keys.count);
  return { slots, slotMask: size - 1 };
}

/**
 * Adds a batch of usage samples. `onUnknown` gets each piece that belongs to no identity; what it
 * needs of it, it copies.
 * @throws {DamagedBatch}
 */
export function absorb(
  engine: Engine,
  meter: number,
  batch: ArenaBatch,
  owner: Owner,
  onUnknown: (piece: Piece) => void,
): void {
  const { arena, kernels, cursor } = engine;
  openBatch(arena, cursor, batch);
  arena.u32(meter, 1)[0] = cursor;
  for (;;) {
    const status = kernels.absorb(meter);
    if (status === 0) return;
    if (status === UNKNOWN) onUnknown(currentPiece(arena, cursor));
    else if (status === SPANS_FULL) growSpans(arena, meter, owner, cursor);
    else if (status === SAMPLES_FULL) growSamples(arena, meter);
    else throw new DamagedBatch(status);
  }
}

/** Doubles the pool of spans, at least so that the current piece fits. */
function growSpans(arena: Arena, meter: number, owner: Owner, cursor: number): void {
  const fields = arena.u32(meter, 16);
  const [spans, count, room] = [fields[11], fields[12], fields[13]];
  const grown = Math.max(2 * room, count + currentPiece(arena, cursor).samples + 2);
  const address = arena.allocate(grown * SPAN_BYTES, owner);
  arena.u8(address, count * SPAN_BYTES).set(arena.u8(spans, count * SPAN_BYTES));
  arena.free(spans, room * SPAN_BYTES);
  fields[11] = address;
  fields[13] = grown;
}

/** Integrates requests and the edges of usage; once, when all usage was absorbed. */
export function settle(engine: Engine, meter: number, identityCount: number): void {
  const { arena, kernels } = engine;
  for (let from = 0; from < identityCount;) {
    from = kernels.settle(meter, from, identityCount) >>> 0;
    if (from < identityCount) growSamples(arena, meter);
  }
  if (arena.u32(meter + SAMPLER_AT, 1)[0] !== 0) closeHours(engine, meter);
}

/** Samples dropped as NaN, infinite or beyond maxRate. */
export function droppedSamples(arena: Arena, meter: number): number {
  return arena.u32(meter + 76, 1)[0];
}
