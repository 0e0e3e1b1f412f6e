/** Series whose values rarely change, condensed to runs (workers/kernels/condense.ts). */
import type { Arena, Owner } from './arena.ts';
import type { Engine } from './kernels.ts';
import {
  DamagedBatch,
  openBatch,
  OTHER_METRIC,
  STATE_BYTES,
  writeNames,
  type ArenaBatch,
} from './series.ts';

/** A run of arena bytes filled from its start. */
export interface Block {
  readonly address: number;
  readonly bytes: number;
  usedBytes: number;
}

export interface CondenseOptions {
  /** Label names to keep; `label_*` keeps every name that begins so. */
  readonly keep: readonly string[];
  /** Those names of `keep` whose labels tell who a series is of: they come first in a record. */
  readonly identity: readonly string[];
  /** Samples outside [startMs, endMs] are left out. */
  readonly startMs: number;
  readonly endMs: number;
  /** A longer gap closes a record. */
  readonly gapMs: number;
}

/** Where the series of one metric go. */
export interface MetricTarget {
  readonly keep: readonly string[];
  readonly blocks: Block[];
}

const STRUCT_BYTES = 80;
const SCRATCH_BYTES = 24 + 31 * 8;
const METRIC_AT = STRUCT_BYTES + SCRATCH_BYTES;
const METRIC_BYTES = 256;
const NAMES_AT = METRIC_AT + METRIC_BYTES;
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
  const identity = writeKept(engine, options.keep, options.identity);
  const fields = begin(engine, batch, options);
  fields[10] = identity;
  const status = fill(engine, blocks, owner);
  if (status !== 0) throw new DamagedBatch(status);
  return fields[6];
}

/**
 * The same of a batch of several metrics, each to the blocks of its own.
 * @throws {DamagedBatch}, also for a series of a metric that is not among them
 */
export function condenseByMetric(
  engine: Engine,
  batch: ArenaBatch,
  targets: ReadonlyMap<string, MetricTarget>,
  options: Omit<CondenseOptions, 'keep'>,
  owner: Owner,
): number {
  const { arena, kernels, condenseState: state } = engine;
  const fields = begin(engine, batch, options);
  fields[9] = state + METRIC_AT;
  // Until the metric is known nothing is kept: what the table held before is not ours.
  writeKept(engine, [], options.identity);
  // No series has the name of no bytes.
  arena.u32(state + METRIC_AT, 1)[0] = 0;
  let status = kernels.condense(state);
  while (status === OTHER_METRIC) {
    const name = metricAt(engine);
    const target = targets.get(name.toString('latin1'));
    if (!target) break;
    arena.u32(state + METRIC_AT, 1)[0] = name.length;
    arena.u8(state + METRIC_AT + 4, name.length).set(name);
    fields[10] = writeKept(engine, target.keep, options.identity);
    status = fill(engine, target.blocks, owner);
  }
  if (status !== 0) throw new DamagedBatch(status);
  return fields[6];
}

/** @returns the state's fields, at the batch's start */
function begin(
  { arena, cursor, condenseState: state }: Engine,
  batch: ArenaBatch,
  { startMs, endMs, gapMs }: Omit<CondenseOptions, 'keep'>,
): Uint32Array {
  openBatch(arena, cursor, batch);
  const fields = arena.u32(state, 14);
  fields.fill(0);
  fields[0] = cursor;
  fields[1] = state + NAMES_AT;
  fields[7] = state + STRUCT_BYTES;
  arena.f64(state + 56, 3).set([startMs, endMs, gapMs]);
  return fields;
}

/** Goes on until the batch is at its end, or at another metric. @returns the status */
function fill(
  { arena, kernels, condenseState: state }: Engine,
  blocks: Block[],
  owner: Owner,
): number {
  const fields = arena.u32(state, 10);
  let block = blocks.at(-1) ?? addBlock(arena, blocks, owner, BLOCK_BYTES);
  for (;;) {
    fields[2] = block.address + block.usedBytes;
    fields[3] = block.address + block.bytes;
    const status = kernels.condense(state);
    block.usedBytes = fields[2] - arena.placeOf(block.address);
    if (status !== OUTPUT_FULL) return status;
    block = addBlock(arena, blocks, owner, Math.max(BLOCK_BYTES, fields[4]));
  }
}

/** The name of the series that waits; the kernel's view of a label shows it. */
function metricAt({ arena, condenseState: state }: Engine): Buffer {
  const view = arena.u32(state + STRUCT_BYTES, 4);
  const bytes = Math.min(view[3], METRIC_BYTES - 4);
  return Buffer.from(arena.u8(view[2], bytes));
}

/** @returns how many of them tell who a series is of: they come first */
function writeKept(
  { arena, condenseState }: Engine,
  keep: readonly string[],
  identity: readonly string[],
): number {
  const who = keep.filter((name) => identity.includes(name));
  const names = [...who, ...keep.filter((name) => !identity.includes(name))];
  const room = STATE_BYTES - NAMES_AT;
  const bytes = names.reduce((sum, name) => sum + 8 + Buffer.byteLength(name), 4);
  if (bytes > room) throw new Error('BUG: the names of the labels to keep are too long');
  writeNames(arena, condenseState + NAMES_AT, names);
  return who.length;
}

function addBlock(arena: Arena, blocks: Block[], owner: Owner, bytes: number): Block {
  const block = { address: arena.allocate(bytes, owner), bytes, usedBytes: 0 };
  blocks.push(block);
  return block;
}
