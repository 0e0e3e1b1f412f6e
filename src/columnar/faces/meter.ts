/**
 * The TypeScript face of workers/kernels/meter/meter.ts: integration of max(request, usage), priced.
 */
import type { Arena, Owner } from '../memory/arena.ts';
import type { Engine } from '../kernels.ts';
import { fillStruct, structAt } from '../memory/struct.ts';
import {
  CONDENSE_SCRATCH_BYTES,
  KEY_SCRATCH_BYTES,
  PART,
  SAMPLES_FULL,
  SPANS_FULL,
  UNKNOWN,
} from './layout/constants.ts';
import { TEXT_AT } from './layout/decode.ts';
import { KEY_INDEX, METER, RESOURCE_RUNS, SEGMENT, SPAN } from './layout/meter.ts';
import { closeHours, growSamples } from './samples.ts';
import {
  currentPiece,
  DamagedBatch,
  openBatch,
  writeNames,
  type ArenaBatch,
  type Piece,
} from './series.ts';

/** Index of a resource among a segment's references, in the ledger that has it. */
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
  return SEGMENT.bytes + RESOURCE_RUNS.bytes * resources;
}

/** Bytes of a segment with references for CPU, RAM and GPU. */
export const SEGMENT_BYTES: number = segmentBytes(3);

/** Labels that make up an identity: each part is filled by the first of its labels that is present. */
export interface KeyLabels {
  readonly parts: readonly (readonly string[])[];
  /** Each part's value when none of its labels is present. */
  readonly fallbacks: readonly string[];
  /** Labels that change when the subject of a series restarts, and its counter with it. */
  readonly life?: readonly string[];
  /** Labels that tell apart series of one identity that add up; other series count once. */
  readonly variants?: readonly string[];
  /**
   * Labels that tell the scrape of a series: series of several scrapes tell the same, whatever other labels
   * they have; absent: all are of one.
   */
  readonly scrapes?: readonly string[];
  /** The label by which a counter can be split into series that add up, and its value of the whole. */
  readonly split?: Split;
}

export interface Split {
  readonly label: string;
  readonly whole: string;
}

/** Tables that the meters of one ledger share, by their addresses. */
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
  readonly gapMs: number;
  /** A higher usage (in units of the resource) counts as a fault of the counter. */
  readonly maxRate: number;
  /** A HIDDEN_ROW for each row, zeroed; absent: none are kept. */
  readonly hidden?: number;
  readonly keyLabels: KeyLabels;
}

/** Offsets in the memory of a meter: itself, its index, the index's scratch, its names. */
const INDEX_AT = METER.bytes;
const INDEX_SCRATCH_AT = INDEX_AT + KEY_INDEX.bytes;
/** A key's parts, or the distances whose median is an interval. */
const NAMES_AT = INDEX_SCRATCH_AT + Math.max(KEY_SCRATCH_BYTES, CONDENSE_SCRATCH_BYTES);
const STATE_BYTES = 4096;
/** With this many spare spans the kernel need not count the spans of the next piece. */
const SPARE_SPANS = 4352;
/** The identity before the first series: no identity has this number. */
const NO_IDENTITY = -1;

/**
 * Allocates a meter over `tables` that adds into `rows` (a METER_ROW each, zeroed).
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
  const spans = arena.allocate(spanRoom * SPAN.bytes, owner);
  const { identities, segments, runs, sets, setCount } = tables;
  const { gapMs, maxRate } = options;
  fillStruct(arena, meter, METER, {
    index: meter + INDEX_AT,
    identities,
    segments,
    runs,
    sets,
    setCount,
    rows,
    heads,
    spans,
    spanRoom,
    scrapes: options.keyLabels.scrapes ? arena.allocate(4 * spanRoom, owner) : 0,
    identity: NO_IDENTITY,
    gapMs,
    maxRate,
    hidden: options.hidden ?? 0,
    resource: RESOURCES[options.resource],
    isCounter: options.isCounter ? 1 : 0,
    segmentBytes: tables.segmentBytes ?? SEGMENT_BYTES,
    scale: 1,
  });
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
  const lifeAt = fallbacksAt + TEXT_AT.bytes * keys.parts.length;
  let text = lifeAt + Math.ceil(writeNames(arena, lifeAt, keys.life ?? []) / 4) * 4;
  const variantsAt = text;
  text += Math.ceil(writeNames(arena, variantsAt, keys.variants ?? []) / 4) * 4;
  const scrapesAt = text;
  text += Math.ceil(writeNames(arena, scrapesAt, keys.scrapes ?? []) / 4) * 4;
  const splitAt = Math.ceil(text / 4) * 4;
  const split = keys.split ? [keys.split.label, keys.split.whole] : [];
  text = splitAt + Math.ceil(writeNames(arena, splitAt, split) / 4) * 4;
  fillStruct(arena, meter, METER, {
    lifeNames: lifeAt,
    variantNames: variantsAt,
    scrapeNames: scrapesAt,
    splitNames: splitAt,
  });
  keys.fallbacks.forEach((fallback, i) => {
    const bytes = Buffer.from(fallback);
    arena.u8(text, bytes.length).set(bytes);
    const at = fallbacksAt + TEXT_AT.bytes * i;
    fillStruct(arena, at, TEXT_AT, { address: text, bytes: bytes.length });
    text += bytes.length;
  });
  if (text > meter + STATE_BYTES) throw new Error('BUG: the names of the key labels are too long');
  const { slots, slotMask, keyOffsets, keyBytes } = tables;
  fillStruct(arena, meter + INDEX_AT, KEY_INDEX, {
    slots,
    mask: slotMask,
    keyOffsets,
    keyBytes,
    names: meter + NAMES_AT,
    partOfName: partsAt,
    parts: keys.parts.length,
    fallbacks: fallbacksAt,
    scratch: meter + INDEX_SCRATCH_AT,
  });
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
  const { keyOffsets, keyBytes } = keys;
  const index = { slots, mask: size - 1, keyOffsets, keyBytes };
  fillStruct(arena, engine.condenseState, KEY_INDEX, index);
  kernels.indexKeys(engine.condenseState, keys.count);
  return { slots, slotMask: size - 1 };
}

/**
 * Adds a batch of usage samples, but for pieces that go to a callback, which must copy what it needs.
 *
 * @param onUnknown takes pieces that belong to no identity
 * @param onPart takes pieces of counters in parts, where `KeyLabels.split` is given
 * @param scale units of the resource that a unit of the samples is
 * @throws {DamagedBatch}
 */
