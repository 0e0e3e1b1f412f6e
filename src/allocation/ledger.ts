/**
 * The ledger of one query: the arena tables over which meters integrate, for containers (CPU, RAM,
 * GPU) or for pods (network). Built once; described by addresses, so that any thread can go on.
 */
import {
  createMeter,
  indexKeys,
  RESOURCES,
  ROW_BYTES,
  segmentBytes,
  type Arena,
  type Engine,
  type KeyLabels,
  type MeteredResource,
  type MeterTables,
  type Owner,
} from '../columnar/index.ts';
import { boundAt } from './bounds.ts';
import type { Stretch } from './presence.ts';

/** What is metered: when it was there, and at which request and price. */
export interface Subject<Name extends MeteredResource> {
  /** Values of the key's parts. Subjects come in order of key; equal keys are neighbours. */
  readonly key: readonly string[];
  readonly stretches: readonly Stretch[];
  /** A counter of its usage stood at zero when the first stretch began. */
  readonly startsAtZero: boolean;
  /** Request and price an hour and unit as pairs (fromMs, value). */
  readonly requests: Readonly<Record<Name, readonly number[]>>;
  readonly prices: Readonly<Record<Name, readonly number[]>>;
}

/** How a resource is metered. */
export interface MeterSpec {
  readonly isCounter: boolean;
  /** A higher usage, in units of the resource, is taken for a fault of the series. */
  readonly maxRate: number;
  /** The ledger's unless given. */
  readonly keyLabels?: KeyLabels;
}

export interface Ledger<Name extends MeteredResource> {
  readonly tables: MeterTables;
  readonly rowCount: number;
  /** Address of each resource's meter, and of the rows it adds into. */
  readonly meters: Readonly<Record<Name, number>>;
  readonly rows: Readonly<Record<Name, number>>;
}

export interface LedgerOptions {
  /** Bounds of the sets, ascending: set s is [setsMs[s], setsMs[s + 1]). */
  readonly setsMs: readonly number[];
  /** 0 exact, else the grid's distance. */
  readonly resolutionMs: number;
  readonly gapMs: number;
}

/** Which rows a subject has: one a set it touches, from `row` on. */
export interface RowRange {
  readonly row: number;
  readonly firstSet: number;
  readonly sets: number;
}

export interface RowLayout {
  readonly ranges: readonly RowRange[];
  readonly rowCount: number;
}

/** Lays out rows: subject after subject, each with one row a set it touches. */
export function layRows(
  subjects: readonly { readonly stretches: readonly Stretch[] }[],
  setsMs: readonly number[],
): RowLayout {
  let rowCount = 0;
  const ranges = subjects.map(({ stretches }) => {
    const startMs = stretches[0]?.startMs ?? 0;
    const endMs = stretches.at(-1)?.endMs ?? 0;
    const firstSet = Math.max(0, boundAt(setsMs, startMs));
    const lastSet = Math.min(setsMs.length - 2, boundAt(setsMs, endMs));
    const range = { row: rowCount, firstSet, sets: Math.max(0, lastSet - firstSet + 1) };
    rowCount += range.sets;
    return range;
  });
  return { ranges, rowCount };
}

/** Writes the tables, for `owner`. */
export function createLedger<Name extends MeteredResource>(
  engine: Engine,
  owner: Owner,
  subjects: readonly Subject<Name>[],
  layout: RowLayout,
  specs: Readonly<Record<Name, MeterSpec>>,
  options: LedgerOptions & { readonly keyLabels: KeyLabels },
): Ledger<Name> {
  const { arena } = engine;
  const names = Object.keys(specs) as Name[];
  const keys = writeKeys(arena, owner, subjects);
  const tables: MeterTables = {
    ...writeSegments(arena, owner, subjects, layout.ranges, keys.groups, names),
    ...indexKeys(engine, owner, keys),
    keyOffsets: keys.keyOffsets,
    keyBytes: keys.keyBytes,
    identityCount: keys.count,
    sets: writeNumbers(arena, owner, options.setsMs),
    setCount: options.setsMs.length - 1,
  };
  const perResource = <Value>(make: (name: Name) => Value): Record<Name, Value> =>
    Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
  const rows = perResource(() =>
    arena.allocateZeroed(Math.max(1, layout.rowCount) * ROW_BYTES, owner),
  );
  const meters = perResource((resource) =>
    createMeter(arena, owner, tables, rows[resource], {
      ...options,
      ...specs[resource],
      resource,
    }),
  );
  return { tables, rowCount: layout.rowCount, meters, rows };
}

