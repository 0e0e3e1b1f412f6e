/** Adds up demand over sets in kernels: rows in any order, identified by codes. */
import {
  DemandRecords,
  extremesBytes,
  groupedExtremes,
  TextIndex,
  textColumn,
  TupleIndex,
  type BytesColumn,
  type Engine,
  type Owner,
  type RowSet,
  type Table,
  type Texts,
} from '../../columnar/index.ts';
import type { Window } from '../../query/index.ts';
import { kindsIn, type UsageColumn } from '../../allocation/stored-rows.ts';
import { KEYS, openDemand, METADATA, type ClusterSpan, type DemandAt } from './demand-at.ts';

const LARGEST = [
  ['cpu', 'cpuCoreUsageMax', 'cpuCoreHourlyMax'],
  ['ram', 'ramByteUsageMax', 'ramByteHourlyMax'],
] as const;

export class DemandAccumulator {
  readonly #engine: Engine;
  /** Owns the sum; everything else belongs to the scratch owner. */
  readonly #keeper: Owner;
  readonly #owner: Owner;
  readonly #texts: TextIndex;
  readonly #tuples: TupleIndex;
  readonly #records: DemandRecords;
  readonly #clusters: Map<string, Window> = new Map();

  constructor(engine: Engine, owner: Owner, keeper: Owner) {
    this.#engine = engine;
    this.#owner = owner;
    this.#keeper = keeper;
    this.#texts = new TextIndex(engine, keeper);
    this.#tuples = new TupleIndex(engine, keeper, KEYS.length);
    this.#records = new DemandRecords(engine, keeper);
  }

  get size(): number {
    return this.#tuples.size;
  }

  /**
   * Adds a set of allocations: its containers, and the time in which each cluster had any.
   * @param selected rows to add; null: all
   */
  addAllocations(table: Table, selected: RowSet | null): void {
    const space = { engine: this.#engine, owner: this.#owner };
    const merged = new Map<Texts, Uint32Array>();
    // Workloads are of kind 0.
    const kinds = kindsIn(space, table);
    const ids = this.#assign(table, kinds, merged);
    const [labels = null, annotations = null] = METADATA.map((name) =>
      this.#codesOf(table, name, merged),
    );
    this.#records.addRuns(ids, table, [labels, annotations], selected, this.#owner);
    for (const span of this.#spansOf(table, kinds)) this.#widen(span);
  }

  /**
   * Adds a set of usage.
   * @param counted the column of sketches that shows whether a largest usage of 0 was measured
   * @returns each row's place, in the arena
   */
  addUsage(table: Table, counted: (column: UsageColumn) => BytesColumn | undefined): Int32Array {
    const ids = this.#assign(table, null, new Map());
    for (const [resource, name, hourly] of LARGEST) {
      const values = table.numbers(name)?.values ?? this.#zeros(table.rows);
      const offsets = values.includes(0) ? counted(hourly) : undefined;
      this.#records.addLargest(ids, resource, values, offsets, this.#owner);
    }
    return ids;
  }

  /** Adds other demand. @returns each row's place, in the arena */
  addDemand(at: DemandAt): Int32Array {
    const demand = openDemand(this.#engine, at);
    const by = this.#texts.merge(demand.texts, this.#owner);
    const columns = KEYS.map((name) => ({ codes: demand.codes(name), by }));
    const ids = this.#tuples.assign(columns, at.rows, null, this.#owner);
    this.#records.grow(this.size);
    this.#records.join(ids, at.records, by);
    for (const span of at.clusters) this.#widen(span);
    return ids;
  }

  /** Stores the sum; nothing may be added after it. */
  store(): Omit<DemandAt, 'sketches'> {
    const { arena } = this.#engine;
    const { tuples } = this.#tuples;
    const tuplesAt = arena.allocate(tuples.byteLength, this.#keeper);
    arena.u32(tuplesAt, tuples.length).set(tuples);
    const dictionary = this.#texts.store(arena, this.#keeper).address;
    const clusters = Array.from(this.#clusters, ([cluster, span]) => ({ cluster, ...span }));
    const { size } = this;
    this.#tuples.free();
    this.#texts.free();
    return { rows: size, records: this.#records.address, tuples: tuplesAt, dictionary, clusters };
  }

  #assign(table: Table, without: Uint32Array | null, merged: Map<Texts, Uint32Array>): Int32Array {
    const columns = KEYS.map((name) => {
      const column = textColumn(table, name);
      return { codes: column.codes, by: this.#merged(column.texts, merged) };
    });
    const ids = this.#tuples.assign(columns, table.rows, without, this.#owner);
    this.#records.grow(this.size);
    return ids;
  }

  /** @param merged codes by dictionary: columns may share one */
  #merged(texts: Texts, merged: Map<Texts, Uint32Array>): Uint32Array {
    const codes = merged.get(texts) ?? this.#texts.merge(texts, this.#owner);
    merged.set(texts, codes);
    return codes;
  }

  #codesOf(table: Table, name: string, merged: Map<Texts, Uint32Array>): Uint32Array | null {
    const column = table.text(name);
    if (column === undefined) return null;
    const codes = this.#merged(column.texts, merged);
    return column.codes.map((code) => codes[code] ?? 0);
  }

  #zeros(rows: number): Float64Array {
    const { arena } = this.#engine;
    return arena.f64(arena.allocateZeroed(8 * rows, this.#owner), rows);
  }

  /** @param kinds of rows: those of volumes and idle tell nothing of how long containers ran */
  #spansOf(table: Table, kinds: Uint32Array | null): ClusterSpan[] {
    const { arena } = this.#engine;
    const { codes, texts } = textColumn(table, 'cluster');
    const [starts, ends] = [table.numbers('startMs'), table.numbers('endMs')];
    if (table.rows === 0 || !starts || !ends) return [];
    const keys = arena.allocate(codes.byteLength, this.#owner);
    const clusters = arena.u32(keys, codes.length);
    clusters.set(codes);
    const others = texts.size;
    kinds?.forEach((kind, row) => {
      if (kind !== 0) clusters[row] = others;
    });
    const scratch = arena.allocate(extremesBytes(texts.size + 1), this.#owner);
    const input = { keys, columns: [starts.address, ends.address], rows: table.rows };
    const bounds = (value: number): Float64Array =>
      arena.f64(arena.allocate(8 * texts.size, this.#owner), texts.size).fill(value);
    const [least, greatest] = [bounds(Infinity), bounds(-Infinity)] as const;
    groupedExtremes(this.#engine, texts.size + 1, input, scratch, [{ least }, { greatest }]);
    return Array.from({ length: texts.size }, (_, code) => ({
      cluster: texts.text(code),
      startMs: least[code] ?? Infinity,
      endMs: greatest[code] ?? -Infinity,
    })).filter(({ startMs, endMs }) => startMs <= endMs);
  }

  #widen({ cluster, startMs, endMs }: ClusterSpan): void {
    const known = this.#clusters.get(cluster);
    this.#clusters.set(cluster, {
      startMs: Math.min(known?.startMs ?? Infinity, startMs),
      endMs: Math.max(known?.endMs ?? -Infinity, endMs),
    });
  }
}
