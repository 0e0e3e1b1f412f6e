/**
 * The ledger of one query: the arena tables over which the meters integrate. Built once from the
 * workloads; described by addresses, so that any thread can go on with it.
 */
import {
  createMeter,
  indexKeys,
  RESOURCES,
  ROW_BYTES,
  SEGMENT_BYTES,
  type Arena,
  type Engine,
  type KeyLabels,
  type MeterTables,
  type Owner,
  type Resource,
} from '../columnar/index.ts';
import { LABEL_NAMES, RUN_LABELS } from '../metrics/index.ts';
import type { Workload } from './workloads.ts';

export interface Ledger {
  readonly tables: MeterTables;
  readonly rowCount: number;
  /** Address of each resource's meter, and of the rows it adds into. */
  readonly meters: Readonly<Record<Resource, number>>;
  readonly rows: Readonly<Record<Resource, number>>;
}

export interface LedgerOptions {
  /** Bounds of the sets, ascending: set s is [setsMs[s], setsMs[s + 1]). */
  readonly setsMs: readonly number[];
  /** 0 exact, else the grid's distance. */
  readonly resolutionMs: number;
  readonly gapMs: number;
  readonly clusterLabels: readonly string[];
  readonly clusterId: string;
}

/** Which rows a workload has: one a set it touches, from `row` on. */
export interface RowRange {
  readonly row: number;
  readonly firstSet: number;
  readonly sets: number;
}

/**
 * More than 512 cores in one container is a fault of a counter, not usage (the peer's limit too); a
 * gauge of more than 2^53 bytes likewise.
 */
const MAX_RATES: Readonly<Record<Resource, number>> = { cpu: 512, ram: 2 ** 53, gpu: 0 };

/** Lays out rows: workload after workload, each with one row a set it touches. */
export function layRows(
  workloads: readonly Workload[],
  setsMs: readonly number[],
): { ranges: RowRange[]; rowCount: number } {
  let rowCount = 0;
  const ranges = workloads.map(({ stretches }) => {
    const startMs = stretches[0]?.startMs ?? 0;
    const endMs = stretches.at(-1)?.endMs ?? 0;
    const firstSet = Math.max(0, setAt(setsMs, startMs));
    const lastSet = Math.min(setsMs.length - 2, setAt(setsMs, endMs));
    const range = { row: rowCount, firstSet, sets: Math.max(0, lastSet - firstSet + 1) };
    rowCount += range.sets;
    return range;
  });
  return { ranges, rowCount };
}

/** The last set that starts at or before `atMs`; -1 before the first. */
function setAt(setsMs: readonly number[], atMs: number): number {
  let low = -1;
  let high = setsMs.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((setsMs[middle] ?? Infinity) <= atMs) low = middle;
    else high = middle;
  }
  return low;
}

/** Writes the tables, for `owner`. */
export function createLedger(
  engine: Engine,
  owner: Owner,
  workloads: readonly Workload[],
  layout: { ranges: readonly RowRange[]; rowCount: number },
  options: LedgerOptions,
): Ledger {
  const { arena } = engine;
  const keys = writeKeys(arena, owner, workloads);
  const tables: MeterTables = {
    ...writeSegments(arena, owner, workloads, layout.ranges, keys.groups),
    ...indexKeys(engine, owner, keys),
    keyOffsets: keys.keyOffsets,
    keyBytes: keys.keyBytes,
    identityCount: keys.count,
    sets: writeNumbers(arena, owner, options.setsMs),
    setCount: options.setsMs.length - 1,
  };
  const rows = { cpu: 0, ram: 0, gpu: 0 };
  const meters = { cpu: 0, ram: 0, gpu: 0 };
  for (const resource of RESOURCE_NAMES) {
    rows[resource] = arena.allocateZeroed(Math.max(1, layout.rowCount) * ROW_BYTES, owner);
    meters[resource] = createMeter(arena, owner, tables, rows[resource], {
      resource,
      isCounter: resource === 'cpu',
      resolutionMs: options.resolutionMs,
      gapMs: options.gapMs,
      maxRate: MAX_RATES[resource],
      keyLabels: keyLabels(options),
    });
  }
  return { tables, rowCount: layout.rowCount, meters, rows };
}

export const RESOURCE_NAMES: readonly Resource[] = ['cpu', 'ram', 'gpu'];

