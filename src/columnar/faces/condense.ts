/**
 * Series whose values rarely change, condensed to runs (workers/kernels/decode/condense.ts). To
 * condense is to run-length encode.
 */
import type { Arena, Owner } from '../memory/arena.ts';
import type { Engine } from '../kernels.ts';
import { fillStruct, structAt, type Struct } from '../memory/struct.ts';
import { CONDENSE_SCRATCH_BYTES, OTHER_METRIC, OUTPUT_FULL } from './layout/constants.ts';
import { CONDENSER, LABEL_VIEW, NAMES, TEXT_AT } from './layout/decode.ts';
import { DamagedBatch, openBatch, STATE_BYTES, writeNames, type ArenaBatch } from './series.ts';

/** A run of arena bytes filled from its start. */
export interface Block {
  readonly address: number;
  readonly bytes: number;
  usedBytes: number;
}

export interface CondenseOptions {
  /** Names of labels to store; `label_*` stands for all names that begin so. */
  readonly keep: readonly string[];
  /** The names of `keep` that identify the subject of a series: they come first in a record. */
  readonly identity: readonly string[];
  /** Samples outside [startMs, endMs] are left out. */
  readonly startMs: number;
  readonly endMs: number;
  /** A longer gap closes a record. */
  readonly gapMs: number;
}

/** The blocks for the series of one metric. */
export interface MetricTarget {
  readonly keep: readonly string[];
  readonly gapMs: number;
  readonly blocks: Block[];
}

const SCRATCH_AT = CONDENSER.bytes;
const METRIC_AT = SCRATCH_AT + CONDENSE_SCRATCH_BYTES;
const METRIC_BYTES = 256;
const NAMES_AT = METRIC_AT + METRIC_BYTES;
const BLOCK_BYTES = 256 * 1024;

/**
 * Appends the batch's records to `blocks`, allocating further ones for `owner` as needed.
 * @returns the number of samples dropped as NaN or infinite
 * @throws {DamagedBatch}
 */
export function condense(
  engine: Engine,
  batch: ArenaBatch,
  options: CondenseOptions,
  blocks: Block[],
  owner: Owner,
): number {
  const identity = writeLabelNames(engine, options.keep, options.identity);
  const condenser = begin(engine, batch, options);
  condenser.identity = identity;
  const status = fill(engine, blocks, owner);
  if (status !== 0) throw new DamagedBatch(status);
  return condenser.dropped;
}

/**
 * The same for a batch of several metrics, each with its own blocks.
 * @throws {DamagedBatch} also for a series of another metric
 */
export function condenseByMetric(
  engine: Engine,
  batch: ArenaBatch,
  targets: ReadonlyMap<string, MetricTarget>,
  options: Omit<CondenseOptions, 'keep'>,
  owner: Owner,
): number {
  const { arena, kernels, condenseState: state } = engine;
  const condenser = begin(engine, batch, options);
  condenser.metric = state + METRIC_AT;
  // No labels are stored until the metric is known; the table may have names of an earlier batch.
  writeLabelNames(engine, [], options.identity);
  // An empty name matches no series.
  arena.u32(state + METRIC_AT, 1)[0] = 0;
  let status = kernels.condense(state);
  while (status === OTHER_METRIC) {
    const name = metricAt(engine);
    const target = targets.get(name.toString('latin1'));
    if (!target) break;
    arena.u32(state + METRIC_AT, 1)[0] = name.length;
    arena.u8(state + METRIC_AT + 4, name.length).set(name);
    condenser.identity = writeLabelNames(engine, target.keep, options.identity);
    condenser.gapMs = target.gapMs;
    status = fill(engine, target.blocks, owner);
  }
  if (status !== 0) throw new DamagedBatch(status);
  return condenser.dropped;
}

/** @returns the state, at the batch's start */
function begin(
  { arena, cursor, condenseState: state }: Engine,
  batch: ArenaBatch,
  { startMs, endMs, gapMs }: Omit<CondenseOptions, 'keep'>,
): Struct<typeof CONDENSER> {
  openBatch(arena, cursor, batch);
  arena.u8(state, CONDENSER.bytes).fill(0);
  fillStruct(arena, state, CONDENSER, {
    cursor,
    keep: state + NAMES_AT,
    scratch: state + SCRATCH_AT,
    startMs,
    endMs,
    gapMs,
  });
  return structAt(arena, state, CONDENSER);
}

/** Continues to the end of the batch or to another metric. @returns the status */
function fill(
  { arena, kernels, condenseState: state }: Engine,
  blocks: Block[],
  owner: Owner,
): number {
  const condenser = structAt(arena, state, CONDENSER);
  let block = blocks.at(-1) ?? addBlock(arena, blocks, owner, BLOCK_BYTES);
  for (;;) {
    condenser.out = block.address + block.usedBytes;
    condenser.outEnd = block.address + block.bytes;
    const status = kernels.condense(state);
    block.usedBytes = condenser.out - arena.placeOf(block.address);
    if (status !== OUTPUT_FULL) return status;
    block = addBlock(arena, blocks, owner, Math.max(BLOCK_BYTES, condenser.neededBytes));
  }
}

/** The name of the waiting series, from the kernel's view of a label. */
function metricAt({ arena, condenseState: state }: Engine): Buffer {
  const { value, valueBytes } = structAt(arena, state + SCRATCH_AT, LABEL_VIEW);
  return Buffer.from(arena.u8(value, Math.min(valueBytes, METRIC_BYTES - 4)));
}

/** @returns the number of identity names, which come first */
function writeLabelNames(
  { arena, condenseState }: Engine,
  keep: readonly string[],
  identity: readonly string[],
): number {
  const identityNames = keep.filter((name) => identity.includes(name));
  const names = [...identityNames, ...keep.filter((name) => !identity.includes(name))];
  const room = STATE_BYTES - NAMES_AT;
  const bytes = names.reduce<number>(
    (sum, name) => sum + TEXT_AT.bytes + Buffer.byteLength(name),
    NAMES.bytes,
  );
  if (NAMES.bytes + bytes > room)
    throw new Error('BUG: the names of the labels to keep are too long');
  writeNames(arena, condenseState + NAMES_AT, names);
  return identityNames.length;
}

function addBlock(arena: Arena, blocks: Block[], owner: Owner, bytes: number): Block {
  const block = { address: arena.allocate(bytes, owner), bytes, usedBytes: 0 };
  blocks.push(block);
  return block;
}
