/** Segments of a ledger: when each subject was there, with its requests and prices over time. */
import {
  IDENTITY,
  RESOURCE_RUNS,
  RESOURCES,
  SEGMENT,
  segmentBytes,
  type Arena,
  type MeteredResource,
  type MeterTables,
  type Owner,
} from '../../columnar/index.ts';
import type { Stretch } from '../inventory/presence.ts';
import type { RowRange } from './row-layout.ts';

/** What is metered: when it was there, and at which request and price. */
export interface Subject<Name extends MeteredResource> {
  /** Values of the key's parts, the cluster first. Subjects come in order of key; equal keys are neighbours. */
  readonly key: readonly string[];
  readonly stretches: readonly Stretch[];
  /** When a counter of its usage stood at zero: a stretch begins then; NaN unknown. */
  readonly zeroMs: number;
  /** Request and price an hour and unit as pairs (fromMs, value). */
  readonly requests: Readonly<Record<Name, readonly number[]>>;
  readonly prices: Readonly<Record<Name, readonly number[]>>;
  /** What it can use at most, in units of the resource; where not given nothing is known. */
  readonly capacities?: Partial<Readonly<Record<Name, number>>>;
}

/** Who is laid, with which rows. */
export interface Laid<Name extends MeteredResource> {
  readonly subjects: readonly Subject<Name>[];
  /** The rows of each subject. */
  readonly ranges: readonly RowRange[];
  /** Place of the first subject of each identity. */
  readonly firsts: readonly number[];
  readonly names: readonly Name[];
  /** By cluster, ms. */
  readonly fewGapMs: (cluster: string) => number;
}

/** Segments by identity and start, with their step functions. */
export function writeSegments<Name extends MeteredResource>(
  arena: Arena,
  owner: Owner,
  { subjects, ranges, firsts, names, fewGapMs }: Laid<Name>,
): Pick<MeterTables, 'identities' | 'segments' | 'segmentBytes' | 'runs'> {
  const bytes = segmentBytes(names.length);
  let count = 0;
  for (const { stretches } of subjects) count += stretches.length;
  const segments = arena.allocateZeroed(Math.max(1, count) * bytes, owner);
  const identityBytes = IDENTITY.bytes * firsts.length;
  const identities = arena.allocate(Math.max(IDENTITY.bytes, identityBytes), owner);
  const words = arena.u32(identities, identityBytes / 4);
  const writer = new SegmentWriter(arena, segments, count * bytes, names);
  for (let identity = 0; identity < firsts.length; identity++) {
    const from = firsts[identity] ?? 0;
    const to = firsts[identity + 1] ?? subjects.length;
    const first = writer.count;
    if (to - from === 1) writer.add(subjects[from], ranges[from]);
    else {
      for (const { i, place } of inTime(subjects, from, to))
        writer.addStretch(subjects[i], ranges[i], place);
    }
    const at = IDENTITY.bytes * identity;
    words[(at + IDENTITY.u32.firstSegment) / 4] = first;
    words[(at + IDENTITY.u32.segments) / 4] = writer.count - first;
    words[(at + IDENTITY.u32.fewGapMs) / 4] = fewGapMs(subjects[from]?.key[0] ?? '');
  }
  const runs = arena.allocate(8 * Math.max(1, writer.runs.length), owner);
  arena.f64(runs, writer.runs.length).set(writer.runs);
  return { identities, segments, segmentBytes: bytes, runs };
}

/** Where fields begin, in bytes. */
const { f64: TIMES, u32: WORDS } = SEGMENT;
const { u32: RUNS } = RESOURCE_RUNS;

class SegmentWriter<Name extends MeteredResource> {
  /** Segments written. */
  count = 0;
  /** Step functions one after another, as pairs. */
  readonly runs: number[] = [];
  readonly #names: readonly Name[];
  readonly #times: Float64Array;
  readonly #words: Uint32Array;
  readonly #bytesEach: number;
  /** Where lists of prices are: many subjects share one. */
  readonly #places: Map<readonly number[], number> = new Map();

  constructor(arena: Arena, address: number, bytes: number, names: readonly Name[]) {
    this.#names = names;
    this.#times = arena.f64(address, bytes / 8);
    this.#words = arena.u32(address, bytes / 4);
    this.#bytesEach = segmentBytes(names.length);
  }

  /** All stretches of the only subject of an identity. */
  add(subject: Subject<Name> | undefined, range: RowRange | undefined): void {
    const stretches = subject?.stretches.length ?? 0;
    for (let place = 0; place < stretches; place++) this.addStretch(subject, range, place);
  }

  /** @param place the stretch's, among those of the subject */
  addStretch(subject: Subject<Name> | undefined, range: RowRange | undefined, place: number): void {
    const stretch = subject?.stretches[place];
    if (!stretch || !range) throw new Error('BUG: a segment of nothing');
    const [times, words] = [this.#times, this.#words];
    const at = this.count * this.#bytesEach;
    times[(at + TIMES.startMs) / 8] = stretch.startMs;
    times[(at + TIMES.endMs) / 8] = stretch.endMs;
    words[(at + WORDS.row) / 4] = range.row;
    words[(at + WORDS.set) / 4] = range.firstSet;
    const isFirst = !((subject.stretches[place - 1]?.startMs ?? NaN) >= subject.zeroMs);
    times[(at + TIMES.zeroMs) / 8] =
      isFirst && stretch.startMs >= subject.zeroMs ? subject.zeroMs : NaN;
    for (const name of this.#names) {
      const runs = at + SEGMENT.bytes + RESOURCE_RUNS.bytes * RESOURCES[name];
      const requests = subject.requests[name];
      const prices = subject.prices[name];
      words[(runs + RUNS.firstRequest) / 4] = this.#append(requests);
      words[(runs + RUNS.requests) / 4] = requests.length / 2;
      words[(runs + RUNS.firstPrice) / 4] = this.#placeOf(prices);
      words[(runs + RUNS.prices) / 4] = prices.length / 2;
      times[(runs + RESOURCE_RUNS.f64.capacity) / 8] = subject.capacities?.[name] ?? Infinity;
    }
    this.count++;
  }

  /** @returns the first run's place */
  #placeOf(prices: readonly number[]): number {
    if (prices.length === 0) return 0;
    let place = this.#places.get(prices);
    if (place === undefined) this.#places.set(prices, (place = this.#append(prices)));
    return place;
  }

  #append(pairs: readonly number[]): number {
    if (pairs.length === 0) return 0;
    const place = this.runs.length / 2;
    for (const value of pairs) this.runs.push(value);
    return place;
  }
}

interface StretchOf {
  /** The subject's place. */
  readonly i: number;
  /** The stretch's, among those of the subject. */
  readonly place: number;
  readonly startMs: number;
}

/** The stretches of subjects [from, to), in order of time. */
function inTime(
  subjects: readonly { readonly stretches: readonly Stretch[] }[],
  from: number,
  to: number,
): StretchOf[] {
  const all = subjects
    .slice(from, to)
    .flatMap(({ stretches }, k) =>
      stretches.map(({ startMs }, place) => ({ i: from + k, place, startMs })),
    );
  return all.sort((a, b) => a.startMs - b.startMs);
}
