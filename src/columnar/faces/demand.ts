/**
 * The TypeScript face of workers/kernels/columns/demand.ts: numbered records of what containers of
 * controllers requested, used and cost.
 */
import type { Owner } from '../memory/arena.ts';
import { addressOf, type Workspace } from './codes.ts';
import type { Engine } from '../kernels.ts';
import { fillStruct } from '../memory/struct.ts';
import { DEMAND_COLUMNS, DEMAND_RECORD } from './layout/columns.ts';
import { growRun } from './number-table.ts';
import type { RowSet } from '../table/row-set.ts';
import type { BytesColumn, Table } from '../table/table.ts';

const { f64, u32, bytes: RECORD_BYTES } = DEMAND_RECORD;

interface ResourceFields {
  readonly amount: number;
  readonly request: number;
  readonly usage: number;
  readonly cost: number;
  readonly priceHours: number;
  readonly largest: number;
  readonly latest: number;
}

function resourceFields(resource: 'cpu' | 'ram' | 'gpu'): ResourceFields {
  return {
    amount: f64[`${resource}Amount`] / 8,
    request: f64[`${resource}Request`] / 8,
    usage: f64[`${resource}Usage`] / 8,
    cost: f64[`${resource}Cost`] / 8,
    priceHours: f64[`${resource}PriceHours`] / 8,
    largest: f64[`${resource}Largest`] / 8,
    latest: f64[`${resource}Latest`] / 8,
  };
}

interface DemandFields {
  readonly hours: number;
  readonly cpu: ResourceFields;
  readonly ram: ResourceFields;
  /** Devices; the largest usage is that of a run on the average. */
  readonly gpu: ResourceFields;
  readonly isSelected: number;
}

/** Indices of a record's fields, in f64; unit × hours, USD. Largest usage is NaN where none is known. */
export const DEMAND: DemandFields = {
  hours: f64.hours / 8,
  cpu: resourceFields('cpu'),
  ram: resourceFields('ram'),
  gpu: resourceFields('gpu'),
  isSelected: f64.isSelected / 8,
};
export const DEMAND_FIELDS: number = RECORD_BYTES / 8;

const CODES: readonly string[] = ['labels', 'annotations'];
/** The columns of runs that are numbers. */
export const RUN_NUMBERS: readonly string[] = Object.keys(DEMAND_COLUMNS.u32).filter(
  (name) => !CODES.includes(name),
);

/** A growing table of records with the numbers [0, size). */
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
      fields[at + DEMAND.gpu.largest] = NaN;
    }
    this.#size = size;
  }

  /**
   * Adds rows of allocations.
   * @param ids the number of each row's record, or NOWHERE; in the arena
   * @param metadata codes of each row's labels and annotations; null: none
   * @param selected the rows that are selected; null: all
   */
  addRuns(
    ids: Int32Array,
    table: Table,
    metadata: readonly [labels: Uint32Array | null, annotations: Uint32Array | null],
    selected: RowSet | null,
    owner: Owner,
  ): void {
    const { engine } = this.#space;
    const { arena, kernels } = engine;
    const space = { engine, owner };
    // A column that the table lacks is 0 in all rows.
    const zeros = arena.allocateZeroed(8 * ids.length, owner);
    const numbers = RUN_NUMBERS.map((name) => [name, table.numbers(name)?.address ?? zeros]);
    const [labels, annotations] = metadata.map((codes) => codes && addressOf(space, codes));
    const columns = arena.allocate(DEMAND_COLUMNS.bytes, owner);
    const places = { labels: labels ?? zeros, annotations: annotations ?? zeros };
    const fields = { ...Object.fromEntries(numbers), ...places };
    fillStruct(arena, columns, DEMAND_COLUMNS, fields);
    const bits = selected === null ? 0 : addressOf(space, selected.words);
    kernels.addRuns(ids.byteOffset, ids.length, columns, bits, this.#address);
  }

  /** @param counted rows with bytes here have a known largest usage, also if it is 0; undefined: no row has 0 */
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

  /** Adds other records. @param texts the code that replaces each of their codes; in the arena */
  join(ids: Int32Array, from: number, texts: Uint32Array): void {
    const { kernels } = this.#space.engine;
    kernels.joinDemand(ids.byteOffset, ids.length, from, texts.byteOffset, this.#address);
  }
}

/** The code of each record's labels or annotations. */
export function metadataCodes(
  { arena }: Engine,
  records: number,
  count: number,
  metadata: 'labels' | 'annotations',
): Uint32Array {
  const stride = RECORD_BYTES / 4;
  const words = arena.u32(records, stride * count);
  const at = u32[metadata] / 4;
  return Uint32Array.from({ length: count }, (_, i) => words[stride * i + at]);
}