/** What names a container in a usage series: cluster, namespace, pod, container. */
function keyLabels(options: LedgerOptions): KeyLabels {
  return {
    parts: [options.clusterLabels, LABEL_NAMES.namespace, LABEL_NAMES.pod, LABEL_NAMES.container],
    fallbacks: [options.clusterId, '', '', ''],
    life: RUN_LABELS,
  };
}

interface Keys {
  readonly keyOffsets: number;
  readonly keyBytes: number;
  readonly count: number;
  /** Workloads that share a name: places [from, to) in the list of workloads. */
  readonly groups: readonly { from: number; to: number }[];
}

/** Keys of the identities; workloads come in order of name, so that equal names are neighbours. */
function writeKeys(arena: Arena, owner: Owner, workloads: readonly Workload[]): Keys {
  const groups: { from: number; to: number }[] = [];
  const texts: string[] = [];
  workloads.forEach((w, i) => {
    const text = `${w.cluster}\0${w.namespace}\0${w.pod}\0${w.container}\0`;
    const open = groups.at(-1);
    if (open && texts.at(-1) === text) open.to = i + 1;
    else {
      groups.push({ from: i, to: i + 1 });
      texts.push(text);
    }
  });
  const bytes = Buffer.from(texts.join(''));
  const keyBytes = arena.allocate(bytes.length + 1, owner);
  arena.u8(keyBytes, bytes.length).set(bytes);
  const keyOffsets = arena.allocate(4 * (texts.length + 1), owner);
  const offsets = arena.u32(keyOffsets, texts.length + 1);
  let at = 0;
  texts.forEach((text, i) => {
    offsets[i] = at;
    at += Buffer.byteLength(text);
  });
  offsets[texts.length] = at;
  return { keyOffsets, keyBytes, count: texts.length, groups };
}

/** Segments by identity and start, with their step functions. */
function writeSegments(
  arena: Arena,
  owner: Owner,
  workloads: readonly Workload[],
  ranges: readonly RowRange[],
  groups: readonly { from: number; to: number }[],
): { identities: number; segments: number; runs: number } {
  const count = workloads.reduce((sum, w) => sum + w.stretches.length, 0);
  const segments = arena.allocateZeroed(Math.max(1, count) * SEGMENT_BYTES, owner);
  const identities = arena.allocate(Math.max(1, groups.length) * 8, owner);
  const identityFields = arena.u32(identities, 2 * groups.length);
  const runs = new RunTable();
  let place = 0;
  groups.forEach(({ from, to }, identity) => {
    const first = place;
    const parts = workloads
      .slice(from, to)
      .flatMap((workload, i) =>
        workload.stretches.map((stretch, part) => ({ workload, stretch, part, i: from + i })),
      )
      .sort((a, b) => a.stretch.startMs - b.stretch.startMs);
    for (const { workload, stretch, part, i } of parts) {
      const address = segments + place * SEGMENT_BYTES;
      arena.f64(address, 2).set([stretch.startMs, stretch.endMs]);
      const range = ranges[i];
      const startsAtZero = workload.startsAtZero && part === 0 ? 1 : 0;
      arena.u32(address + 16, 3).set([range?.row ?? 0, range?.firstSet ?? 0, startsAtZero]);
      for (const resource of RESOURCE_NAMES) {
        const refs = [
          ...runs.place(workload.requests[resource]),
          ...runs.place(workload.prices[resource]),
        ];
        arena.u32(address + 32 + 16 * RESOURCES[resource], 4).set(refs);
      }
      place++;
    }
    identityFields.set([first, place - first], 2 * identity);
  });
  return { identities, segments, runs: writeNumbers(arena, owner, runs.pairs) };
}

/** Step functions one after another; the same list of pairs is written once. */
class RunTable {
  readonly pairs: number[] = [];
  readonly #places: Map<readonly number[], number> = new Map();

  /** @returns first run and number of runs */
  place(pairs: readonly number[]): [number, number] {
    let at = this.#places.get(pairs);
    if (at === undefined) {
      at = this.pairs.length / 2;
      this.#places.set(pairs, at);
      for (const value of pairs) this.pairs.push(value);
    }
    return [at, pairs.length / 2];
  }
}

function writeNumbers(arena: Arena, owner: Owner, numbers: readonly number[]): number {
  const address = arena.allocate(8 * Math.max(1, numbers.length), owner);
  arena.f64(address, numbers.length).set(numbers);
  return address;
}
