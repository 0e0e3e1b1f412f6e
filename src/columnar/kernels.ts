/**
 * The kernels' TypeScript face: one module, instantiated once a thread over the shared memory.
 * What each kernel takes, with shapes and units, stands beside its source in workers/kernels.
 */
import { readFileSync } from 'node:fs';
import { Arena, type Owner } from './arena.ts';
import { checkedExports } from './checked-kernels.ts';
import { createCursor, STATE_BYTES } from './series.ts';

/** Exports of kernels.wasm. Addresses are unsigned; wasm gives them back signed: use `>>> 0`. */
export interface KernelExports {
  readonly __heap_base: WebAssembly.Global;
  crc32cTable(table: number): void;
  crc32c(table: number, bytes: number, length: number): number;
  foldCrc32(bytes: number, length: number, room: number): number;
  condense(state: number): number;
  indexKeys(index: number, count: number): void;
  findKey(index: number, labels: number, labelsEnd: number): number;
  absorb(meter: number): number;
  settle(meter: number, from: number, to: number): number;
  closeHours(meter: number, from: number): number;
  decodeXorChunk(
    chunk: number,
    length: number,
    timestamps: number,
    values: number,
    room: number,
  ): number;
  groupedSums4(keys: number, columns: number, rows: number, out: number): void;
  groupedSums8(keys: number, columns: number, rows: number, out: number): void;
  groupedSumsCompensated4(keys: number, columns: number, rows: number, out: number): void;
  groupedSumsCompensated8(keys: number, columns: number, rows: number, out: number): void;
  groupedExtremes4(keys: number, columns: number, rows: number, out: number): void;
  sumsOfRecords(records: number, stride: number, error: number, groups: number, out: number): void;
  clearExtremes(records: number, groups: number): void;
  leastOfRecords(records: number, stride: number, groups: number, out: number): void;
  greatestOfRecords(records: number, stride: number, groups: number, out: number): void;
  sumOverlaps(
    starts: number,
    ends: number,
    places: number,
    rows: number,
    from: number,
    until: number,
    sums: number,
  ): void;
  addOverlaps(
    starts: number,
    ends: number,
    places: number,
    rows: number,
    from: number,
    until: number,
    rates: number,
    out: number,
  ): void;
  sumPlaces(values: number, places: number, rows: number, sums: number): void;
  addRated(values: number, places: number, rows: number, rates: number, out: number): void;
  markBits(codes: number, rows: number, words: number): void;
  shiftCodes(codes: number, rows: number, first: number, out: number): void;
  bytesOfBits(words: number, others: number, rows: number, out: number): void;
  addToAll(from: number, count: number, by: number, out: number): void;
  measureJoined(columns: number, parts: number, rows: number): number;
  joinTexts(columns: number, parts: number, rows: number, offsets: number, bytes: number): number;
  runningIn(
    table: number,
    count: number,
    set: number,
    startMs: number,
    endMs: number,
    resolutionMs: number,
  ): number;
  sharePods(table: number, ran: number, set: number): void;
  tellAlike(offsets: number, bytes: number, rows: number, out: number): number;
  orderTexts(
    offsets: number,
    bytes: number,
    count: number,
    records: number,
    spare: number,
    order: number,
  ): void;
  mapNumbers(rows: number, count: number, values: number, out: number): void;
  mapField(
    rows: number,
    count: number,
    records: number,
    stride: number,
    field: number,
    divisor: number,
    out: number,
  ): void;
  mapFieldSum(
    rows: number,
    count: number,
    records: number,
    stride: number,
    field: number,
    other: number,
    divisor: number,
    out: number,
  ): void;
  addShared(
    rows: number,
    count: number,
    records: number,
    stride: number,
    field: number,
    shares: number,
    divisor: number,
    out: number,
  ): void;
  markCodes(codes: number, rows: number, used: number): void;
  mapCodes(codes: number, rows: number, table: number, out: number): void;
  mapKeptCodes(
    codes: number,
    kept: number,
    rows: number,
    table: number,
    rest: number,
    out: number,
  ): void;
  numberCodes(codes: number, rows: number, numbers: number, listed: number, out: number): number;
  narrowCodes(codes: number, rows: number, width: number, out: number): void;
  numberPairs(
    left: number,
    right: number,
    rows: number,
    slots: number,
    mask: number,
    pairs: number,
    out: number,
  ): number;
  commonCodes(codes: number, groups: number, rows: number, first: number): void;
  greatestValues(values: number, groups: number, rows: number, greatest: number): void;
  anyCode(codes: number, rows: number): number;
  rowsOfValue(values: number, rows: number, value: number, out: number): number;
  groupedCounts(keys: number, rows: number, out: number): void;
  measureTexts(
    form: number,
    offsets: number,
    bytes: number,
    used: number,
    count: number,
    outOffsets: number,
  ): number;
  escapeTexts(
    form: number,
    offsets: number,
    bytes: number,
    count: number,
    outOffsets: number,
    out: number,
  ): void;
  hoursBetween(starts: number, ends: number, rows: number, out: number): void;
  scaleColumn(values: number, by: number, rows: number, out: number): void;
  addColumn(values: number, rows: number, out: number): void;
  multiplyColumn(values: number, rows: number, out: number): void;
  divideColumn(divisors: number, rows: number, out: number): void;
  averageColumn(values: number, hours: number, rows: number, out: number): void;
  efficiencyColumn(used: number, requests: number, costs: number, rows: number, out: number): void;
  addWeighted(
    values: number,
    weights: number,
    rows: number,
    sums: number,
    weightSums: number,
  ): void;
  meanColumn(weightSums: number, rows: number, out: number): void;
  /** Gives the row to go on with << 32 | bytes written. */
  writeRows(
    program: number,
    from: number,
    to: number,
    out: number,
    outEnd: number,
    cells: number,
  ): bigint;
  countByte(from: number, length: number, byte: number): number;
  readCsv(table: number): number;
  readColumns8(columns: number, bytes: number): number;
  countValues(table: number, ids: number, values: number, from: number, count: number): number;
  mergeSketches(
    table: number,
    ids: number,
    offsets: number,
    bytes: number,
    from: number,
    rows: number,
  ): number;
  /** Gives the number signed: -1 where there is no room. */
  addText(table: number, at: number, length: number): number;
  isPlain(at: number, length: number, other: number): number;
  placeTexts(offsets: number, listed: number, count: number, out: number): number;
  copyTexts(offsets: number, bytes: number, listed: number, count: number, out: number): void;
  mergeTexts(table: number, offsets: number, bytes: number, count: number, out: number): void;
  numberTuples(
    table: number,
    columns: number,
    rows: number,
    without: number,
    scratch: number,
    out: number,
  ): void;
  spreadNumbers(hashes: number, count: number, slots: number, mask: number): void;
  addRuns(ids: number, rows: number, columns: number, meant: number, records: number): void;
  addLargest(
    ids: number,
    rows: number,
    values: number,
    counted: number,
    records: number,
    place: number,
  ): void;
  joinDemand(ids: number, count: number, from: number, texts: number, records: number): void;
  addSketches(table: number, from: number, ids: number, i: number, count: number): number;
  encodeSketches(
    table: number,
    first: number,
    stride: number,
    rows: number,
    offsets: number,
    out: number,
  ): number;
  sketchQuantiles(table: number, count: number, q: number, out: number): void;
}

