/** Adds up demand over sets: rows in any order, told apart by codes. */
import {
  createFrame,
  NOWHERE,
  TextIndex,
  TupleIndex,
  type ColumnSpec,
  type Engine,
  type Owner,
  type Table,
  type Texts,
} from '../columnar/index.ts';
import type { Window } from '../query/index.ts';
import {
  DEMAND_NUMBERS,
  KEYS,
  MAXIMA,
  SUMS,
  TOLD,
  type ClusterSpan,
  type DemandAt,
  type DemandNumber,
} from './demand-columns.ts';

/** Rows to add; of demand they are no matter how many of the same container. */
export interface DemandRows {
  /** Their texts, and their number. */
  readonly table: Table;
  /** 1 where a row counts; null: all. */
  readonly kept: Uint8Array | null;
  /** Undefined: nothing is to be added. */
  readonly numbers: (name: DemandNumber) => Float64Array | undefined;
  readonly clusters: readonly ClusterSpan[];
}

const ROOM_LEAST = 1024;

export class DemandSum {
  readonly #texts: TextIndex = new TextIndex();
  readonly #tuples: TupleIndex = new TupleIndex(KEYS.length);
  readonly #clusters: Map<string, Window> = new Map();
  /** All of the same length. */
  readonly #numbers: Record<DemandNumber, Float64Array>;
  readonly #told: Readonly<Record<(typeof TOLD)[number], number[]>>;

  constructor() {
    const columns = DEMAND_NUMBERS.map((name) => [name, emptyColumn(name, ROOM_LEAST)]);
    this.#numbers = Object.fromEntries(columns) as Record<DemandNumber, Float64Array>;
    this.#told = { labels: [], annotations: [] };
  }

  get size(): number {
    return this.#tuples.size;
  }

  /** @returns the place of each row, or NOWHERE */
  add({ table, kept, numbers, clusters }: DemandRows): Int32Array {
    const merged = new Map<Texts, Uint32Array>();
    const columns = KEYS.map((name) => this.#codesOf(table, name, merged));
    const ids = this.#tuples.assign(columns, table.rows, kept);
    this.#grow();
    for (const name of SUMS) addTo(this.#numbers[name], ids, numbers(name));
    for (const name of MAXIMA) raiseTo(this.#numbers[name], ids, numbers(name));
    this.#takeLatest({ table, kept, numbers, clusters }, ids, merged);
    for (const span of clusters) this.#widen(span);
    return ids;
  }

  /** @param keeper of what is stored */
  store({ arena }: Engine, keeper: Owner): Omit<DemandAt, 'sketches'> {
    const specs = [
      ...[...KEYS, ...TOLD].map((name): ColumnSpec => ({ name, type: 'u32' })),
      ...DEMAND_NUMBERS.map((name): ColumnSpec => ({ name, type: 'f64' })),
    ];
    const frame = createFrame(arena, specs, this.size, keeper);
    KEYS.forEach((name, i) => frame.u32(name).set(this.#tuples.codes(i)));
    for (const name of TOLD) {
      frame.u32(name).fill(0);
      this.#told[name].forEach((code, place) => (frame.u32(name)[place] = code));
    }
    for (const name of DEMAND_NUMBERS) {
      frame.f64(name).set(this.#numbers[name].subarray(0, this.size));
    }
    const dictionary = this.#texts.store(arena, keeper).address;
    const clusters = Array.from(this.#clusters, ([cluster, span]) => ({ cluster, ...span }));
    return { frame: frame.address, dictionary, clusters };
  }

  /** @param merged what dictionaries came to: columns may share one */
  #codesOf(table: Table, name: string, merged: Map<Texts, Uint32Array>): Uint32Array {
    const column = table.text(name);
    if (column === undefined) return new Uint32Array(table.rows);
    const codes = merged.get(column.texts) ?? this.#texts.merge(column.texts);
    merged.set(column.texts, codes);
    return column.codes.map((code) => codes[code] ?? 0);
  }

  #grow(): void {
    let room = this.#numbers.hours.length;
    if (room >= this.size) return;
    while (room < this.size) room *= 2;
    for (const name of DEMAND_NUMBERS) {
      const grown = emptyColumn(name, room);
      grown.set(this.#numbers[name]);
      this.#numbers[name] = grown;
    }
  }

  /** The row that ends last tells; of several at once the one that began last, then the largest. */
  #takeLatest(from: DemandRows, ids: Int32Array, merged: Map<Texts, Uint32Array>): void {
    const [ends, starts] = [from.numbers('latestEndMs'), from.numbers('latestStartMs')];
    const [cpu, ram] = [from.numbers('cpuCoreRequest'), from.numbers('ramByteRequest')];
    if (!ends || !starts || !cpu || !ram) return;
    const told = TOLD.map((name) => [name, this.#codesOf(from.table, name, merged)] as const);
    const { latestEndMs, latestStartMs, cpuCoreRequest, ramByteRequest } = this.#numbers;
    ids.forEach((id, row) => {
      if (id === NOWHERE) return;
      const later =
        (ends[row] ?? 0) - (latestEndMs[id] ?? 0) || (starts[row] ?? 0) - (latestStartMs[id] ?? 0);
      if (later < 0) return;
      latestEndMs[id] = ends[row] ?? 0;
      latestStartMs[id] = starts[row] ?? 0;
      const isAlone = later > 0;
      cpuCoreRequest[id] = Math.max(isAlone ? 0 : (cpuCoreRequest[id] ?? 0), cpu[row] ?? 0);
      ramByteRequest[id] = Math.max(isAlone ? 0 : (ramByteRequest[id] ?? 0), ram[row] ?? 0);
      for (const [name, codes] of told) if (codes[row]) this.#told[name][id] = codes[row];
    });
  }

  #widen({ cluster, startMs, endMs }: ClusterSpan): void {
    const known = this.#clusters.get(cluster);
    this.#clusters.set(cluster, {
      startMs: Math.min(known?.startMs ?? Infinity, startMs),
      endMs: Math.max(known?.endMs ?? -Infinity, endMs),
    });
  }
}

function emptyColumn(name: DemandNumber, room: number): Float64Array {
  const column = new Float64Array(room);
  return MAXIMA.some((each) => each === name) ? column.fill(NaN) : column;
}

function addTo(sums: Float64Array, ids: Int32Array, values: Float64Array | undefined): void {
  if (values === undefined) return;
  for (let row = 0; row < ids.length; row++) {
    const id = ids[row] ?? NOWHERE;
    if (id !== NOWHERE) sums[id] = (sums[id] ?? 0) + (values[row] ?? 0);
  }
}

/** NaN is no value. */
function raiseTo(maxima: Float64Array, ids: Int32Array, values: Float64Array | undefined): void {
  if (values === undefined) return;
  for (let row = 0; row < ids.length; row++) {
    const id = ids[row] ?? NOWHERE;
    const value = values[row] ?? NaN;
    if (id !== NOWHERE && value > (maxima[id] ?? NaN)) maxima[id] = value;
    else if (id !== NOWHERE && Number.isNaN(maxima[id])) maxima[id] = value;
  }
}
