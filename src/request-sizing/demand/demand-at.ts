/**
 * Demand: what containers of controllers requested, used and cost over stored sets, a record each
 * (columnar/demand.ts), the replicas of a controller together. Integrals add up, so that prices and
 * averages are of all sets.
 */
import {
  codesAt,
  DEMAND_FIELDS,
  Dictionary,
  metadataCodes,
  type Engine,
  type Sketches,
  type Table,
  type TextColumn,
} from '../../columnar/index.ts';
import { USAGE_KEYS, type UsageColumn } from '../../allocation/stored-rows.ts';

/** The columns that identify a container. */
export const KEYS: readonly string[] = USAGE_KEYS;

/** Labels and annotations of the allocation that ends last; JSON of names and values. */
export const METADATA = ['labels', 'annotations'] as const;

/** The time in which anything of a cluster ran. */
export interface ClusterSpan {
  readonly cluster: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Demand in the arena: plain data that any thread can open. */
export interface DemandAt {
  readonly rows: number;
  readonly records: number;
  /** Address of the codes of KEYS, u32, row after row. */
  readonly tuples: number;
  readonly dictionary: number;
  /** Sketches of the requested columns of usage, a sketch a row. */
  readonly sketches: readonly (readonly [column: UsageColumn, sketches: Sketches])[];
  readonly clusters: readonly ClusterSpan[];
}

export interface Demand {
  readonly rows: number;
  /** DEMAND_FIELDS a row. */
  readonly records: Float64Array;
  readonly texts: Dictionary;
  /** Codes of one of KEYS or METADATA. */
  readonly codes: (name: string) => Uint32Array;
}

export function openDemand(engine: Engine, at: DemandAt): Demand {
  const { arena } = engine;
  const tuples = arena.u32(at.tuples, KEYS.length * at.rows);
  return {
    rows: at.rows,
    records: arena.f64(at.records, DEMAND_FIELDS * at.rows),
    texts: new Dictionary(arena, at.dictionary),
    codes(name) {
      const place = KEYS.indexOf(name);
      if (place >= 0) return codesAt(tuples, KEYS.length, place);
      return metadataCodes(engine, at.records, at.rows, name === 'labels' ? name : 'annotations');
    },
  };
}

/** The texts of demand as a table, for filters. */
export function textTable({ rows, texts, codes }: Demand): Table {
  const column = (name: string): TextColumn => ({ codes: codes(name), texts });
  return {
    rows,
    text: (name) => (KEYS.includes(name) ? column(name) : undefined),
    numbers: () => undefined,
  };
}

export function sketchesOf(at: DemandAt, column: UsageColumn): Sketches {
  const found = at.sketches.find(([name]) => name === column);
  if (!found) throw new Error(`BUG: demand without ${column}`);
  return found[1];
}