/** The compiled kernels; can be posted to other threads. */
export type KernelModule = WebAssembly.Module;

const KERNELS_FILE: URL = new URL('../../workers/kernels/kernels.wasm', import.meta.url);

/** Compiles kernels.wasm; the Module can be posted to other threads. */
export function compileKernels(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(KERNELS_FILE));
}

/** One thread's instance of the kernels. */
export function instantiateKernels(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
): KernelExports {
  const abort = (): never => {
    throw new Error('BUG: a kernel aborted');
  };
  const instance = new WebAssembly.Instance(module, { env: { memory, abort } });
  const arena = new Arena(memory);
  const exports = arena.isChecked ? checkedExports(instance.exports, arena) : instance.exports;
  return exports as unknown as KernelExports;
}

/** A thread's engine: the arena, the kernels over it, and the tables they need. */
export interface Engine {
  readonly arena: Arena;
  readonly kernels: KernelExports;
  /** Address of the CRC-32C table, with the room that the kernel takes behind it. */
  readonly crcTable: number;
  /** Address of the cursor over series (series.ts). */
  readonly cursor: number;
  /** Address of scratch state for `condense` and `indexKeys`. */
  readonly condenseState: number;
  /** ROW_CELLS_BYTES of scratch space for the kernel that writes rows. */
  readonly rowCells: number;
  /** FOLD_ROOM_BYTES of scratch space for the kernel that sums bytes. */
  readonly foldRoom: number;
}

/** A table and room to fold in, as in workers/kernels/crc32c.ts. */
const CRC_ROOM_BYTES = 16384 + 3 * 448 + 8192;
export const ROW_CELLS_BYTES: number = 7 * 8192;
/** As in workers/kernels/crc32.ts; with the others less than two pages of the arena. */
const FOLD_ROOM_BYTES = 16 * (300 + 1280 + 1);

/** @param owner whom this thread's own tables belong to, never released */
export function createEngine(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  owner: Owner,
): Engine {
  const arena = new Arena(memory);
  const kernels = instantiateKernels(module, memory);
  const tableBytes = CRC_ROOM_BYTES + ROW_CELLS_BYTES + FOLD_ROOM_BYTES;
  const crcTable = arena.allocate(tableBytes, owner);
  const rowCells = crcTable + CRC_ROOM_BYTES;
  const foldRoom = rowCells + ROW_CELLS_BYTES;
  kernels.crc32cTable(crcTable);
  const cursor = createCursor(arena, owner, crcTable);
  const condenseState = arena.allocate(STATE_BYTES, owner);
  return { arena, kernels, crcTable, rowCells, foldRoom, cursor, condenseState };
}