export function accumulateUsage(
  engine: Engine,
  meter: number,
  batch: ArenaBatch,
  owner: Owner,
  onUnknown: (piece: Piece) => void,
  onPart: (piece: Piece) => void = onUnknown,
  scale: number = 1,
): void {
  const { arena, kernels, cursor } = engine;
  openBatch(arena, cursor, batch);
  fillStruct(arena, meter, METER, { cursor, scale });
  for (;;) {
    const status = kernels.accumulateUsage(meter);
    if (status === 0) return;
    if (status === UNKNOWN) onUnknown(currentPiece(arena, cursor));
    else if (status === PART) onPart(currentPiece(arena, cursor));
    else if (status === SPANS_FULL) growSpans(arena, meter, owner, cursor);
    else if (status === SAMPLES_FULL) growSamples(arena, meter);
    else throw new DamagedBatch(status);
  }
}

/** Doubles the pool of spans, or more if the current piece needs it. */
function growSpans(arena: Arena, at: number, owner: Owner, cursor: number): void {
  const meter = structAt(arena, at, METER);
  const { spans, scrapes, spanCount: count, spanRoom: room } = meter;
  const grown = Math.max(2 * room, count + currentPiece(arena, cursor).samples + 2);
  const moved = (from: number, bytes: number): number => {
    const address = arena.allocate(grown * bytes, owner);
    arena.u8(address, count * bytes).set(arena.u8(from, count * bytes));
    arena.free(from, room * bytes);
    return address;
  };
  meter.spans = moved(spans, SPAN.bytes);
  if (scrapes !== 0) meter.scrapes = moved(scrapes, 4);
  meter.spanRoom = grown;
}

/** Integrates requests and the edges of usage; once, after all usage was added. */
export function finishMeter(engine: Engine, meter: number, identityCount: number): void {
  const { arena, kernels } = engine;
  for (let from = 0; from < identityCount;) {
    from = kernels.finishMeter(meter, from, identityCount) >>> 0;
    if (from < identityCount) growSamples(arena, meter);
  }
  if (structAt(arena, meter, METER).sampler !== 0) closeHours(engine, meter);
}

/** Samples dropped as NaN, infinite or beyond maxRate. */
export function droppedSamples(arena: Arena, meter: number): number {
  return structAt(arena, meter, METER).dropped;
}

/** A stretch that the samples of one series cover. */
export interface SpanTimes {
  readonly startMs: number;
  readonly endMs: number;
  /** The longest distance of its samples that is no gap. */
  readonly gapMs: number;
}

/** When series of a meter's identities were seen. */
export class MeterSpans {
  readonly #heads: Uint32Array;
  readonly #words: Float64Array;
  readonly #codes: Uint32Array;

  constructor(arena: Arena, meter: number, identityCount: number) {
    const { heads, spans, spanCount } = structAt(arena, meter, METER);
    this.#heads = arena.u32(heads, identityCount);
    this.#words = arena.f64(spans, (spanCount * SPAN.bytes) / 8);
    this.#codes = arena.u32(spans, (spanCount * SPAN.bytes) / 4);
  }

  /** NaN without any; spans are in order of their starts. */
  firstMs(identity: number): number {
    const place = this.#heads[identity] ?? 0;
    return place === 0 ? NaN : this.#number(place, SPAN.f64.fromMs);
  }

  lastMs(identity: number): number {
    let lastMs = NaN;
    for (
      let place = this.#heads[identity] ?? 0;
      place !== 0;
      place = this.#code(place, SPAN.u32.next)
    ) {
      const toMs = this.#number(place, SPAN.f64.toMs);
      if (!(lastMs >= toMs)) lastMs = toMs;
    }
    return lastMs;
  }

  at(identity: number): SpanTimes[] {
    const found: SpanTimes[] = [];
    for (
      let place = this.#heads[identity] ?? 0;
      place !== 0;
      place = this.#code(place, SPAN.u32.next)
    )
      found.push({
        startMs: this.#number(place, SPAN.f64.fromMs),
        endMs: this.#number(place, SPAN.f64.toMs),
        gapMs: this.#code(place, SPAN.u32.gapMs),
      });
    return found;
  }

  #number(place: number, field: number): number {
    return this.#words[((place - 1) * SPAN.bytes + field) / 8] ?? NaN;
  }

  #code(place: number, field: number): number {
    return this.#codes[((place - 1) * SPAN.bytes + field) / 4] ?? 0;
  }
}
