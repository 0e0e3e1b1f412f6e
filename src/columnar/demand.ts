/**
 * The TypeScript face of workers/kernels/demand.ts: what containers of controllers requested, used
 * and cost, a record of 20 f64 each, told by its number.
 */
import type { Owner } from './arena.ts';
import { addressOf, type Workspace } from './codes.ts';
import type { Engine } from './kernels.ts';
import { growRun } from './number-table.ts';
import type { RowSet } from './row-set.ts';
import type { BytesColumn, Table } from './table.ts';

/** Fields of a record, in f64; unit × hours, USD. Largest usage is NaN where none is known. */
export const DEMAND = {
  hours: 0,
  cpu: { amount: 1, request: 2, usage: 3, cost: 4, priceHours: 5, largest: 11, latest: 16 },
  ram: { amount: 6, request: 7, usage: 8, cost: 9, priceHours: 10, largest: 12, latest: 17 },
  isMeant: 13,
} as const;
export const DEMAND_FIELDS = 20;
/** Of labels and annotations, in u32. */
const TOLD_AT = 36;
const RECORD_BYTES = 8 * DEMAND_FIELDS;

/** Columns of runs, in the kernel's order. */
export const RUN_NUMBERS: readonly string[] = [
  'startMs',
  'endMs',
  'cpuCoreHours',
  'cpuCoreRequestHours',
  'cpuCoreUsageHours',
  'cpuCost',
  'cpuCostAdjustment',
  'ramByteHours',
  'ramByteRequestHours',
  'ramByteUsageHours',
  'ramCost',
  'ramCostAdjustment',
];

/** Records of numbers [0, size), which grow. */
export class DemandRecords {
  readonly #space: Workspace;
  #address = 0;
  #room = 0;
  #size = 0;

  constructor(engine: Engine, owner: Owner) {
    this.#space = { engine, owner };
  }

  get address(): number {
    return this.#address;
  }

  /** Adds empty records up to `size`. */
  grow(size: number): void {
    const { arena } = this.#space.engine;
    if (size > this.#room) {
      const room = Math.max(size, 2 * this.#room, 1024);
      this.#address = growRun(
        this.#space,
        this.#address,
        RECORD_BYTES * this.#room,
        RECORD_BYTES * room,
      );
      this.#room = room;
    }
    const from = DEMAND_FIELDS * this.#size;
    const fields = arena.f64(this.#address, DEMAND_FIELDS * size).fill(0, from);
    for (let at = from; at < fields.length; at += DEMAND_FIELDS) {
      fields[at + DEMAND.cpu.largest] = NaN;
      fields[at + DEMAND.ram.largest] = NaN;
    }
    this.#size = size;
  }

  /**
   * Adds rows of allocations.
   * @param ids of each row, or NOWHERE; in the arena
   * @param told codes of labels and annotations a row; null: none
   * @param meant rows that are; null: all
   */
  addRuns(
    ids: Int32Array,
    table: Table,
    told: readonly [labels: Uint32Array | null, annotations: Uint32Array | null],
    meant: RowSet | null,
    owner: Owner,
  ): void {
    const { engine } = this.#space;
    const { arena, kernels } = engine;
    const space = { engine, owner };
    // What the table does not have is 0 in every row.
    const zeros = arena.allocateZeroed(8 * ids.length, owner);
    const numbers = RUN_NUMBERS.map((name) => table.numbers(name)?.address ?? zeros);
    const texts = told.map((codes) => (codes === null ? zeros : addressOf(space, codes)));
    const columns = arena.allocate(4 * (numbers.length + texts.length), owner);
    arena.u32(columns, numbers.length + texts.length).set([...numbers, ...texts]);
    const bits = meant === null ? 0 : addressOf(space, meant.words);
    kernels.addRuns(ids.byteOffset, ids.length, columns, bits, this.#address);
  }

  /** @param counted by which a largest usage of 0 is told from none; undefined: there is none of 0 */
  addLargest(
    ids: Int32Array,
    resource: 'cpu' | 'ram',
    values: Float64Array,
    counted: BytesColumn | undefined,
    owner: Owner,
  ): void {
    const { arena, kernels } = this.#space.engine;
    const offsets =
      counted?.offsets.byteOffset ?? arena.allocateZeroed(4 * (ids.length + 1), owner);
    const place = 8 * DEMAND[resource].largest;
    const { byteOffset } = values;
    kernels.addLargest(ids.byteOffset, ids.length, byteOffset, offsets, this.#address, place);
  }

  /** Adds other records. @param texts what stands for each code of theirs; in the arena */
  join(ids: Int32Array, from: number, texts: Uint32Array): void {
    const { kernels } = this.#space.engine;
    kernels.joinDemand(ids.byteOffset, ids.length, from, texts.byteOffset, this.#address);
  }
}

/** The code of what is told of each number: 0 for labels, 1 for annotations. */
export function toldCodes(
  { arena }: Engine,
  records: number,
  count: number,
  place: 0 | 1,
): Uint32Array {
  const words = arena.u32(records, 2 * DEMAND_FIELDS * count);
  return Uint32Array.from({ length: count }, (_, i) => words[2 * DEMAND_FIELDS * i + TOLD_AT + place]); // prettier-ignore
}