interface Keys {
  readonly keyOffsets: number;
  readonly keyBytes: number;
  readonly count: number;
  /** Subjects that share a key: places [from, to) in the list. */
  readonly groups: readonly { from: number; to: number }[];
}

function writeKeys(
  arena: Arena,
  owner: Owner,
  subjects: readonly { readonly key: readonly string[] }[],
): Keys {
  const groups: { from: number; to: number }[] = [];
  const texts: string[] = [];
  subjects.forEach(({ key }, i) => {
    let text = '';
    for (const part of key) text += `${part}\0`;
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
function writeSegments<Name extends MeteredResource>(
  arena: Arena,
  owner: Owner,
  subjects: readonly Subject<Name>[],
  ranges: readonly RowRange[],
  groups: readonly { from: number; to: number }[],
  names: readonly Name[],
): Pick<MeterTables, 'identities' | 'segments' | 'segmentBytes' | 'runs'> {
  const bytes = segmentBytes(names.length);
  const count = subjects.reduce((sum, { stretches }) => sum + stretches.length, 0);
  const segments = arena.allocateZeroed(Math.max(1, count) * bytes, owner);
  const identities = arena.allocate(Math.max(1, groups.length) * 8, owner);
  const identityFields = arena.u32(identities, 2 * groups.length);
  const times = arena.f64(segments, (count * bytes) / 8);
  const words = arena.u32(segments, (count * bytes) / 4);
  const runs = new RunTable();
  let place = 0;
  groups.forEach(({ from, to }, identity) => {
    const first = place;
    for (const { subject, stretch, isFirst, i } of inTime(subjects, from, to)) {
      const time = (place * bytes) / 8;
      times[time] = stretch.startMs;
      times[time + 1] = stretch.endMs;
      const word = (place * bytes) / 4;
      words[word + 4] = ranges[i]?.row ?? 0;
      words[word + 5] = ranges[i]?.firstSet ?? 0;
      words[word + 6] = subject.startsAtZero && isFirst ? 1 : 0;
      for (const name of names) {
        const ref = word + 8 + 4 * RESOURCES[name];
        words[ref] = runs.place(subject.requests[name]);
        words[ref + 1] = subject.requests[name].length / 2;
        words[ref + 2] = runs.place(subject.prices[name]);
        words[ref + 3] = subject.prices[name].length / 2;
      }
      place++;
    }
    identityFields[2 * identity] = first;
    identityFields[2 * identity + 1] = place - first;
  });
  return {
    identities,
    segments,
    segmentBytes: bytes,
    runs: writeNumbers(arena, owner, runs.pairs),
  };
}

interface SubjectStretch<S> {
  readonly subject: S;
  readonly stretch: Stretch;
  readonly isFirst: boolean;
  /** The subject's place. */
  readonly i: number;
}

/** The stretches of subjects [from, to), in order of time. */
function inTime<S extends { readonly stretches: readonly Stretch[] }>(
  subjects: readonly S[],
  from: number,
  to: number,
): SubjectStretch<S>[] {
  const found: SubjectStretch<S>[] = [];
  for (let i = from; i < to; i++) {
    const subject = subjects[i];
    let isFirst = true;
    for (const stretch of subject?.stretches ?? []) {
      if (subject) found.push({ subject, stretch, isFirst, i });
      isFirst = false;
    }
  }
  return found.length > 1 ? found.sort((a, b) => a.stretch.startMs - b.stretch.startMs) : found;
}

/** Step functions one after another; the same list of pairs is written once. */
class RunTable {
  readonly pairs: number[] = [];
  readonly #places: Map<readonly number[], number> = new Map();

  /** @returns the first run's place */
  place(pairs: readonly number[]): number {
    if (pairs.length === 0) return 0;
    let at = this.#places.get(pairs);
    if (at === undefined) {
      at = this.pairs.length / 2;
      this.#places.set(pairs, at);
      for (const value of pairs) this.pairs.push(value);
    }
    return at;
  }
}

function writeNumbers(arena: Arena, owner: Owner, numbers: readonly number[]): number {
  const address = arena.allocate(8 * Math.max(1, numbers.length), owner);
  arena.f64(address, numbers.length).set(numbers);
  return address;
}
