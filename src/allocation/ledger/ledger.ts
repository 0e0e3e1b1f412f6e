/**
 * The ledger of one query: the arena tables over which meters integrate, for containers (CPU, RAM,
 * GPU) or for pods (network). Built once; described by addresses, so that any thread can go on.
 */
import {
  createMeter,
  HIDDEN_ROW,
  indexKeys,
  METER_ROW,
  type Arena,
  type Engine,
  type KeyLabels,
  type MeteredResource,
  type MeterTables,
  type Owner,
} from '../../columnar/index.ts';
import { writeKeys } from './ledger-keys.ts';
import { writeSegments, type Subject } from './ledger-segments.ts';
import type { RowLayout } from './row-layout.ts';

/** How a resource is metered. */
export interface MeterSpec {
  readonly isCounter: boolean;
  /** A higher usage, in units of the resource, is taken for a fault of the series. */
  readonly maxRate: number;
  /** What no sample shows of each row is kept beside it. */
  readonly hides?: boolean;
  /** The ledger's unless given. */
  readonly keyLabels?: KeyLabels;
}

export interface Ledger<Name extends MeteredResource> {
  readonly tables: MeterTables;
  readonly rowCount: number;
  /** Address of each resource's meter, and of the rows it adds into. */
  readonly meters: Readonly<Record<Name, number>>;
  readonly rows: Readonly<Record<Name, number>>;
  /** Addresses of what no sample shows of the rows, a HIDDEN_ROW each, where it is kept. */
  readonly hidden: Readonly<Partial<Record<Name, number>>>;
}

export interface LedgerOptions {
  /** Bounds of the sets, ascending: set s is [setsMs[s], setsMs[s + 1]). */
  readonly setsMs: readonly number[];
  readonly gapMs: number;
  /** Gap in series of a cluster with too few samples to show their interval, ms; `gapMs` unless given. */
  readonly fewGapMs?: (cluster: string) => number;
}

/** Writes the tables, for `owner`; meters of all resources, or of those of `metered` only. */
export function createLedger<Name extends MeteredResource>(
  engine: Engine,
  owner: Owner,
  subjects: readonly Subject<Name>[],
  layout: RowLayout,
  specs: Readonly<Record<Name, MeterSpec>>,
  {
    fewGapMs = () => 0,
    ...options
  }: LedgerOptions & { readonly keyLabels: KeyLabels; readonly metered?: readonly Name[] },
): Ledger<Name> {
  const { arena } = engine;
  const names = Object.keys(specs) as Name[];
  const keys = writeKeys(arena, owner, subjects);
  const tables: MeterTables = {
    ...writeSegments(arena, owner, { ...layout, subjects, firsts: keys.firsts, names, fewGapMs }),
    ...indexKeys(engine, owner, keys),
    keyOffsets: keys.keyOffsets,
    keyBytes: keys.keyBytes,
    identityCount: keys.count,
    sets: writeNumbers(arena, owner, options.setsMs),
    setCount: options.setsMs.length - 1,
  };
  const zeroed = (bytes: number): number =>
    arena.allocateZeroed(Math.max(1, layout.rowCount) * bytes, owner);
  const perResource = <Value>(make: (name: Name) => Value): Record<Name, Value> =>
    Object.fromEntries((options.metered ?? names).map((name) => [name, make(name)])) as Record<
      Name,
      Value
    >;
  const rows = perResource(() => zeroed(METER_ROW.bytes));
  const hidden: Partial<Record<Name, number>> = {};
  for (const name of names) if (specs[name].hides) hidden[name] = zeroed(HIDDEN_ROW.bytes);
  const meters = perResource((resource) =>
    createMeter(arena, owner, tables, rows[resource], {
      ...options,
      ...specs[resource],
      resource,
      ...(hidden[resource] === undefined ? {} : { hidden: hidden[resource] }),
    }),
  );
  return { tables, rowCount: layout.rowCount, meters, rows, hidden };
}

function writeNumbers(arena: Arena, owner: Owner, numbers: readonly number[]): number {
  const address = arena.allocate(8 * Math.max(1, numbers.length), owner);
  arena.f64(address, numbers.length).set(numbers);
  return address;
}
