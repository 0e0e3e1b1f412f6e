/** Demand over stored sets, in workers: sets in parts, then the parts as one. */
import {
  addSketches,
  createSketches,
  mergeSketches,
  onlyColumns,
  RUN_NUMBERS,
  trimSketches,
  type Engine,
  type Owner,
  type Table,
} from '../../columnar/index.ts';
import type { Filter } from '../../query/index.ts';
import {
  unlessDamaged,
  type FoundDamage,
  type SetReader,
  type StoredSet,
} from '../../storage/index.ts';
import {
  columnsOfFilter,
  select,
  USAGE_COLUMNS,
  type UsageColumn,
} from '../../allocation/stored-rows.ts';
import { KEYS, sketchesOf, METADATA, type DemandAt } from './demand-at.ts';
import { DemandAccumulator } from './demand-accumulator.ts';

/** Buckets that sketches of a container's usage over days mostly have. */
const BUCKETS = 64;

export interface SumDemandInput {
  readonly allocations: readonly StoredSet[];
  readonly usage: readonly StoredSet[];
  /** Columns of usage whose quantiles are requested. */
  readonly columns: readonly UsageColumn[];
  /** Selects rows of allocations; null: all. */
  readonly filter: Filter | null;
  /** Whether labels and annotations are requested. */
  readonly isLabelled: boolean;
  /** Owns scratch memory, and nothing else. */
  readonly owner: Owner;
  readonly keeper: Owner;
}

export interface FoundDemand {
  readonly demand: DemandAt;
  /** Damaged sets, which are not in the sum. */
  readonly damaged: readonly FoundDamage[];
}

/** Adds up sets, of which one at a time is in memory. @throws {ArenaFull} */
export function sumDemand(engine: Engine, reader: SetReader, input: SumDemandInput): FoundDemand {
  const { filter, owner, keeper } = input;
  const reading = new Reading(engine, reader, owner);
  const sum = new DemandAccumulator(engine, owner, keeper);
  const metadata = input.isLabelled ? METADATA : [];
  const wanted = filter === null ? [] : columnsOfFilter(filter);
  for (const stored of input.allocations) {
    reading.read(stored, [...KEYS, ...metadata, ...wanted, ...RUN_NUMBERS], (table) =>
      sum.addAllocations(
        metadata.length > 0 ? table : onlyColumns(table, [...KEYS, ...RUN_NUMBERS]),
        filter && select(table, filter),
      ),
    );
  }
  const places = input.usage.map((stored) =>
    reading.read(stored, [...KEYS, ...USAGE_COLUMNS.numbers], (table) =>
      // A copy, as the memory of the set is freed after this.
      Int32Array.from(sum.addUsage(table, (name) => reading.also(stored, name))),
    ),
  );
  const sketches = emptySketches(engine, keeper, input.columns, sum.size);
  for (const [i, stored] of input.usage.entries()) {
    const ids = places[i];
    if (ids === undefined || input.columns.length === 0) continue;
    reading.read(stored, input.columns, (table) => {
      const at = idsAt(engine, owner, ids);
      for (const [name, to] of sketches) {
        const column = table.bytes?.(name);
        if (column) mergeSketches(engine, keeper, to, column, at);
      }
    });
  }
  for (const [, each] of sketches) trimSketches(engine.arena, each);
  return { demand: { ...sum.store(), sketches }, damaged: reading.damaged };
}

export interface JoinDemandInput {
  /** In order of time. */
  readonly parts: readonly DemandAt[];
  readonly owner: Owner;
  readonly keeper: Owner;
}

/** @throws {ArenaFull} */
export function joinDemand(engine: Engine, { parts, owner, keeper }: JoinDemandInput): DemandAt {
  const sum = new DemandAccumulator(engine, owner, keeper);
  const places = parts.map((part) => sum.addDemand(part).byteOffset);
  const names = parts[0]?.sketches.map(([name]) => name) ?? [];
  const sketches = emptySketches(engine, keeper, names, sum.size);
  for (const [name, to] of sketches) {
    parts.forEach((part, i) =>
      addSketches(engine, keeper, to, sketchesOf(part, name), places[i] ?? 0),
    );
  }
  for (const [, each] of sketches) trimSketches(engine.arena, each);
  return { ...sum.store(), sketches };
}

function emptySketches(
  { arena }: Engine,
  keeper: Owner,
  columns: readonly UsageColumn[],
  count: number,
): DemandAt['sketches'] {
  return columns.map((name) => [name, createSketches(arena, keeper, count, BUCKETS)]);
}

function idsAt({ arena }: Engine, owner: Owner, ids: Int32Array): number {
  const at = arena.allocate(4 * Math.max(1, ids.length), owner);
  arena.i32(at, ids.length).set(ids);
  return at;
}

/** Reads sets one after the other into the same memory. */
class Reading {
  readonly damaged: FoundDamage[] = [];
  readonly #engine: Engine;
  readonly #reader: SetReader;
  readonly #owner: Owner;

  constructor(engine: Engine, reader: SetReader, owner: Owner) {
    this.#engine = engine;
    this.#reader = reader;
    this.#owner = owner;
  }

  /** @returns undefined for a set that is damaged */
  read<T>(stored: StoredSet, columns: readonly string[], use: (table: Table) => T): T | undefined {
    try {
      return unlessDamaged(stored, this.damaged, () =>
        use(this.#reader.read(stored, this.#owner, [...new Set(columns)]).table),
      );
    } finally {
      this.#engine.arena.release(this.#owner);
    }
  }

  /** A column of the set that is being read. @throws {DamagedSet} */
  also(stored: StoredSet, column: UsageColumn): ReturnType<NonNullable<Table['bytes']>> {
    return this.#reader.read(stored, this.#owner, [column]).table.bytes?.(column);
  }
}
