/** Demand over stored sets, in workers: sets in parts, then the parts as one. */
import {
  addSketches,
  createSketches,
  Dictionary,
  Frame,
  frameTable,
  mergeSketches,
  type Engine,
  type Owner,
  type Sketches,
  type Table,
} from '../columnar/index.ts';
import type { Filter } from '../query/index.ts';
import { DamagedSet, type SetReader, type StoredSet } from '../storage/index.ts';
import { columnsOfFilter, select, type UsageColumn } from '../allocation/stored-rows.ts';
import { KEYS, TOLD, type DemandAt } from './demand-columns.ts';
import { ALLOCATION_NUMBERS, allocationDemand, sameDemand, usageDemand } from './demand-rows.ts';
import { DemandSum } from './demand-sum.ts';

export interface SumDemandInput {
  readonly allocations: readonly StoredSet[];
  readonly usage: readonly StoredSet[];
  /** Of usage, those whose quantiles are asked for. */
  readonly columns: readonly UsageColumn[];
  /** Rows of allocations that are meant; null: all. */
  readonly filter: Filter | null;
  /** Whether labels and annotations are asked for. */
  readonly isLabelled: boolean;
  /** Of what is needed on the way alone: nothing else may be its. */
  readonly owner: Owner;
  readonly keeper: Owner;
}

/** A set that turned out to be damaged, and is not in the sum. */
export interface DamagedInput {
  readonly stored: StoredSet;
  readonly message: string;
}

export interface SumDemandOutput {
  readonly demand: DemandAt;
  readonly damaged: readonly DamagedInput[];
}

/** A set at a time is in memory. @throws {ArenaFull} */
export function sumDemand(
  engine: Engine,
  reader: SetReader,
  input: SumDemandInput,
): SumDemandOutput {
  const { filter, keeper } = input;
  const reading = new Reading(engine, reader, input.owner);
  const sum = new DemandSum();
  const told = input.isLabelled ? TOLD : [];
  const wanted = filter === null ? [] : columnsOfFilter(filter);
  for (const stored of input.allocations) {
    reading.read(stored, [...KEYS, ...told, ...wanted, ...ALLOCATION_NUMBERS], (table) =>
      sum.add(allocationDemand(table, filter && select(table, filter))),
    );
  }
  const places = input.usage.map((stored) =>
    reading.read(stored, [...KEYS, 'cpuCoreUsageMax', 'ramByteUsageMax'], (table) =>
      sum.add(usageDemand(table, (name) => reading.also(stored, name))),
    ),
  );
  const sketches = input.columns.map((name): DemandAt['sketches'][number] => [
    name,
    createSketches(engine.arena, keeper, sum.size),
  ]);
  if (input.columns.length > 0) {
    for (const [i, stored] of input.usage.entries()) {
      const ids = places[i];
      if (ids === undefined) continue;
      reading.read(stored, input.columns, (table) => {
        const at = idsAt(engine, input.owner, ids);
        for (const [name, to] of sketches) {
          const column = table.bytes?.(name);
          if (column) mergeSketches(engine, keeper, to, column, at);
        }
      });
    }
  }
  return { demand: { ...sum.store(engine, keeper), sketches }, damaged: reading.damaged };
}

export interface JoinDemandInput {
  /** In order of time. */
  readonly parts: readonly DemandAt[];
  readonly owner: Owner;
  readonly keeper: Owner;
}

/** @throws {ArenaFull} */
export function joinDemand(engine: Engine, { parts, owner, keeper }: JoinDemandInput): DemandAt {
  const sum = new DemandSum();
  const places = parts.map((part) => sum.add(sameDemand(openDemand(engine, part), part.clusters)));
  const names = parts[0]?.sketches.map(([name]) => name) ?? [];
  const sketches = names.map((name, i): DemandAt['sketches'][number] => {
    const to = createSketches(engine.arena, keeper, sum.size);
    for (const [p, part] of parts.entries()) {
      const from = part.sketches[i]?.[1];
      const ids = places[p];
      if (from && ids) addSketches(engine, keeper, to, from, idsAt(engine, owner, ids));
    }
    return [name, to];
  });
  return { ...sum.store(engine, keeper), sketches };
}

export function openDemand({ arena }: Engine, at: DemandAt): Table {
  return frameTable(new Frame(arena, at.frame), new Dictionary(arena, at.dictionary));
}

export function sketchesOf(at: DemandAt, column: UsageColumn): Sketches {
  const found = at.sketches.find(([name]) => name === column);
  if (!found) throw new Error(`BUG: demand without ${column}`);
  return found[1];
}

function idsAt({ arena }: Engine, owner: Owner, ids: Int32Array): number {
  const at = arena.allocate(4 * Math.max(1, ids.length), owner);
  arena.i32(at, ids.length).set(ids);
  return at;
}

/** Reads sets one after the other into the same memory. */
class Reading {
  readonly damaged: DamagedInput[] = [];
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
      return use(this.#reader.read(stored, this.#owner, [...new Set(columns)]).table);
    } catch (error) {
      if (!(error instanceof DamagedSet)) throw error;
      this.damaged.push({ stored, message: error.message });
      return undefined;
    } finally {
      this.#engine.arena.release(this.#owner);
    }
  }

  /** A column of the set that is being read. @throws {DamagedSet} */
  also(stored: StoredSet, column: UsageColumn): ReturnType<NonNullable<Table['bytes']>> {
    return this.#reader.read(stored, this.#owner, [column]).table.bytes?.(column);
  }
}
